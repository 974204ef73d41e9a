/** Lets many checks of one service have the answer to one request, so that it is sent once. */
import type { HttpClient, HttpFailure, HttpRequest, HttpResponse, Origin } from '#net/http.ts'
import { requestHeaders } from '#net/http-exchange.ts'
import { requestKey } from '#template/plan.ts'

/** Answers that are kept for one service, and the memory of those kept for all services together. */
const ANSWERS_MAX = 6_000
const BYTES_MAX = 48 * 1024 * 1024
const BYTES_OF_ALL_MAX = 96 * 1024 * 1024

let bytesOfAll = 0

export interface SharedClient {
  /** As the client's own, but equal requests get one answer while it is kept. */
  readonly request: HttpClient['request']
  /** Never shares, because the answer may hang on cookies, time or what was sent before. */
  readonly alone: HttpClient['request']
  /** Whether the answer to a request is at hand. */
  knows(origin: Origin, request: HttpRequest): boolean
  /** Requests that were sent. */
  readonly sent: () => number
  /** Forgets every answer. */
  clear(): void
}

export function shareAnswers(client: Pick<HttpClient, 'request'>): SharedClient {
  const kept = new Map<string, HttpResponse | HttpFailure>()
  const underWay = new Map<string, Promise<HttpResponse | HttpFailure>>()
  let bytes = 0
  let sent = 0
  const forget = (key: string) => {
    const size = sizeOf(kept.get(key))
    if (!kept.delete(key)) return
    bytes -= size
    bytesOfAll -= size
  }
  const remember = (key: string, response: HttpResponse | HttpFailure) => {
    const size = sizeOf(response)
    if (size > BYTES_MAX / 8 || bytesOfAll + size > BYTES_OF_ALL_MAX) return
    kept.set(key, response)
    bytes += size
    bytesOfAll += size
    for (const oldest of kept.keys()) {
      if (kept.size <= ANSWERS_MAX && bytes <= BYTES_MAX) break
      forget(oldest)
    }
  }
  const send = async (key: string, ...asked: Parameters<HttpClient['request']>) => {
    sent += 1
    const answer = await client.request(...asked)
    // A failure is kept, too: who waits for the same answer need not run into it again.
    remember(key, answer)
    return answer
  }
  return {
    alone(origin, request, options) {
      sent += 1
      return client.request(origin, request, options)
    },
    async request(origin, request, options) {
      const key = keyOf(origin, request)
      const answer = kept.get(key) ?? underWay.get(key)
      if (answer) return answer
      const asking = send(key, origin, request, options).finally(() => underWay.delete(key))
      underWay.set(key, asking)
      return asking
    },
    knows: (origin, request) => kept.has(keyOf(origin, request)),
    sent: () => sent,
    clear() {
      for (const key of kept.keys()) forget(key)
    },
  }
}

/** With an answer stay its body, and as texts: the body, head and body together, and what was read of its headers. */
function sizeOf(answer: HttpResponse | HttpFailure | undefined): number {
  if (answer?.kind !== 'response') return 0
  const head = answer.headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  return answer.body.length * 4 + head * 4
}

/** By what is sent: a header that says what would be said anyway makes no difference. */
function keyOf(origin: Origin, request: HttpRequest): string {
  const { port, tls, hostname } = origin
  const flat = requestHeaders(origin, request)
  const headers = Object.fromEntries(
    flat.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), flat[at + 1] ?? '']] : [])),
  )
  return `${tls} ${port} ${hostname} ${requestKey({ ...request, headers })}`
}

/** The way to the server: calls of the contract with the key as bearer, and failures in words. */
import { type Endpoint, hasQuery, type InputOf, pathParameters, type ResultOf } from '@glacis/contract/endpoint'
import { ApiError } from '@glacis/contract/primitives'

/** The server said no. */
export class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.name = 'Refused'
    this.status = status
  }
}
/**
 * There was no answer, or one that says to come again, or one of something else than the server. `isCertificate`: TLS
 * could not be trusted; `isBroken`: the server, or what is before it, stumbled over this very call, and may do so again.
 */
export class Unreachable extends Error {
  readonly isCertificate: boolean
  readonly isBroken: boolean
  constructor(message: string, why: 'certificate' | 'broken' | 'away', options?: ErrorOptions) {
    super(message, options)
    this.name = 'Unreachable'
    this.isCertificate = why === 'certificate'
    this.isBroken = why === 'broken'
  }
}

export interface Client {
  /** The secret that calls carry from now on. */
  bearer: string
  /**
   * Makes one call.
   * @throws Refused, Unreachable, or the signal's reason
   */
  call<E extends Endpoint>(
    endpoint: E,
    input: InputOf<E>,
    options: { signal: AbortSignal; withinMs?: number },
  ): Promise<ResultOf<E>>
  /** Loads a file of at most so many bytes. */
  load(path: string, options: { signal: AbortSignal; bytesMax: number }): Promise<Buffer>
}

const answerMsMax = 15_000
const loadMsMax = 300_000

export function createClient(server: string, bearer: string): Client {
  const client: Client = {
    bearer,
    async call(endpoint, input, { signal, withinMs = answerMsMax }) {
      const { path, rest } = fillPath(endpoint.path, input as Record<string, unknown>)
      const body = hasQuery(endpoint.method) ? {} : { body: JSON.stringify(rest) }
      const response = await ask(path, { method: endpoint.method, ...body }, signal, withinMs)
      const answer = await bodyOf(response)
      const read = endpoint.result.safeParse(answer)
      if (!read.success) throw new Unreachable(`${server} does not answer as a Glacis server does`, 'away')
      return read.data as ResultOf<typeof endpoint> // parsed by that very schema
    },
    async load(path, { signal, bytesMax }) {
      const response = await ask(path, { method: 'GET' }, signal, loadMsMax)
      const pieces: Uint8Array[] = []
      let bytes = 0
      for await (const piece of response.body ?? []) {
        bytes += piece.length
        if (bytes > bytesMax) throw new Refused(413, `${path} is larger than ${bytesMax} bytes`)
        pieces.push(piece)
      }
      return Buffer.concat(pieces)
    },
  }

  async function ask(path: string, init: RequestInit, signal: AbortSignal, withinMs: number): Promise<Response> {
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: `Bearer ${client.bearer}`,
    }
    const limits = AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
    const response = await fetch(server + path, { ...init, headers, redirect: 'error', signal: limits }).catch(
      (error: unknown) => {
        signal.throwIfAborted()
        throw explain(server, error)
      },
    )
    if (response.ok) return response
    const said = ApiError.safeParse(await bodyOf(response)).data?.message
    const { status } = response
    if (status !== tooLarge && (said === undefined || status >= 500 || status === 429)) {
      const isBroken = status === 500 || (said === undefined && status < 500 && !awayStatuses.has(status))
      throw new Unreachable(`${server}: ${said ?? `it answered ${status}`}`, isBroken ? 'broken' : 'away')
    }
    throw new Refused(status, said ?? `it answered ${status}`)
  }
  return client
}

/** What will be too large the next time too, whoever says so. */
const tooLarge = 413
/**
 * A proxy says so without the words of the server while that is away: only the server itself can refuse an agent
 * for good. Any other status without its words may be about what was sent.
 */
const awayStatuses: ReadonlySet<number> = new Set([401, 404, 408, 425, 429])

function fillPath(template: string, input: Readonly<Record<string, unknown>>) {
  const rest = { ...input }
  let path = template
  for (const name of pathParameters(template)) {
    path = path.replace(`:${name}`, encodeURIComponent(String(input[name])))
    delete rest[name]
  }
  return { path, rest }
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    return undefined
  }
}

const certificateWords: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired; renew it there',
  CERT_NOT_YET_VALID: 'is not valid yet; check the clock of this machine',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed; name its file in NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN:
    'comes from an authority that this machine does not know; name that one in NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'comes without its chain, or from an authority that this machine does not know; name that one in NODE_EXTRA_CA_CERTS',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'comes from an authority that this machine does not know; name that one in NODE_EXTRA_CA_CERTS',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name; use the name that it is for',
}

/** Why there was no answer, in one sentence. */
export function explain(server: string, error: unknown): Unreachable {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const certificate = certificateWords[code]
  if (certificate)
    return new Unreachable(`The certificate of ${server} ${certificate}.`, 'certificate', { cause: error })
  if (/^(ERR_SSL|EPROTO)/.test(code))
    return new Unreachable(`${server} does not speak TLS as it should (${code}).`, 'certificate')
  const words: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'refuses the connection; is it running?',
    ENOTFOUND: 'has a name that cannot be found',
    EAI_AGAIN: 'has a name that cannot be looked up now',
    ETIMEDOUT: 'does not answer',
    UND_ERR_CONNECT_TIMEOUT: 'does not answer',
  }
  const said = cause instanceof Error && cause.name === 'TimeoutError' ? 'does not answer in time' : words[code]
  return new Unreachable(`${server} ${said ?? `cannot be reached (${code || String(cause)})`}`, 'away', {
    cause: error,
  })
}

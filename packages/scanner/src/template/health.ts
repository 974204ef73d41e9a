/** Tracks whether a service still responds, so that checks stop when it doesn't. */
import { bodyTypeOf, hasBody, type HttpRequest } from '#net/http-message.ts'
import { requestKindOf } from '#net/unanswered.ts'
import { type Chain, isUnanswered } from '#template/redirects.ts'

/** Unanswered requests, consecutive or total, before checks of a service stop. */
const CONSECUTIVE_FAILURES_MAX = 6
const FAILURES_MAX = 24
/** Timeouts of requests of one kind that count; later ones show nothing new about the service. */
const SIMILAR_TIMEOUTS_MAX = 3
const CLOSED_PATTERN = /^(?:other side closed|read ECONNRESET|write EPIPE)$/
const allBodies = '*'
/** Number of decompression bombs before checks of a service stop. */
const BOMBS_MAX = 8

export interface Health {
  /** Records the outcome of a request chain. Requests that were never sent are ignored. */
  record(chain: Chain): void
  /** Whether the service answered none of several requests with a body, or with a body of the same type. */
  readonly rejectsBodyOf: (request: HttpRequest) => boolean
  /** How many requests the service rejected as too many. */
  readonly limitedCount: () => number
  /** Why checks stopped; null while the service responds. */
  readonly stopReason: () => string | null
}

/** @param hasResponded a service that hasn't responded at all gets only one more attempt */
export function createHealth(hasResponded: boolean): Health {
  let inARowMax = hasResponded ? CONSECUTIVE_FAILURES_MAX : 1
  /** Kinds of requests that timed out, and other failures, since the last response. */
  const consecutive = new Set<string>()
  let failures = 0
  const timeouts = new Map<string, number>()
  let reason = ''
  let bombs = 0
  const rejectedBodies = new Map<string, number>()
  let limited = 0
  const counted = new WeakSet<object>()
  const countBodies = (chain: Chain) => {
    for (const { request } of chain.exchanges.filter((exchange) => hasBody(exchange.request)))
      for (const kind of [allBodies, bodyTypeOf(request)]) rejectedBodies.set(kind, -Infinity)
    const rejected = rejectedBody(chain)
    if (!rejected) return
    for (const kind of [allBodies, bodyTypeOf(rejected)]) rejectedBodies.set(kind, (rejectedBodies.get(kind) ?? 0) + 1)
  }
  return {
    record(chain) {
      const { exchanges, failure } = chain
      // Several checks may share one response; it counts once.
      const answer = failure ?? exchanges.at(-1)?.response ?? chain
      if (counted.has(answer)) return
      counted.add(answer)
      if (failure?.reason.startsWith('not sent')) return
      if (exchanges.some(({ response }) => response.isBomb)) bombs += 1
      if (!failure && isUnanswered(chain)) limited += 1
      if (exchanges.length > 0) inARowMax = CONSECUTIVE_FAILURES_MAX
      const timeoutKind = timeoutKindOf(chain)
      if (exchanges.length > 0) consecutive.clear()
      else if (!rejectedBody(chain)) consecutive.add(timeoutKind ?? String(failures))
      countBodies(chain)
      if (!failure) return
      reason = failure.reason
      const similar = (timeoutKind !== undefined && timeouts.get(timeoutKind)) || 0
      if (timeoutKind !== undefined) timeouts.set(timeoutKind, similar + 1)
      if (similar < SIMILAR_TIMEOUTS_MAX) failures += 1
    },
    rejectsBodyOf: (request) =>
      hasBody(request) &&
      [allBodies, bodyTypeOf(request)].some((kind) => (rejectedBodies.get(kind) ?? 0) >= CONSECUTIVE_FAILURES_MAX),
    limitedCount: () => limited,
    stopReason() {
      if (bombs >= BOMBS_MAX) return 'sends decompression bombs'
      if (consecutive.size < inARowMax && failures < FAILURES_MAX) return null
      return `stopped responding to HTTP (${reason || 'no response'})`
    },
  }
}

/** The kind of a request that timed out. Some servers never answer requests of one kind, such as `/?…`. */
function timeoutKindOf({ failure, failedRequest }: Chain): string | undefined {
  return failure?.isTimeout === true && failedRequest ? requestKindOf(failedRequest) : undefined
}

/**
 * Small servers close the connection of each request with a body, and some applications never answer bodies that they
 * parse twice. Both still respond to others.
 *
 * @returns the request, if it was rejected
 */
function rejectedBody({ failure, failedRequest }: Chain): HttpRequest | undefined {
  if (!failure || !failedRequest || !hasBody(failedRequest)) return undefined
  return failure.isTimeout === true || CLOSED_PATTERN.test(failure.reason) ? failedRequest : undefined
}

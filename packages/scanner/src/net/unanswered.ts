/**
 * Shorter deadlines for requests that a server has left unanswered several times while it answered others, and none at
 * last; and for all requests to a server that answers hardly any of them in time.
 */
import { bodyTypeOf, hasBody, type HttpFailure, type HttpRequest, type HttpResponse } from '#net/http-message.ts'

/** After as many timeouts, the deadline is shortened. */
const timeoutsMin = 3
/** After as many, such requests are no longer sent. */
const timeoutsMax = 8
/** The part of the deadline that remains for a server that answers everything else immediately. */
const remainingPart = 0.3
/**
 * A response is late after this time, and after several times that of the fastest response. Servers that delay a client
 * after failed logins take longer each time.
 */
const lateMsMin = 3000
/** After as many late responses more than prompt ones, the deadline of all requests is shortened. */
const delaysMin = 10
/** After as many, only requests like those with a prompt response are sent. */
const delaysMax = 20
/** A server may take this many times as long as for its slowest response. */
const slowestTimes = 4

export interface Unanswered {
  /** The deadline for a request that is sent now, in milliseconds; undefined if it isn't worth sending. */
  deadlineMs(server: string, request: HttpRequest, usualMs: number): number | undefined
  /** @param sentAt when the request was sent, in milliseconds of a monotonic clock */
  record(server: string, request: HttpRequest, response: HttpResponse | HttpFailure, sentAt: number): void
}

interface Timeouts {
  count: number
  /** When the first of them was sent. */
  readonly since: number
}
interface State {
  slowestMs: number
  fastestMs: number
  /** When the latest request that got a response was sent. */
  answeredSince: number
  /** Timeouts and late responses, less prompt responses. */
  delays: number
  /** Kinds of requests that got a prompt response. */
  readonly prompt: Set<string>
  /** By kind of request. */
  readonly timeouts: Map<string, Timeouts>
}

export function createUnanswered(): Unanswered {
  const states = new Map<string, State>()
  const stateOf = (server: string): State => {
    const state = states.get(server) ?? {
      slowestMs: 0,
      fastestMs: Infinity,
      answeredSince: -Infinity,
      delays: 0,
      prompt: new Set<string>(),
      timeouts: new Map<string, Timeouts>(),
    }
    states.set(server, state)
    return state
  }
  return {
    deadlineMs(server, request, usualMs) {
      const { slowestMs, answeredSince, timeouts, delays, prompt } = stateOf(server)
      const kind = requestKindOf(request)
      if (delays >= delaysMin && !prompt.has(kind)) return delays < delaysMax ? usualMs * remainingPart : undefined
      const own = timeouts.get(kind)
      // Unless it answered other requests since then, the whole server may have been busy.
      if (!own || own.count < timeoutsMin || answeredSince < own.since) return usualMs
      if (own.count >= timeoutsMax) return undefined
      return Math.min(usualMs, Math.max(usualMs * remainingPart, slowestMs * slowestTimes))
    },
    record(server, request, response, sentAt) {
      const state = stateOf(server)
      const kind = requestKindOf(request)
      if (response.kind === 'response') state.fastestMs = Math.min(state.fastestMs, response.durationMs)
      if (response.kind === 'response' && response.durationMs < Math.max(lateMsMin, state.fastestMs * slowestTimes)) {
        state.delays = Math.max(0, state.delays - 1)
        state.prompt.add(kind)
      } else if (response.kind === 'response' || response.isTimeout) state.delays += 1
      if (response.kind === 'response') {
        state.slowestMs = Math.max(state.slowestMs, response.durationMs)
        state.answeredSince = Math.max(state.answeredSince, sentAt)
        state.timeouts.delete(kind)
      } else if (response.isTimeout) {
        const own = state.timeouts.get(kind) ?? { count: 0, since: sentAt }
        own.count += 1
        state.timeouts.set(kind, own)
      }
    },
  }
}

/** Requests that a server may treat alike: those with a query to one path, or with a body of one type. */
export function requestKindOf(request: HttpRequest): string {
  const { method, path } = request
  const [place = '', query] = path.split('?', 2)
  if (query !== undefined) return `${method} ${place}?`
  return hasBody(request) ? `body ${bodyTypeOf(request)}` : `${method} ${place}`
}

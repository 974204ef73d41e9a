/** Pauses for servers that limit the rate of requests and state when the next ones are permitted. */
import { setTimeout as delay } from 'node:timers/promises'
import type { HttpFailure, HttpResponse } from '#net/http-message.ts'

/** Windows of one minute are common; longer ones would take longer than a scan of the server may. */
const pauseMsMax = 65_000
const pausedMsMax = 180_000

export interface RateLimits {
  /**
   * Waits until the server permits requests again.
   *
   * @throws only when `signal` aborts, with its reason
   */
  ready(server: string, signal: AbortSignal): Promise<void>
  /** Whether the server limited the request, and a pause makes it worth repeating. */
  limits(server: string, response: HttpResponse | HttpFailure): boolean
  /** Ends pauses for a server that limits requests even after one. */
  repeated(server: string, response: HttpResponse | HttpFailure): void
}

interface State {
  until: number
  /** Total of all pauses. */
  pausedMs: number
}

export function createRateLimits(): RateLimits {
  const states = new Map<string, State>()
  const stateOf = (server: string): State => {
    const state = states.get(server) ?? { until: 0, pausedMs: 0 }
    states.set(server, state)
    return state
  }
  return {
    async ready(server, signal) {
      const leftMs = (states.get(server)?.until ?? 0) - performance.now()
      if (leftMs > 0) await delay(leftMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    },
    limits(server, response) {
      if (response.kind === 'failure' || response.status !== 429) return false
      const state = stateOf(server)
      const now = performance.now()
      if (state.until > now) return true
      const pauseMs = pauseMsOf(response)
      if (pauseMs === undefined || pauseMs > pauseMsMax || state.pausedMs + pauseMs > pausedMsMax) return false
      state.pausedMs += pauseMs
      state.until = now + pauseMs
      return true
    },
    repeated(server, response) {
      if (response.kind === 'response' && response.status === 429) stateOf(server).pausedMs = pausedMsMax
    },
  }
}

/** Seconds in `Retry-After` or in one of the forms of `RateLimit`, in milliseconds. */
function pauseMsOf({ headers }: HttpResponse): number | undefined {
  const values = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]))
  const [, seconds] =
    /^ ?(\d{1,6})$/.exec(values.get('retry-after') ?? values.get('ratelimit-reset') ?? '') ??
    /(?:;|^|, ?) ?(?:t|reset)=(\d{1,6})/.exec(values.get('ratelimit') ?? '') ??
    []
  return seconds === undefined ? undefined : Number(seconds) * 1000 + 200
}

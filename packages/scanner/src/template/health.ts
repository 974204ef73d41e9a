/** Watches whether a service still answers, so that one that has gone is left alone. */
import type { Chain } from '#template/redirects.ts'

/** After so many requests in a row, or in all, without an answer a service is left alone. */
const FAILURES_IN_A_ROW_MAX = 6
const FAILURES_MAX = 24
/** A service whose answers unpack into a flood so often does it on purpose. */
const BOMBS_MAX = 8

export interface Health {
  /** Counts the end of a chain of requests. What was never sent counts for nothing. */
  note(chain: Chain): void
  /** Why the service is left alone; null while it answers. */
  readonly trouble: () => string | null
}

/** @param hasAnswered a service that answered nothing so far gets one more chance only */
export function createHealth(hasAnswered: boolean): Health {
  let inARowMax = hasAnswered ? FAILURES_IN_A_ROW_MAX : 1
  let inARow = 0
  let failures = 0
  let reason = ''
  let bombs = 0
  const noted = new WeakSet<object>()
  return {
    note(chain) {
      const { exchanges, failure } = chain
      // Several checks may share one answer; it was given, or missed, once.
      const answer = failure ?? exchanges.at(-1)?.response ?? chain
      if (noted.has(answer)) return
      noted.add(answer)
      if (failure?.reason.startsWith('not sent')) return
      if (exchanges.some(({ response }) => response.isBomb)) bombs += 1
      if (exchanges.length > 0) inARowMax = FAILURES_IN_A_ROW_MAX
      inARow = exchanges.length > 0 ? 0 : inARow + 1
      if (!failure) return
      failures += 1
      reason = failure.reason
    },
    trouble() {
      if (bombs >= BOMBS_MAX) return 'answers with decompression bombs'
      if (inARow < inARowMax && failures < FAILURES_MAX) return null
      return `stopped answering HTTP (${reason || 'no answer'})`
    },
  }
}

/** How a figure moved over a period, in words. */
import { formatNumber } from '#lib/format.ts'

export interface Change {
  readonly amount: number
  /** For risks fewer is better. */
  readonly verdict: 'better' | 'worse' | 'same'
  /** "9 fewer than on 24 Aug" */
  readonly words: string
}

/** From the first value of a series to its last; `since` names the first. */
export function changeOf(values: readonly number[], since: string): Change {
  const amount = (values.at(-1) ?? 0) - (values[0] ?? 0)
  if (amount === 0) return { amount, verdict: 'same', words: since ? `Same as on ${since}` : 'No change' }
  const words = `${formatNumber(Math.abs(amount))} ${amount < 0 ? 'fewer' : 'more'}`
  return { amount, verdict: amount < 0 ? 'better' : 'worse', words: since ? `${words} than on ${since}` : words }
}

/** The change of a value over a period. */
import { formatNumber } from '#lib/format.ts'

export interface Change {
  readonly amount: number
  /** Fewer risks are better. */
  readonly verdict: 'better' | 'worse' | 'same'
  /** "9 fewer than on 24 Aug" */
  readonly text: string
}

/** The change from the first value of a series to its last. `since` is the label of the first value. */
export function changeOver(values: readonly number[], since: string): Change {
  const amount = (values.at(-1) ?? 0) - (values[0] ?? 0)
  if (amount === 0) return { amount, verdict: 'same', text: since ? `Same as on ${since}` : 'No change' }
  const text = `${formatNumber(Math.abs(amount))} ${amount < 0 ? 'fewer' : 'more'}`
  return { amount, verdict: amount < 0 ? 'better' : 'worse', text: since ? `${text} than on ${since}` : text }
}

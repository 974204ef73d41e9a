/** The change of a number of risks over a period. */
import { formatNumber } from '#lib/format.ts'

/** The change from the first value of a series to its last. */
export function changeOf(values: readonly number[]): number {
  return (values.at(-1) ?? 0) - (values[0] ?? 0)
}

/** "9 fewer than on 24 Aug". `since` is the label of the first value. */
export function changeText(amount: number, since: string): string {
  if (amount === 0) return `Same as on ${since}`
  return `${formatNumber(Math.abs(amount))} ${amount < 0 ? 'fewer' : 'more'} than on ${since}`
}

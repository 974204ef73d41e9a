/** Pure arithmetic of the charts: scales, ticks, label positions. */
import { nice, ticks } from 'd3-array'

export interface CountScale {
  /** Three or four integers from 0 up. */
  readonly ticks: readonly number[]
  /** A value as a share of the plot height, 0 to 1. */
  readonly share: (value: number) => number
}

/** A scale for counts: from 0 to a round number, in integer steps. */
export function countScale(highest: number): CountScale {
  const [, top] = nice(0, Math.max(1, highest), 3)
  return { ticks: ticks(0, top, 3).filter(Number.isInteger), share: (value) => value / top }
}

/** How much closer than evenly spaced labels two rounded ones may be. */
const tightest = 0.75

/**
 * Indexes of the points to label when at most `labelsMax` labels fit: spaced as evenly as possible, including the first
 * and last. If only one fits, it is the last.
 */
export function labeledIndexes(count: number, labelsMax: number): ReadonlySet<number> {
  if (count <= 1 || labelsMax <= 1) return new Set(count > 0 ? [count - 1] : [])
  const last = count - 1
  const gapMin = (last / (labelsMax - 1)) * tightest
  let labels = Math.min(count, labelsMax)
  // Rounding could bring labels too close to each other. Two are always far enough apart.
  while (labels > 2 && Math.floor(last / (labels - 1)) < gapMin) labels -= 1
  return new Set(Array.from({ length: labels }, (_, at) => Math.round((at * last) / (labels - 1))))
}

/**
 * Moves labels apart until they are at least `gap` from each other, within 0 and `size`. In pixels; returned in the
 * given order.
 */
export function spreadLabels(places: readonly number[], gap: number, size: number): number[] {
  const order = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place)
  let floor = 0
  for (const item of order) {
    item.place = Math.max(item.place, floor)
    floor = item.place + gap
  }
  let ceiling = size
  for (const item of order.toReversed()) {
    item.place = Math.min(item.place, ceiling)
    ceiling = item.place - gap
  }
  return order.sort((a, b) => a.index - b.index).map(({ place }) => place)
}

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

/** Indexes of the points to label when at most `labelsMax` labels fit. Always includes the first and last. */
export function labeledIndexes(count: number, labelsMax: number): ReadonlySet<number> {
  if (count <= 1 || labelsMax <= 1) return new Set(count > 0 ? [count - 1] : [])
  const step = Math.ceil((count - 1) / (labelsMax - 1))
  const kept = new Set<number>()
  // Counted from the end, so that the latest point is labeled.
  for (let index = count - 1; index >= 0; index -= step) kept.add(index)
  return kept
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

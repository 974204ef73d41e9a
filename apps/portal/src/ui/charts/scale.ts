/** The arithmetic of the charts: heights, ticks, labels. Nothing here draws. */
import { scaleLinear } from 'd3-scale'

export interface CountScale {
  /** Whole numbers from 0 up, three or four of them. */
  readonly ticks: readonly number[]
  /** Share of the plot's height that a value takes, 0 to 1. */
  readonly share: (value: number) => number
}

/** A scale for counts: begins at 0, ends on a round number, has no fractions. */
export function countScale(highest: number): CountScale {
  const scale = scaleLinear()
    .domain([0, Math.max(1, highest)])
    .nice(3)
  const ticks = scale.ticks(3).filter(Number.isInteger)
  const [, top = 1] = scale.domain()
  return { ticks, share: (value) => value / top }
}

/** Which of `count` points carry a label when at most `room` labels fit; first and last are kept. */
export function labelled(count: number, room: number): ReadonlySet<number> {
  if (count <= 1 || room <= 1) return new Set(count > 0 ? [count - 1] : [])
  const step = Math.ceil((count - 1) / (room - 1))
  const kept = new Set<number>()
  // Counted from the end: the last point is now, and now is what a reader looks for.
  for (let index = count - 1; index >= 0; index -= step) kept.add(index)
  return kept
}

/**
 * Moves labels apart until none is nearer than `gap` to the next, staying between 0 and `size`.
 * All in pixels; the answer is in the order given.
 */
export function spread(places: readonly number[], gap: number, size: number): number[] {
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

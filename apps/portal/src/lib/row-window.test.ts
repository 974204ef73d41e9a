import { describe, expect, it } from 'vitest'
import { covers, heightsOf, measure, windowAt } from '#lib/row-window.ts'

const estimate = 40
const beyond = [10, 10] as const

describe('the window of a long table', () => {
  it('draws what is in sight and some around it, and keeps the room of the rest', () => {
    const { runs, below } = windowAt(heightsOf(100_000), { top: 40_000, bottom: 40_800, beyond, estimate })
    expect(runs).toEqual([{ from: 990, to: 1031, above: 990 * 40 }])
    expect(below).toBe((100_000 - 1031) * 40)
  })

  it.each([
    ['above the table', -500, 300, 0],
    ['past its end', 9e6, 9.1e6, 999],
  ])('holds %s', (_, top, bottom, row) => {
    const { runs, below } = windowAt(heightsOf(1000), { top, bottom, beyond, estimate })
    const drawn = runs.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index))
    expect(drawn).toContain(row)
    const room = runs.reduce((sum, { above }) => sum + above, below)
    expect(room + drawn.length * estimate).toBe(1000 * estimate)
  })

  it('keeps the row that somebody works in, with its neighbours', () => {
    const { runs } = windowAt(heightsOf(1000), { top: 20_000, bottom: 20_400, held: [3], beyond, estimate })
    expect(runs.map(({ from, to, above }) => [from, to, above])).toEqual([
      [2, 5, 80],
      [490, 521, (490 - 5) * 40],
    ])
  })

  it('takes rows that were never drawn to be as high as the others are on average', () => {
    const heights = heightsOf(1000)
    measure(heights, 0, 100)
    measure(heights, 1, 60)
    measure(heights, 1, 80)
    const { runs, below } = windowAt(heights, { top: 9000, bottom: 9000, beyond: [0, 0], estimate })
    expect(runs).toEqual([{ from: 100, to: 101, above: 180 + 98 * 90 }])
    expect(below).toBe(899 * 90)
  })

  it('is drawn anew only when what is wanted is not drawn', () => {
    const at = (top: number, rows: number) =>
      windowAt(heightsOf(1000), { top, bottom: top + 800, beyond: [rows, rows], held: [1], estimate })
    const drawn = at(8000, 10)
    expect(covers(drawn, at(8120, 5))).toBe(true)
    expect(covers(drawn, at(8400, 5))).toBe(false)
  })
})

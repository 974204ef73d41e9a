/** Points in square cells: what lies in a box, and what lies nearest, without looking at the rest. */
import { at, wholeAt } from '#graph/layout/constants.ts'

export interface Grid {
  /** Calls `see` for every point in the cells that the box touches: all of the box, and some beside it. */
  visit(left: number, top: number, right: number, bottom: number, see: (point: number) => void): void
}

/** More cells than this cost more than they save. */
const cellsMax = 1 << 20

export function buildGrid(x: Float64Array, y: Float64Array, size: number): Grid {
  const box = boundsOf(x, y)
  const isHuge = ((box.right - box.left) / size + 1) * ((box.bottom - box.top) / size + 1) > cellsMax
  const side = isHuge ? Math.sqrt(((box.right - box.left) * (box.bottom - box.top)) / cellsMax) + size : size
  const columns = Math.floor((box.right - box.left) / side) + 1
  const rows = Math.floor((box.bottom - box.top) / side) + 1
  const cells = new Int32Array(x.length)
  /** Where the points of each cell begin: first how many there are, then where they end, then where they begin. */
  const begins = new Int32Array(columns * rows + 1)
  for (let i = 0; i < x.length; i++) {
    const cell = Math.floor((at(y, i) - box.top) / side) * columns + Math.floor((at(x, i) - box.left) / side)
    cells[i] = cell
    begins[cell] = wholeAt(begins, cell) + 1
  }
  for (let cell = 1; cell < begins.length; cell++) begins[cell] = wholeAt(begins, cell) + wholeAt(begins, cell - 1)
  const points = new Int32Array(x.length)
  for (let i = x.length - 1; i >= 0; i--) {
    const place = wholeAt(begins, wholeAt(cells, i)) - 1
    begins[wholeAt(cells, i)] = place
    points[place] = i
  }
  const within = (value: number, end: number) => Math.max(0, Math.min(end, value))
  return {
    visit(left, top, right, bottom, see) {
      if (x.length === 0) return
      const lastColumn = within(Math.floor((right - box.left) / side), columns - 1)
      const lastRow = within(Math.floor((bottom - box.top) / side), rows - 1)
      for (let row = within(Math.floor((top - box.top) / side), rows); row <= lastRow; row++) {
        const firstColumn = within(Math.floor((left - box.left) / side), columns)
        if (firstColumn > lastColumn) continue
        const end = wholeAt(begins, row * columns + lastColumn + 1)
        for (let k = wholeAt(begins, row * columns + firstColumn); k < end; k++) see(wholeAt(points, k))
      }
    },
  }
}

export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** The box around all points; a dot in the middle where there are none. */
export function boundsOf(x: Float64Array, y: Float64Array): Box {
  if (x.length === 0) return { left: 0, top: 0, right: 0, bottom: 0 }
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let i = 0; i < x.length; i++) {
    left = Math.min(left, at(x, i))
    right = Math.max(right, at(x, i))
    top = Math.min(top, at(y, i))
    bottom = Math.max(bottom, at(y, i))
  }
  return { left, top, right, bottom }
}

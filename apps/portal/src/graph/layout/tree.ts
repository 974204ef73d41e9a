/** Squares in squares, each with the middle of the bodies in it: the tree of Barnes and Hut. */
import { at, wholeAt } from '#graph/layout/constants.ts'

/** Bodies in a cell that is not divided further. */
const leafMax = 8
/** Deeper, nodes lie on one spot for all that matters. */
const depthMax = 40

/** Numbers that `shape` holds of each cell. */
export const shapeSize = 4

/**
 * A tree for `count` bodies, built anew by each `build`. The cells stand in one array in the order of a walk, each with
 * the number of cells below it, so that a walk is a loop without a stack.
 */
export function createTree(count: number) {
  const room = 64 + count * 4
  /** Of each cell: where its middle is, across and down, its width squared, and how many bodies it holds. */
  const shape = new Float64Array(room * shapeSize)
  /** Cells of the subtree, the cell itself among them. */
  const skip = new Int32Array(room)
  /** Of a leaf: where its bodies begin in `order`; else -1. */
  const first = new Int32Array(room)
  const order = new Int32Array(count)
  let used = 0

  function build(x: Float64Array, y: Float64Array): void {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
    for (let i = 0; i < count; i++) {
      order[i] = i
      left = Math.min(left, at(x, i))
      right = Math.max(right, at(x, i))
      top = Math.min(top, at(y, i))
      bottom = Math.max(bottom, at(y, i))
    }
    used = 0
    divide(x, y, 0, count, left, top, Math.max(right - left, bottom - top) || 1, 0)
  }

  function divide(
    x: Float64Array,
    y: Float64Array,
    start: number,
    end: number,
    left: number,
    top: number,
    width: number,
    depth: number,
  ): void {
    const cell = used++
    const isLeaf = end - start <= leafMax || depth === depthMax || used > room - 8
    first[cell] = isLeaf ? start : -1
    if (!isLeaf) split(x, y, start, end, left, top, width / 2, depth + 1)
    skip[cell] = used - cell
    const part = cell * shapeSize
    const [middleX, middleY] = isLeaf ? middleOfBodies(x, y, start, end) : middleOfCells(cell)
    shape[part] = middleX
    shape[part + 1] = middleY
    shape[part + 2] = width * width
    shape[part + 3] = end - start
  }

  /** Sorts the bodies of a cell into its quadrants, in place, and goes on with each that holds some. */
  function split(
    x: Float64Array,
    y: Float64Array,
    start: number,
    end: number,
    left: number,
    top: number,
    half: number,
    depth: number,
  ): void {
    const [right, bottom] = [left + half, top + half]
    const lower = sift(y, bottom, start, end)
    const upperRight = sift(x, right, start, lower)
    const lowerRight = sift(x, right, lower, end)
    if (start < upperRight) divide(x, y, start, upperRight, left, top, half, depth)
    if (upperRight < lower) divide(x, y, upperRight, lower, right, top, half, depth)
    if (lower < lowerRight) divide(x, y, lower, lowerRight, left, bottom, half, depth)
    if (lowerRight < end) divide(x, y, lowerRight, end, right, bottom, half, depth)
  }

  /** Puts the bodies below a limit before the others and gives the place of the first of the others. */
  function sift(values: Float64Array, limit: number, start: number, end: number): number {
    let next = start
    for (let k = start; k < end; k++) {
      const body = wholeAt(order, k)
      if (at(values, body) >= limit) continue
      order[k] = wholeAt(order, next)
      order[next++] = body
    }
    return next
  }

  function middleOfBodies(x: Float64Array, y: Float64Array, start: number, end: number): [number, number] {
    let [sumX, sumY] = [0, 0]
    for (let k = start; k < end; k++) {
      sumX += at(x, wholeAt(order, k))
      sumY += at(y, wholeAt(order, k))
    }
    return [sumX / (end - start), sumY / (end - start)]
  }

  function middleOfCells(cell: number): [number, number] {
    let [sumX, sumY, bodies] = [0, 0, 0]
    for (let child = cell + 1; child < used; child += wholeAt(skip, child)) {
      const weight = at(shape, child * shapeSize + 3)
      sumX += at(shape, child * shapeSize) * weight
      sumY += at(shape, child * shapeSize + 1) * weight
      bodies += weight
    }
    return [sumX / bodies, sumY / bodies]
  }

  return { build, cells: () => used, order, shape, skip, first }
}

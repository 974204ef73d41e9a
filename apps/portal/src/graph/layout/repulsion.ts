import { at, layoutConstants } from '#graph/layout/constants.ts'

/** Bodies in a cell that is not divided further. */
const leafMax = 8
/** Deeper, nodes lie on one spot for all that matters. */
const depthMax = 40

type Force = (x: Float64Array, y: Float64Array, vx: Float64Array, vy: Float64Array, alpha: number) => void

/**
 * Every node repels every other. A group that is far off counts as one body in its middle (Barnes and
 * Hut). The cells stand in one array in the order of a walk, each with the number of cells below it, so
 * that a walk is a loop without a stack.
 */
export function createRepulsion(count: number): Force {
  const tree = createTree(count)
  const { chargeStrength, theta } = layoutConstants
  const thetaSquared = theta * theta
  return (x, y, vx, vy, alpha) => {
    tree.build(x, y)
    const { cells, order, bodies, middleX, middleY, widthSquared, skip, first } = tree
    const strength = chargeStrength * alpha
    for (let i = 0; i < count; i++) {
      const [px, py] = [at(x, i), at(y, i)]
      let [fx, fy] = [0, 0]
      for (let cell = 0; cell < cells();) {
        const dx = at(middleX, cell) - px
        const dy = at(middleY, cell) - py
        const squared = dx * dx + dy * dy
        if (at(widthSquared, cell) < squared * thetaSquared) {
          const push = (at(bodies, cell) * strength) / (squared < 1 ? Math.sqrt(squared) : squared)
          fx += dx * push
          fy += dy * push
          cell += at(skip, cell)
          continue
        }
        const start = at(first, cell)
        if (start >= 0) {
          for (let k = start, end = start + at(bodies, cell); k < end; k++) {
            const other = at(order, k)
            if (other === i) continue
            const ox = at(x, other) - px || tiny
            const oy = at(y, other) - py || tiny
            const near = ox * ox + oy * oy
            const push = strength / (near < 1 ? Math.sqrt(near) : near)
            fx += ox * push
            fy += oy * push
          }
        }
        cell++
      }
      vx[i] = at(vx, i) + fx
      vy[i] = at(vy, i) + fy
    }
  }
}

const tiny = 1e-6

function createTree(count: number) {
  const room = 64 + count * 4
  const bodies = new Int32Array(room)
  const middleX = new Float64Array(room)
  const middleY = new Float64Array(room)
  const widthSquared = new Float64Array(room)
  /** Cells of the subtree, the cell itself among them. */
  const skip = new Int32Array(room)
  /** Of a leaf: where its bodies begin in `order`; else -1. */
  const first = new Int32Array(room)
  const order = new Int32Array(count)
  const spare = new Int32Array(count)
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
    bodies[cell] = end - start
    widthSquared[cell] = width * width
    const isLeaf = end - start <= leafMax || depth === depthMax || used > room - 8
    first[cell] = isLeaf ? start : -1
    let [sumX, sumY] = [0, 0]
    for (let k = start; k < end; k++) {
      sumX += at(x, at(order, k))
      sumY += at(y, at(order, k))
    }
    middleX[cell] = sumX / (end - start)
    middleY[cell] = sumY / (end - start)
    if (!isLeaf) split(x, y, start, end, left, top, width / 2, depth + 1)
    skip[cell] = used - cell
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
    const [middleOfX, middleOfY] = [left + half, top + half]
    const quadrant = (body: number) => (at(x, body) >= middleOfX ? 1 : 0) + (at(y, body) >= middleOfY ? 2 : 0)
    const sizes = [0, 0, 0, 0] as [number, number, number, number]
    for (let k = start; k < end; k++) sizes[quadrant(at(order, k)) as 0 | 1 | 2 | 3]++
    const begins = [start, start + sizes[0], start + sizes[0] + sizes[1], end - sizes[3]] as [
      number,
      number,
      number,
      number,
    ]
    const next = [...begins] as typeof begins
    for (let k = start; k < end; k++) spare[next[quadrant(at(order, k)) as 0 | 1 | 2 | 3]++] = at(order, k)
    order.set(spare.subarray(start, end), start)
    for (const q of [0, 1, 2, 3] as const) {
      const begin = begins[q]
      if (sizes[q] === 0) continue
      divide(x, y, begin, begin + sizes[q], left + (q & 1) * half, top + (q >> 1) * half, half, depth)
    }
  }

  return { build, cells: () => used, order, bodies, middleX, middleY, widthSquared, skip, first }
}

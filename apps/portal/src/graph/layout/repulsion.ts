import { at, layoutConstants, wholeAt } from '#graph/layout/constants.ts'
import { createTree, shapeSize } from '#graph/layout/tree.ts'

type Force = (x: Float64Array, y: Float64Array, vx: Float64Array, vy: Float64Array, alpha: number) => void

/**
 * Every node repels every other. A group that is far off counts as one body in its middle (Barnes and Hut).
 *
 * The bodies of a leaf are neighbours: of most cells all of them say the same, so that is asked once for all of them,
 * and each asks for itself only where they may differ.
 */
export function createRepulsion(count: number): Force {
  const tree = createTree(count)
  const { order, shape, skip, first } = tree
  const { chargeStrength, theta } = layoutConstants
  const thetaSquared = theta * theta
  const [orderedX, orderedY] = [new Float64Array(count), new Float64Array(count)]
  /** Middles and bodies of what is far off for the whole leaf, three numbers each. */
  const far = new Float64Array(skip.length * 3)
  /** Cells that each body has to look at by itself, with all below them. */
  const near = new Int32Array(skip.length)
  let [farCount, nearCount] = [0, 0]

  /** Tells far from near for the bodies from `from` to `to`, by the corners of the box around them. */
  function sortOut(from: number, to: number): void {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
    for (let k = from; k < to; k++) {
      left = Math.min(left, at(orderedX, k))
      right = Math.max(right, at(orderedX, k))
      top = Math.min(top, at(orderedY, k))
      bottom = Math.max(bottom, at(orderedY, k))
    }
    let [farEnd, nearEnd] = [0, 0]
    const end = tree.cells()
    for (let cell = 0; cell < end;) {
      const part = cell * shapeSize
      const [middleX, middleY] = [at(shape, part), at(shape, part + 1)]
      const widthSquared = at(shape, part + 2)
      const dx = Math.max(left - middleX, middleX - right, 0)
      const dy = Math.max(top - middleY, middleY - bottom, 0)
      if (widthSquared < (dx * dx + dy * dy) * thetaSquared) {
        far[farEnd++] = middleX
        far[farEnd++] = middleY
        far[farEnd++] = at(shape, part + 3)
        cell += wholeAt(skip, cell)
        continue
      }
      const mostX = Math.max(right - middleX, middleX - left)
      const mostY = Math.max(bottom - middleY, middleY - top)
      const isOpen = widthSquared >= (mostX * mostX + mostY * mostY) * thetaSquared
      if (isOpen && wholeAt(first, cell) < 0) cell++
      else {
        near[nearEnd++] = cell
        cell += wholeAt(skip, cell)
      }
    }
    farCount = farEnd
    nearCount = nearEnd
  }

  return (x, y, vx, vy, alpha) => {
    tree.build(x, y)
    const [end, strength] = [tree.cells(), chargeStrength * alpha]
    for (let k = 0; k < count; k++) {
      orderedX[k] = at(x, wholeAt(order, k))
      orderedY[k] = at(y, wholeAt(order, k))
    }
    for (let leaf = 0; leaf < end; leaf++) {
      const from = wholeAt(first, leaf)
      if (from < 0) continue
      const to = from + at(shape, leaf * shapeSize + 3)
      sortOut(from, to)
      for (let k = from; k < to; k++) push(k, wholeAt(order, k), vx, vy, strength)
    }
  }

  function push(k: number, body: number, vx: Float64Array, vy: Float64Array, strength: number): void {
    const [px, py] = [at(orderedX, k), at(orderedY, k)]
    const [farEnd, nearEnd] = [farCount, nearCount]
    let [fx, fy] = [0, 0]
    for (let n = 0; n < farEnd; n += 3) {
      const dx = at(far, n) - px
      const dy = at(far, n + 1) - py
      const squared = dx * dx + dy * dy
      const share = at(far, n + 2) / (squared < 1 ? Math.sqrt(squared) : squared)
      fx += dx * share
      fy += dy * share
    }
    for (let n = 0; n < nearEnd; n++) {
      const root = wholeAt(near, n)
      for (let cell = root, end = root + wholeAt(skip, root); cell < end;) {
        const part = cell * shapeSize
        const dx = at(shape, part) - px
        const dy = at(shape, part + 1) - py
        const squared = dx * dx + dy * dy
        if (at(shape, part + 2) < squared * thetaSquared) {
          const share = at(shape, part + 3) / (squared < 1 ? Math.sqrt(squared) : squared)
          fx += dx * share
          fy += dy * share
          cell += wholeAt(skip, cell)
          continue
        }
        const start = wholeAt(first, cell)
        if (start >= 0) {
          for (let other = start, last = start + at(shape, part + 3); other < last; other++) {
            if (other === k) continue
            const ox = at(orderedX, other) - px || tiny
            const oy = at(orderedY, other) - py || tiny
            const distance = ox * ox + oy * oy
            const share = 1 / (distance < 1 ? Math.sqrt(distance) : distance)
            fx += ox * share
            fy += oy * share
          }
        }
        cell++
      }
    }
    vx[body] = at(vx, body) + fx * strength
    vy[body] = at(vy, body) + fy * strength
  }
}

/** Tells two nodes on one spot apart. */
const tiny = 1e-6

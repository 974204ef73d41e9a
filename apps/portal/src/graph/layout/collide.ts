import { buildGrid } from '#graph/layout/grid.ts'
import { at, layoutConstants } from '#graph/layout/constants.ts'

/** Pushes apart, half each, what will overlap where it is going. */
export function collide(x: Float64Array, y: Float64Array, vx: Float64Array, vy: Float64Array): void {
  const reach = 2 * layoutConstants.collisionRadius
  const nextX = x.map((value, i) => value + at(vx, i))
  const nextY = y.map((value, i) => value + at(vy, i))
  const grid = buildGrid(nextX, nextY, reach)
  for (let i = 0; i < x.length; i++) {
    const [px, py] = [at(x, i) + at(vx, i), at(y, i) + at(vy, i)]
    grid.visit(at(nextX, i) - reach, at(nextY, i) - reach, at(nextX, i) + reach, at(nextY, i) + reach, (other) => {
      if (other <= i) return
      const dx = px - at(x, other) - at(vx, other) || tiny
      const dy = py - at(y, other) - at(vy, other) || tiny
      const squared = dx * dx + dy * dy
      if (squared >= reach * reach) return
      const distance = Math.sqrt(squared)
      const push = (reach - distance) / distance / 2
      vx[i] = at(vx, i) + dx * push
      vy[i] = at(vy, i) + dy * push
      vx[other] = at(vx, other) - dx * push
      vy[other] = at(vy, other) - dy * push
    })
  }
}

const tiny = 1e-6

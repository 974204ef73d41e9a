/**
 * A force layout on flat arrays with the semantics of d3-force: links as springs, repulsion by
 * Barnes and Hut, collision, centring, in this order, integrated by velocity Verlet. What d3-force
 * takes ten seconds for, objects and closures included, takes two to three this way.
 */
import { collide } from '#graph/layout/collide.ts'
import { at, type Layout, layoutConstants, type Springs, wholeAt } from '#graph/layout/constants.ts'
import { createRepulsion } from '#graph/layout/repulsion.ts'

/** Lays `count` nodes out. The same input gives the same picture. */
export function layOut(count: number, springs: Springs): Layout {
  const { ticks, alphaDecay, velocityDecay } = layoutConstants
  const { x, y } = spiral(count)
  const [vx, vy] = [new Float64Array(count), new Float64Array(count)]
  const pull = createPull(count, springs)
  const repel = createRepulsion(count)
  let alpha = 1
  for (let tick = 0; tick < ticks; tick++) {
    alpha -= alpha * alphaDecay
    pull(x, y, vx, vy, alpha)
    repel(x, y, vx, vy, alpha)
    collide(x, y, vx, vy)
    centre(x, y)
    for (let i = 0; i < count; i++) {
      x[i] = at(x, i) + (vx[i] = at(vx, i) * velocityDecay)
      y[i] = at(y, i) + (vy[i] = at(vy, i) * velocityDecay)
    }
  }
  return { x, y }
}

/** Where nodes begin: on a spiral with the golden angle. */
function spiral(count: number): Layout {
  const [x, y] = [new Float64Array(count), new Float64Array(count)]
  const goldenAngle = Math.PI * (3 - Math.sqrt(5))
  for (let i = 0; i < count; i++) {
    const radius = 10 * Math.sqrt(0.5 + i)
    x[i] = radius * Math.cos(i * goldenAngle)
    y[i] = radius * Math.sin(i * goldenAngle)
  }
  return { x, y }
}

type Force = (x: Float64Array, y: Float64Array, vx: Float64Array, vy: Float64Array, alpha: number) => void

/** Links pull or push to their length; a node with many links gives way less. */
function createPull(count: number, { source, target }: Springs): Force {
  const degree = new Float64Array(count)
  for (let i = 0; i < source.length; i++) {
    degree[wholeAt(source, i)] = at(degree, wholeAt(source, i)) + 1
    degree[wholeAt(target, i)] = at(degree, wholeAt(target, i)) + 1
  }
  return (x, y, vx, vy, alpha) => {
    for (let i = 0; i < source.length; i++) {
      const [s, t] = [wholeAt(source, i), wholeAt(target, i)]
      const dx = at(x, t) + at(vx, t) - at(x, s) - at(vx, s) || tiny
      const dy = at(y, t) + at(vy, t) - at(y, s) - at(vy, s) || tiny
      const length = Math.sqrt(dx * dx + dy * dy)
      const [ofSource, ofTarget] = [at(degree, s), at(degree, t)]
      const step = (((length - layoutConstants.linkDistance) / length) * alpha) / Math.min(ofSource, ofTarget)
      const bias = ofSource / (ofSource + ofTarget)
      vx[t] = at(vx, t) - dx * step * bias
      vy[t] = at(vy, t) - dy * step * bias
      vx[s] = at(vx, s) + dx * step * (1 - bias)
      vy[s] = at(vy, s) + dy * step * (1 - bias)
    }
  }
}

/** Tells two nodes on one spot apart. */
const tiny = 1e-6

function centre(x: Float64Array, y: Float64Array): void {
  let [sumX, sumY] = [0, 0]
  for (let i = 0; i < x.length; i++) {
    sumX += at(x, i)
    sumY += at(y, i)
  }
  const [meanX, meanY] = [sumX / x.length, sumY / x.length]
  for (let i = 0; i < x.length; i++) {
    x[i] = at(x, i) - meanX
    y[i] = at(y, i) - meanY
  }
}

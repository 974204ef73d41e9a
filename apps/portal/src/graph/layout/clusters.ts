import { buildGrid } from '#graph/layout/grid.ts'
import { at, wholeAt } from '#graph/layout/constants.ts'

/** Two nodes nearer than this belong together, directly or over others. */
export const clusterDistance = 100

export interface Clusters {
  /** Cluster of each node, the largest being 0. */
  readonly of: Int32Array
  readonly sizes: readonly number[]
}

/** Groups nodes by distance. */
export function clustersOf(x: Float64Array, y: Float64Array): Clusters {
  const parent = Int32Array.from(x, (_, i) => i)
  const root = (i: number): number => {
    let top = i
    while (wholeAt(parent, top) !== top) {
      parent[top] = wholeAt(parent, wholeAt(parent, top))
      top = wholeAt(parent, top)
    }
    return top
  }
  const grid = buildGrid(x, y, clusterDistance / 2)
  for (let i = 0; i < x.length; i++) {
    const [px, py] = [at(x, i), at(y, i)]
    grid.visit(px, py - clusterDistance, px + clusterDistance, py + clusterDistance, (other) => {
      if (other === i) return
      const [a, b] = [root(i), root(other)]
      if (a === b) return
      const [dx, dy] = [at(x, other) - px, at(y, other) - py]
      if (dx * dx + dy * dy < clusterDistance * clusterDistance) parent[Math.max(a, b)] = Math.min(a, b)
    })
  }
  return numbered(Array.from(x, (_, i) => root(i)))
}

/** Roots to numbers, the largest cluster first; of two as large, the one with the earlier node. */
function numbered(roots: readonly number[]): Clusters {
  const sizes = new Map<number, number>()
  for (const root of roots) sizes.set(root, (sizes.get(root) ?? 0) + 1)
  const ranked = [...sizes].toSorted(([a, sizeOfA], [b, sizeOfB]) => sizeOfB - sizeOfA || a - b)
  const number = new Map(ranked.map(([root], index) => [root, index]))
  return { of: Int32Array.from(roots, (root) => number.get(root) ?? 0), sizes: ranked.map(([, size]) => size) }
}

/** The middle of the largest cluster, where the view starts. */
export function startOf(x: Float64Array, y: Float64Array, clusters: Clusters): { x: number; y: number } {
  let [sumX, sumY, size] = [0, 0, 0]
  for (let i = 0; i < x.length; i++) {
    if (wholeAt(clusters.of, i) !== 0) continue
    sumX += at(x, i)
    sumY += at(y, i)
    size++
  }
  return size === 0 ? { x: 0, y: 0 } : { x: sumX / size, y: sumY / size }
}

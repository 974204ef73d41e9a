/** Node positions by force simulation, with the constants of the specification. */
import { forceCenter, forceCollide, forceLink, forceManyBody, forceSimulation } from 'd3-force'
import type { Point } from '#graph/camera.ts'

export const layoutConstants = { ticks: 100, chargeStrength: -80, collisionRadius: 8, alphaDecay: 0.03 } as const

/** Nodes closer than this are in the same cluster, directly or through other nodes. */
export const clusterDistance = 100

/** A link between two nodes, by their index. */
export interface Link {
  readonly source: number
  readonly target: number
}

/** The position of each node. Deterministic: d3-force uses a seeded generator. */
export function computeLayout(count: number, links: readonly Link[]): readonly Point[] {
  const nodes = Array.from({ length: count }, () => ({ x: Number.NaN, y: Number.NaN }))
  forceSimulation(nodes)
    .force('link', forceLink(links.map((link) => ({ ...link })))) // d3 replaces the indexes by nodes
    .force('charge', forceManyBody().strength(layoutConstants.chargeStrength))
    .force('collide', forceCollide(layoutConstants.collisionRadius))
    .force('center', forceCenter())
    .alphaDecay(layoutConstants.alphaDecay)
    .stop()
    .tick(layoutConstants.ticks)
  return nodes.map(({ x, y }) => ({ x, y }))
}

/** The center of the largest cluster. Of two equal ones, the one that contains the earlier node. */
export function centerOfLargestCluster(points: readonly Point[]): Point {
  const largest = clustersOf(points).reduce((a, b) => (b.length > a.length ? b : a), [])
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / (values.length || 1)
  return { x: mean(largest.map(({ x }) => x)), y: mean(largest.map(({ y }) => y)) }
}

function clustersOf(points: readonly Point[]): Point[][] {
  const unvisited = new Set(points)
  const clusters: Point[][] = []
  for (const first of unvisited) {
    unvisited.delete(first)
    const cluster = [first]
    // The loop also visits the points that it appends.
    for (const point of cluster) {
      for (const other of unvisited) {
        if (Math.hypot(other.x - point.x, other.y - point.y) >= clusterDistance) continue
        unvisited.delete(other)
        cluster.push(other)
      }
    }
    clusters.push(cluster)
  }
  return clusters
}

import { forceCenter, forceCollide, forceLink, forceManyBody, forceSimulation } from 'd3-force'
import { describe, expect, it } from 'vitest'
import { clustersOf, startOf } from '#graph/layout/clusters.ts'
import { buildGrid } from '#graph/layout/grid.ts'
import type { Layout, Springs } from '#graph/layout/constants.ts'
import { layOut } from '#graph/layout/simulation.ts'

/** A graph like an account's: few products, many hosts, threats on the products. */
function sample(count: number): Springs {
  let seed = 7
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647
  const [products, hosts] = [Math.round(count * 0.1), Math.round(count * 0.6)]
  const links: [number, number][] = []
  for (let host = 0; host < hosts; host++) {
    for (let n = 0; n < 1 + Math.floor(random() * 2); n++)
      links.push([products + host, Math.floor(products * random() ** 2)])
  }
  for (let threat = products + hosts; threat < count; threat++) links.push([Math.floor(products * random()), threat])
  return { source: Int32Array.from(links, ([s]) => s), target: Int32Array.from(links, ([, t]) => t) }
}

/** The same by d3-force itself. */
function oracle(count: number, { source, target }: Springs): Layout {
  const nodes = Array.from({ length: count }, () => ({ x: Number.NaN, y: Number.NaN }))
  const links = Array.from(source, (s, i) => ({ source: s, target: target[i] ?? 0 }))
  const simulation = forceSimulation(nodes)
    .force('link', forceLink(links))
    .force('charge', forceManyBody().strength(-80))
    .force('collide', forceCollide(8))
    .force('center', forceCenter())
    .alphaDecay(0.03)
    .stop()
  simulation.tick(100)
  return { x: Float64Array.from(nodes, (node) => node.x), y: Float64Array.from(nodes, (node) => node.y) }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const distance = ({ x, y }: Layout, a: number, b: number) =>
  Math.hypot((x[a] ?? 0) - (x[b] ?? 0), (y[a] ?? 0) - (y[b] ?? 0))
const linkLength = (layout: Layout, { source, target }: Springs) =>
  mean(Array.from(source, (s, i) => distance(layout, s, target[i] ?? 0)))
const radius = ({ x, y }: Layout) => mean(Array.from(x, (value, i) => Math.hypot(value, y[i] ?? 0)))

describe('the layout', () => {
  it.each([300, 900])(
    'of %i nodes is what d3-force makes of them, to one in a hundred',
    (count) => {
      const springs = sample(count)
      const [ours, theirs] = [layOut(count, springs), oracle(count, springs)]
      expect(Math.abs(linkLength(ours, springs) / linkLength(theirs, springs) - 1)).toBeLessThan(0.01)
      expect(Math.abs(radius(ours) / radius(theirs) - 1)).toBeLessThan(0.01)
    },
    30_000,
  )

  it('is the same each time', () => {
    expect(layOut(200, sample(200))).toEqual(layOut(200, sample(200)))
  })

  it('is centred and keeps nodes apart', () => {
    const layout = layOut(300, sample(300))
    expect(mean([...layout.x])).toBeCloseTo(0, 0)
    const gaps = Array.from(layout.x, (_, i) =>
      Math.min(...Array.from(layout.x, (__, j) => (i === j ? Infinity : distance(layout, i, j)))),
    )
    expect(mean(gaps)).toBeGreaterThan(12)
  })

  it.each([0, 1, 2])('takes %i nodes', (count) => {
    const { x } = layOut(count, { source: new Int32Array(), target: new Int32Array() })
    expect([...x].every(Number.isFinite)).toBe(true)
    expect(x).toHaveLength(count)
  })

  it('separates nodes that begin on one spot', () => {
    const { x, y } = layOut(2, { source: Int32Array.of(0, 0), target: Int32Array.of(1, 0) })
    expect(Math.hypot((x[0] ?? 0) - (x[1] ?? 0), (y[0] ?? 0) - (y[1] ?? 0))).toBeGreaterThan(10)
  })
})

describe('clusters', () => {
  const x = Float64Array.of(0, 99, 198, 500, 560, 5000)
  const y = new Float64Array(6)
  it('join what is nearer than 100, over others too, the largest first', () => {
    const clusters = clustersOf(x, y)
    expect([...clusters.of]).toEqual([0, 0, 0, 1, 1, 2])
    expect(clusters.sizes).toEqual([3, 2, 1])
    expect(startOf(x, y, clusters)).toEqual({ x: 99, y: 0 })
  })
  it('do not join at exactly 100', () => {
    expect(clustersOf(Float64Array.of(0, 100), new Float64Array(2)).sizes).toEqual([1, 1])
  })
})

it('a grid finds every point of a box', () => {
  const [x, y] = [
    Float64Array.from({ length: 500 }, (_, i) => (i * 37) % 211),
    Float64Array.from({ length: 500 }, (_, i) => (i * 53) % 197),
  ]
  const found = new Set<number>()
  buildGrid(x, y, 20).visit(30, 40, 90, 77, (point) => found.add(point))
  for (let i = 0; i < 500; i++) {
    const isInside = (x[i] ?? 0) >= 30 && (x[i] ?? 0) <= 90 && (y[i] ?? 0) >= 40 && (y[i] ?? 0) <= 77
    if (isInside) expect(found.has(i)).toBe(true)
  }
  expect(found.size).toBeLessThan(200)
})

import type { GraphNode } from '@glacis/contract/insights'
import { describe, expect, it } from 'vitest'
import { type Camera, fit, panBy, toLayout, toScreen, wheelFactor, zoomAt, maxZoom, minZoom } from '#graph/camera.ts'
import { placeLabels, textStart } from '#graph/labels.ts'
import { nodesByDegree, affectedProducts, toMapGraph, isOutlined } from '#graph/model.ts'
import { visibleNodes, nodeAt } from '#graph/renderer.ts'
import { activeFilterCount, ecosystemInput } from '#graph/search.ts'

const size = { width: 800, height: 600 }
const camera: Camera = { x: 10, y: -20, scale: 1 }

describe('the camera', () => {
  it('converts between layout and screen coordinates', () => {
    const point = { x: 123, y: -45 }
    const there = toLayout(camera, size, toScreen(camera, size, point))
    expect([there.x, there.y]).toEqual([point.x, point.y])
  })
  it('keeps the point under the pointer in place while zooming', () => {
    const screen = { x: 700, y: 80 }
    const before = toLayout(camera, size, screen)
    const after = toLayout(zoomAt(camera, size, screen, 1.1), size, screen)
    expect([after.x, after.y]).toEqual([expect.closeTo(before.x), expect.closeTo(before.y)])
  })
  it.each([
    [100, maxZoom],
    [0.001, minZoom],
  ])('limits the scale', (factor, scale) => {
    expect(zoomAt(camera, size, { x: 0, y: 0 }, factor).scale).toBe(scale)
  })
  it.each([
    [{ deltaY: -120, deltaMode: 0, ctrlKey: false }, 1.1],
    [{ deltaY: 120, deltaMode: 0, ctrlKey: false }, 1 / 1.1],
    [{ deltaY: -1, deltaMode: 1, ctrlKey: false }, 1.1],
    [{ deltaY: -3, deltaMode: 0, ctrlKey: false }, 1.02],
    [{ deltaY: -120, deltaMode: 0, ctrlKey: true }, 1.02],
    [{ deltaY: 0, deltaMode: 0, ctrlKey: false }, 1],
  ])('zooms by 10 percent per notch and 2 percent for fine input: %j', (event, factor) => {
    expect(wheelFactor(event)).toBe(factor)
  })
  it('pans with the pointer', () => {
    expect(panBy({ ...camera, scale: 2 }, 10, 20)).toEqual({ x: 5, y: -30, scale: 2 })
  })
  it('fits all points without magnifying', () => {
    const corners = (x: number, y: number) => [
      { x: 0, y: 0 },
      { x, y },
    ]
    expect(fit(corners(10, 10), size)).toEqual({ x: 5, y: 5, scale: 1 })
    expect(fit(corners(1408, 10), size).scale).toBe(0.5)
    expect(fit([], size)).toEqual({ x: 0, y: 0, scale: 1 })
  })
})

describe('labels', () => {
  it('do not overlap, and the first is always placed', () => {
    const wanted = Array.from({ length: 20 }, (_, i) => ({
      at: { x: 100, y: 100 + i },
      width: 60,
      gap: 14,
      text: String(i),
    }))
    const labels = placeLabels(wanted, { points: [], radius: 7 })
    expect(labels[0]?.text).toBe('0')
    for (const [i, a] of labels.entries()) {
      for (const b of labels.slice(i + 1)) {
        const [first, second] = [textStart(a), textStart(b)]
        expect(Math.abs(first.x - second.x) >= 60 || Math.abs(first.y - second.y) >= 16).toBe(true)
      }
    }
  })
  it('prefer a side that covers no node', () => {
    const label = { at: { x: 100, y: 100 }, width: 50, gap: 14, text: 'a' }
    expect(placeLabels([label], { points: [{ x: 140, y: 100 }], radius: 7 })[0]?.side).toBe('left')
  })
  it('are skipped if they would cover a node, unless they are the first or have to be shown', () => {
    const around = [14, 40].flatMap((d) => [d, -d].flatMap((x) => [d, -d].map((y) => ({ x: 400 + x, y: 300 + y }))))
    const points = [
      ...around,
      ...[20, -20].flatMap((d) => [
        { x: 400 + d, y: 300 },
        { x: 400, y: 300 + d },
      ]),
    ]
    const wanted = [200, 400].map((x) => ({ at: { x, y: 300 }, width: 50, gap: 14, text: String(x) }))
    const texts = (isStrict: boolean) =>
      placeLabels(wanted, { points, radius: 7 }, size, isStrict).map(({ text }) => text)
    expect(texts(true)).toEqual(['200'])
    expect(texts(false)).toEqual(['200', '400'])
  })
  it.each([
    [{ x: 790, y: 300 }, 'left'],
    [{ x: 40, y: 300 }, 'right'],
    [{ x: 400, y: 590 }, 'above'],
  ])('of a node at %j are placed %s, where they fit in the view', (at, side) => {
    const near = [14, 60, 100].flatMap((d) => [d, -d].map((x) => ({ x: at.x + x, y: at.y })))
    expect(placeLabels([{ at, width: 120, gap: 14, text: 'a' }], { points: near, radius: 7 }, size)[0]?.side).toBe(side)
  })
})

const response = {
  nodes: [
    { id: 'p', name: 'nginx', kind: 'KIND_PRODUCT' },
    { id: 'h', name: 'web', kind: 'KIND_HOST' },
    { id: 't', name: 'CVE-2024-1', kind: 'KIND_THREAT' },
    { id: 'x', name: 'news', kind: 'KIND_TOMORROW' },
  ],
  links: [
    { sourceNodeId: 'h', targetNodeId: 'p' },
    { sourceNodeId: 'p', targetNodeId: 't' },
    { sourceNodeId: 'p', targetNodeId: 'nowhere' },
  ],
}

describe('the graph', () => {
  it('drops links with a missing endpoint and maps unknown kinds to other', () => {
    const graph = toMapGraph(response)
    expect(graph.links).toEqual([
      { source: 1, target: 0 },
      { source: 0, target: 2 },
    ])
    expect(graph.nodes.map(({ kind, linked }) => [kind, linked])).toEqual([
      ['product', [1, 2]],
      ['host', [0]],
      ['threat', [0]],
      ['other', []],
    ])
  })
  it('omits hidden kinds and their links', () => {
    const graph = toMapGraph(response, ['product'])
    expect(graph.nodes.map(({ id }) => id)).toEqual(['h', 't', 'x'])
    expect(graph.links).toEqual([])
  })
  it('outlines threats below high severity', () => {
    const threat = (severity: GraphNode['severity']) => ({
      id: String(severity),
      name: 'x',
      kind: 'KIND_THREAT',
      severity,
    })
    const severities = ['CATEGORY_CRITICAL', 'CATEGORY_HIGH', 'CATEGORY_MEDIUM', 'CATEGORY_LOW', undefined] as const
    const { nodes } = toMapGraph({ nodes: severities.map(threat), links: [] })
    expect(nodes.map(isOutlined)).toEqual([false, false, true, true, false])
  })
  it('ranks nodes by links and products by threats', () => {
    const graph = toMapGraph(response)
    expect(nodesByDegree(graph)[0]).toBe(0)
    expect(affectedProducts(graph)).toEqual([{ index: 0, threats: 1, hosts: 1 }])
  })
})

it('finds the nearest node under the pointer, and the visible nodes', () => {
  const points = [
    { x: 0, y: 0 },
    { x: 8, y: 0 },
    { x: 2000, y: 0 },
    { x: 0, y: 900 },
  ]
  const scene = { graph: toMapGraph(response), points }
  expect(nodeAt(scene, { x: 6, y: 1 }, 10)).toBe(1)
  expect(nodeAt(scene, { x: 30, y: 30 }, 10)).toBeNull()
  expect(visibleNodes(scene, { x: 0, y: 0, scale: 1 }, size)).toEqual([0, 1])
})

it('requests open, verified threats by default', () => {
  expect(ecosystemInput({}).filter).toMatchObject({
    status: ['STATUS_FILTER_OPEN'],
    verification: 'VERIFICATION_FILTER_VERIFIED',
  })
  expect(ecosystemInput({ verification: 'all', severity: ['high'] }).filter).toMatchObject({
    verification: 'VERIFICATION_FILTER_ALL',
    severities: ['CATEGORY_HIGH'],
  })
  expect([activeFilterCount({}), activeFilterCount({ kev: true, target: 'a', hide: ['host'] })]).toEqual([0, 2])
})

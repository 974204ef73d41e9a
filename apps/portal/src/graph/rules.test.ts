import { describe, expect, it } from 'vitest'
import { type Camera, fit, panBy, toPlane, toScreen, wheelFactor, zoomAt, zoomMax, zoomMin } from '#graph/camera.ts'
import { placeLabels, textStart } from '#graph/labels.ts'
import { byDegree, levers, toMapGraph } from '#graph/model.ts'
import { createScene, inSight, nodeAt } from '#graph/renderer.ts'
import { activeFilters, ecosystemInput } from '#graph/search.ts'

const size = { width: 800, height: 600 }
const camera: Camera = { x: 10, y: -20, scale: 1 }

describe('the camera', () => {
  it('goes from the plane to the screen and back', () => {
    const point = { x: 123, y: -45 }
    const there = toPlane(camera, size, toScreen(camera, size, point))
    expect([there.x, there.y]).toEqual([point.x, point.y])
  })
  it('keeps what is under the pointer there while it zooms', () => {
    const screen = { x: 700, y: 80 }
    const before = toPlane(camera, size, screen)
    const after = toPlane(zoomAt(camera, size, screen, 1.1), size, screen)
    expect([after.x, after.y]).toEqual([expect.closeTo(before.x), expect.closeTo(before.y)])
  })
  it.each([
    [100, zoomMax],
    [0.001, zoomMin],
  ])('stops at its bounds', (factor, scale) => {
    expect(zoomAt(camera, size, { x: 0, y: 0 }, factor).scale).toBe(scale)
  })
  it.each([
    [{ deltaY: -120, deltaMode: 0, ctrlKey: false }, 1.1],
    [{ deltaY: 120, deltaMode: 0, ctrlKey: false }, 1 / 1.1],
    [{ deltaY: -1, deltaMode: 1, ctrlKey: false }, 1.1],
    [{ deltaY: -3, deltaMode: 0, ctrlKey: false }, 1.02],
    [{ deltaY: -120, deltaMode: 0, ctrlKey: true }, 1.02],
    [{ deltaY: 0, deltaMode: 0, ctrlKey: false }, 1],
  ])('zooms by 10 percent, finely by 2: %j', (event, factor) => {
    expect(wheelFactor(event)).toBe(factor)
  })
  it('moves the picture with the pointer', () => {
    expect(panBy({ ...camera, scale: 2 }, 10, 20)).toEqual({ x: 5, y: -30, scale: 2 })
  })
  it('fits everything, but never magnifies', () => {
    expect(fit({ left: 0, top: 0, right: 10, bottom: 10 }, size)).toEqual({ x: 5, y: 5, scale: 1 })
    expect(fit({ left: 0, top: 0, right: 1408, bottom: 10 }, size).scale).toBe(0.5)
  })
})

describe('labels', () => {
  it('do not cover each other, and the first always gets a place', () => {
    const wanted = Array.from({ length: 20 }, (_, i) => ({ at: { x: 100, y: 100 + i }, width: 60, text: String(i) }))
    const labels = placeLabels(wanted, [])
    expect(labels[0]?.text).toBe('0')
    for (const [i, a] of labels.entries()) {
      for (const b of labels.slice(i + 1)) {
        const [one, other] = [textStart(a), textStart(b)]
        expect(Math.abs(one.x - other.x) >= 60 || Math.abs(one.y - other.y) >= 16).toBe(true)
      }
    }
  })
  it('take the side where no node is in the way', () => {
    expect(placeLabels([{ at: { x: 100, y: 100 }, width: 50, text: 'a' }], [{ x: 140, y: 100 }])[0]?.side).toBe('left')
  })
  it.each([
    [{ x: 790, y: 300 }, 'left'],
    [{ x: 40, y: 300 }, 'right'],
    [{ x: 400, y: 590 }, 'above'],
  ])('of a node at %j stand %s, where they are whole', (at, side) => {
    const near = [14, 60, 100].flatMap((d) => [d, -d].map((x) => ({ x: at.x + x, y: at.y })))
    expect(placeLabels([{ at, width: 120, text: 'a' }], near, size)[0]?.side).toBe(side)
  })
})

const answer = {
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
  it('drops links with a missing end and takes any other kind for other', () => {
    const graph = toMapGraph(answer)
    expect([...graph.springs.source]).toEqual([1, 0])
    expect(graph.nodes.map(({ kind, linked }) => [kind, linked])).toEqual([
      ['product', [1, 2]],
      ['host', [0]],
      ['threat', [0]],
      ['other', []],
    ])
  })
  it('leaves out hidden kinds with their links', () => {
    const graph = toMapGraph(answer, ['product'])
    expect(graph.nodes.map(({ id }) => id)).toEqual(['h', 't', 'x'])
    expect(graph.springs.source).toHaveLength(0)
  })
  it('ranks nodes by their links and products by the threats they carry', () => {
    const graph = toMapGraph(answer)
    expect(byDegree(graph)[0]).toBe(0)
    expect(levers(graph)).toEqual([{ index: 0, threats: 1, hosts: 1 }])
  })
})

it('finds the nearest node under the pointer, and what is in sight', () => {
  const scene = createScene(toMapGraph(answer), Float64Array.of(0, 8, 2000, 0), Float64Array.of(0, 0, 0, 900))
  expect(nodeAt(scene, { x: 6, y: 1 }, 10)).toBe(1)
  expect(nodeAt(scene, { x: 30, y: 30 }, 10)).toBeNull()
  expect(inSight(scene, { x: 0, y: 0, scale: 1 }, size)).toEqual([0, 1])
})

it('asks for open verified threats unless the address says otherwise', () => {
  expect(ecosystemInput({}).filter).toMatchObject({
    status: ['STATUS_FILTER_OPEN'],
    verification: 'VERIFICATION_FILTER_VERIFIED',
  })
  expect(ecosystemInput({ verification: 'all', severity: ['high'] }).filter).toMatchObject({
    verification: 'VERIFICATION_FILTER_ALL',
    severities: ['CATEGORY_HIGH'],
  })
  expect([activeFilters({}), activeFilters({ kev: true, target: 'a', hide: ['host'] })]).toEqual([0, 2])
})

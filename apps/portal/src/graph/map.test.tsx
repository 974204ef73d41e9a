import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { maxZoom, minZoom } from '#graph/camera.ts'
import { createMap, type MapController } from '#graph/controller.ts'
import { clusterDistance } from '#graph/layout.ts'
import { Legend } from '#graph/legend.tsx'
import { toMapGraph } from '#graph/model.ts'
import type { Palette } from '#graph/palette.ts'
import { drawFrame, visibleNodes } from '#graph/renderer.ts'
import { nodeRadius } from '#graph/shapes.ts'

const size = { width: 800, height: 600 }
const graph = toMapGraph({
  nodes: [
    { id: 'p', name: 'nginx', kind: 'KIND_PRODUCT' },
    { id: 'h', name: 'web', kind: 'KIND_HOST' },
    { id: 't', name: 'CVE-2024-1', kind: 'KIND_THREAT' },
    { id: 'x', name: 'news', kind: 'KIND_TOMORROW' },
  ],
  links: [
    { sourceNodeId: 'h', targetNodeId: 'p' },
    { sourceNodeId: 'p', targetNodeId: 't' },
  ],
})
const points = [
  { x: 0, y: 0 },
  { x: 100, y: 0 },
  { x: -100, y: 50 },
  { x: 200, y: 90 },
]
const scene = { graph, points }
const palette: Palette = {
  product: 'violet',
  host: 'blue',
  threat: 'red',
  other: 'gray',
  canvas: 'white',
  link: 'silver',
  strongLink: 'black',
  text: 'ink',
  font: 'sans',
}

/** A canvas that records what is drawn on it: labels, and lines and areas with their colors. */
function recordingCanvas() {
  const [names, lines, areas] = [new Map<string, number>(), [] as string[], [] as string[]]
  let points = 0
  const context = {
    strokeStyle: '',
    fillStyle: '',
    globalAlpha: 1,
    lineWidth: 1,
    font: '',
    lineJoin: '',
    textBaseline: '',
    setTransform() {},
    clearRect() {},
    fillRect() {},
    closePath() {},
    roundRect() {},
    arc() {},
    strokeText() {},
    measureText: (text: string) => ({ width: text.length * 6 }),
    fillText: (text: string, x: number) => void names.set(text, x),
    beginPath: () => void (points = 0),
    moveTo() {},
    lineTo: () => void points++,
    stroke: () => void lines.push(`${context.strokeStyle} ${points}`),
    fill: () => void areas.push(context.fillStyle),
  }
  return { context: context as unknown as CanvasRenderingContext2D, names, lines, areas }
}

describe('drawFrame', () => {
  const draw = (active: number | null, scale = 1) => {
    const notes = recordingCanvas()
    const camera = { x: 0, y: 0, scale }
    drawFrame(notes.context, scene, { camera, size, ratio: 1, palette, active }, visibleNodes(scene, camera, size))
    return notes
  }
  it('names all of a few nodes, and draws unknown kinds in gray', () => {
    const { names, areas } = draw(null)
    expect([...names.keys()].toSorted()).toEqual(['CVE-2024-1', 'news', 'nginx', 'web'])
    expect(new Set(areas)).toEqual(new Set(['gray', 'blue', 'violet', 'red']))
  })
  it('names none of many nodes', () => {
    const notes = recordingCanvas()
    const camera = { x: 0, y: 0, scale: 1 }
    const nodes = Array.from({ length: 61 }, () => 0)
    drawFrame(notes.context, scene, { camera, size, ratio: 1, palette, active: null }, nodes)
    expect([...notes.names.keys()]).toEqual([])
  })
  it('labels only the active node and its neighbors, and highlights its links', () => {
    const { names, lines } = draw(0)
    expect([...names.keys()].toSorted()).toEqual(['CVE-2024-1', 'nginx', 'web'])
    expect(lines).toContain('black 2')
  })
  it('labels only the active node if it has no neighbors', () => {
    expect([...draw(3).names.keys()]).toEqual(['news'])
  })
  it.each([1, maxZoom])('keeps labels off the markers and the ring at scale %d', (scale) => {
    const centerX = size.width / 2
    expect(draw(null, scale).names.get('nginx')).toBeGreaterThan(centerX + nodeRadius * scale)
    expect(draw(0, scale).names.get('nginx')).toBeGreaterThan(centerX + 11 * scale)
  })
})

describe('pointer input', () => {
  const notes = recordingCanvas()
  const onPick = vi.fn()
  let canvas: HTMLCanvasElement
  let map: MapController
  beforeEach(() => {
    onPick.mockClear()
    canvas = document.createElement('canvas')
    Object.defineProperties(canvas, { clientWidth: { value: size.width }, clientHeight: { value: size.height } })
    canvas.getContext = (() => notes.context) as unknown as typeof canvas.getContext
    document.body.append(canvas)
    map = createMap(canvas, scene, { x: 0, y: 0 }, { onPick })
  })
  afterEach(() => {
    map.close()
    canvas.remove()
  })
  const at = (x: number, y: number) => ({ pointerId: 1, pointerType: 'mouse', clientX: x, clientY: y })
  const send = (type: string, x: number, y: number) => canvas.dispatchEvent(new PointerEvent(type, at(x, y)))

  it('starts at scale 1', () => {
    expect(canvas.dataset['scale']).toBe('1.000')
  })
  it('picks the clicked node, or null for the background', () => {
    for (const [x, y] of [
      [502, 301],
      [20, 20],
    ] as const) {
      send('pointerdown', x, y)
      send('pointerup', x, y)
    }
    expect(onPick.mock.calls).toEqual([[1], [null]])
  })
  it('picks nothing after panning', () => {
    send('pointerdown', 502, 301)
    send('pointermove', 560, 301)
    send('pointerup', 560, 301)
    expect(onPick).not.toHaveBeenCalled()
  })
  it('shows a pointer cursor over nodes', () => {
    send('pointermove', 400, 300)
    expect(canvas.style.cursor).toBe('pointer')
    send('pointermove', 20, 20)
    expect(canvas.style.cursor).toBe('')
  })
  it('zooms with the wheel', () => {
    canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -120 }))
    expect(canvas.dataset['scale']).toBe('1.100')
  })
})

it('uses the constants of the specification', () => {
  expect([minZoom, maxZoom, clusterDistance, nodeRadius]).toEqual([0.2, 3, 100, 6])
})

it('shows and hides the legend, and remembers the choice', async () => {
  localStorage.setItem('glacis.map-legend', 'true')
  const counts = { product: 1, host: 2, threat: 3, other: 0 }
  const legend = <Legend counts={counts} hidden={[]} onToggle={() => {}} />
  render(legend)
  const kinds = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent)
  expect(kinds()).toEqual(['Product1', 'Host2', 'Threat3'])
  await userEvent.click(screen.getByRole('button', { name: 'Hide legend' }))
  expect(kinds()).toEqual([])
  cleanup()
  render(legend)
  await userEvent.click(screen.getByRole('button', { name: 'Show legend' }))
  expect(kinds()).toHaveLength(3)
  cleanup()
})

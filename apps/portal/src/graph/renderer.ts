/**
 * Draws the map. A picture with few things in sight is drawn anew for each frame. With many, the frame
 * is a copy of the last whole picture, moved and scaled, while a new one is made in slices beside it:
 * so a frame costs the same however large the graph is.
 */
import { type Camera, type Point, type Size, toPlane, toScreen } from '#graph/camera.ts'
import { placeLabels, textStart } from '#graph/labels.ts'
import { buildGrid, type Grid } from '#graph/layout/grid.ts'
import type { Kind, MapGraph } from '#graph/model.ts'
import type { Palette } from '#graph/palette.ts'
import { drawNodes, nodeRadius, traceNode } from '#graph/shapes.ts'

export interface Scene {
  readonly graph: MapGraph
  readonly x: Float64Array
  readonly y: Float64Array
  readonly grid: Grid
}

export function createScene(graph: MapGraph, x: Float64Array, y: Float64Array): Scene {
  return { graph, x, y, grid: buildGrid(x, y, 60) }
}

/** The node under a point of the plane, the nearest within reach of a finger or a pointer. */
export function nodeAt({ grid, x, y }: Scene, { x: px, y: py }: Point, reach: number): number | null {
  let [best, nearest] = [reach * reach, -1]
  grid.visit(px - reach, py - reach, px + reach, py + reach, (node) => {
    const squared = ((x[node] ?? 0) - px) ** 2 + ((y[node] ?? 0) - py) ** 2
    if (squared > best) return
    best = squared
    nearest = node
  })
  return nearest < 0 ? null : nearest
}

export interface Frame {
  readonly camera: Camera
  readonly size: Size
  readonly ratio: number
  readonly palette: Palette
  /** The node that the pointer or the focus is on. */
  readonly active: number | null
  /** Over a ground of its own; on the page the ground shows through. */
  readonly isOpaque?: boolean
}

type Canvas = CanvasRenderingContext2D

/** Things in sight up to which a frame draws them itself. */
export const directMax = 2500
/** Nodes so far beyond the edge still send their links across the picture, in pixels. */
const linkMargin = 150
/** A slice of the picture that is made beside the frames. */
const sliceMs = 6

/** Everything that lies in sight of a camera. */
export function inSight({ grid, x, y }: Scene, camera: Camera, size: Size, margin = linkMargin): number[] {
  const topLeft = toPlane(camera, size, { x: -margin, y: -margin })
  const bottomRight = toPlane(camera, size, { x: size.width + margin, y: size.height + margin })
  const nodes: number[] = []
  grid.visit(topLeft.x, topLeft.y, bottomRight.x, bottomRight.y, (node) => {
    const isIn =
      (x[node] ?? 0) >= topLeft.x &&
      (x[node] ?? 0) <= bottomRight.x &&
      (y[node] ?? 0) >= topLeft.y &&
      (y[node] ?? 0) <= bottomRight.y
    if (isIn) nodes.push(node)
  })
  return nodes
}

/** Draws one frame from scratch: links, nodes, and what the active node lights up. */
export function drawFrame(context: Canvas, scene: Scene, frame: Frame, nodes: readonly number[]): void {
  begin(context, frame)
  const { active } = frame
  context.globalAlpha = active === null ? 1 : 0.6
  strokeLinks(context, scene, frame, nodes)
  context.globalAlpha = active === null ? 1 : 0.34
  drawKinds(context, scene, frame, nodes)
  context.globalAlpha = 1
  drawActive(context, scene, frame)
}

function begin(context: Canvas, { ratio, size, palette, isOpaque = false }: Frame): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.globalAlpha = 1
  context.clearRect(0, 0, size.width, size.height)
  if (!isOpaque) return
  context.fillStyle = palette.canvas
  context.fillRect(0, 0, size.width, size.height)
}

/** Each link once: from the end with the smaller number, or from the end that is in sight. */
function strokeLinks(context: Canvas, scene: Scene, frame: Frame, nodes: readonly number[]): void {
  const { camera, size } = frame
  context.strokeStyle = frame.palette.link
  context.lineWidth = 1
  context.beginPath()
  traceLinks(context, scene, camera, size, nodes)
  context.stroke()
}

function traceLinks(
  context: Canvas,
  { graph, x, y }: Scene,
  camera: Camera,
  size: Size,
  nodes: readonly number[],
): void {
  const [dx, dy] = [size.width / 2 - camera.x * camera.scale, size.height / 2 - camera.y * camera.scale]
  for (const node of nodes) {
    const [fromX, fromY] = [(x[node] ?? 0) * camera.scale + dx, (y[node] ?? 0) * camera.scale + dy]
    for (const other of graph.nodes[node]?.linked ?? []) {
      const [toX, toY] = [(x[other] ?? 0) * camera.scale + dx, (y[other] ?? 0) * camera.scale + dy]
      const isOut =
        toX < -linkMargin || toY < -linkMargin || toX > size.width + linkMargin || toY > size.height + linkMargin
      if (other < node && !isOut) continue
      context.moveTo(fromX, fromY)
      context.lineTo(toX, toY)
    }
  }
}

function drawKinds(
  context: Canvas,
  { graph, x, y }: Scene,
  { camera, size, palette }: Frame,
  nodes: readonly number[],
): void {
  const points: Record<Kind, number[]> = { product: [], host: [], threat: [], other: [] }
  for (const node of nodes) {
    const { x: sx, y: sy } = toScreen(camera, size, { x: x[node] ?? 0, y: y[node] ?? 0 })
    points[graph.nodes[node]?.kind ?? 'other'].push(sx, sy)
  }
  for (const kind of ['other', 'host', 'product', 'threat'] as const) {
    drawNodes(context, kind, points[kind], camera.scale, palette)
  }
}

/** The node with its ring, its links, its neighbours, and their names. */
export function drawActive(context: Canvas, { graph, x, y }: Scene, { active, camera, size, palette }: Frame): void {
  const node = active === null ? undefined : graph.nodes[active]
  if (active === null || !node) return
  const place = (index: number) => toScreen(camera, size, { x: x[index] ?? 0, y: y[index] ?? 0 })
  const here = place(active)
  context.strokeStyle = palette.strongLink
  context.lineWidth = 1.5
  context.beginPath()
  for (const other of node.linked) {
    const there = place(other)
    context.moveTo(here.x, here.y)
    context.lineTo(there.x, there.y)
  }
  context.stroke()
  const lit = [active, ...node.linked]
  for (const index of lit) {
    const kind = graph.nodes[index]?.kind ?? 'other'
    context.fillStyle = palette[kind]
    context.beginPath()
    const spot = place(index)
    traceNode(context, kind, spot.x, spot.y, Math.max(4, nodeRadius * camera.scale))
    context.fill()
  }
  context.strokeStyle = palette[node.kind]
  context.lineWidth = 2
  context.beginPath()
  context.arc(here.x, here.y, 11 * Math.max(1, camera.scale), 0, 2 * Math.PI)
  context.stroke()
  drawNames(context, { graph, lit, place, palette, size })
}

interface Names {
  readonly graph: MapGraph
  readonly lit: readonly number[]
  readonly place: (index: number) => Point
  readonly palette: Palette
  readonly size: Size
}

/** A node with a hundred neighbours names those that fit. */
const namesMax = 60

function drawNames(context: Canvas, { graph, lit, place, palette, size }: Names): void {
  context.textBaseline = 'middle'
  const wanted = lit.slice(0, namesMax).flatMap((index, order) => {
    const [at, name] = [place(index), graph.nodes[index]?.name ?? '']
    if (at.x < 0 || at.y < 0 || at.x > size.width || at.y > size.height) return []
    context.font = fontOf(order === 0, palette)
    const text = name.length > 48 ? `${name.slice(0, 47)}…` : name
    return [{ at, text, width: context.measureText(text).width }]
  })
  const first = wanted[0]
  for (const label of placeLabels(wanted, lit.map(place), size)) {
    context.font = fontOf(label.text === first?.text && label.at === first.at, palette)
    const start = textStart(label)
    context.lineWidth = 4
    context.lineJoin = 'round'
    context.strokeStyle = palette.canvas
    context.strokeText(label.text, start.x, start.y)
    context.fillStyle = palette.text
    context.fillText(label.text, start.x, start.y)
  }
}

const fontOf = (isStrong: boolean, { font }: Palette) => `${isStrong ? 600 : 500} 12px ${font}`

/** A whole picture that is made in slices. */
export interface Making {
  /** Goes on for a few milliseconds; true once it is whole. */
  step(): boolean
}

export function makePicture(context: Canvas, scene: Scene, frame: Frame): Making {
  const nodes = inSight(scene, frame.camera, frame.size)
  let [link, dot] = [0, 0]
  begin(context, frame)
  return {
    step() {
      const until = performance.now() + sliceMs
      while (link < nodes.length && performance.now() < until) {
        strokeLinks(context, scene, frame, nodes.slice(link, (link += 250)))
      }
      while (link >= nodes.length && dot < nodes.length && performance.now() < until) {
        drawKinds(context, scene, frame, nodes.slice(dot, (dot += 500)))
      }
      return link >= nodes.length && dot >= nodes.length
    },
  }
}

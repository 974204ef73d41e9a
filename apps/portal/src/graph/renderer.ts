/** Draws the map. The API returns at most 2,000 nodes, so each frame draws everything in view. */
import { type Camera, type Point, type Size, toLayout, toScreen } from '#graph/camera.ts'
import { placeLabels, textStart } from '#graph/labels.ts'
import { isOutlined, type Kind, type MapGraph } from '#graph/model.ts'
import type { Palette } from '#graph/palette.ts'
import { drawNodes, nodeRadius } from '#graph/shapes.ts'

export interface Scene {
  readonly graph: MapGraph
  /** The position of each node. */
  readonly points: readonly Point[]
}

/** The node nearest to a layout point within `reach`, if any. */
export function nodeAt({ points }: Scene, { x, y }: Point, reach: number): number | null {
  let [nearest, nearestDistance] = [null as number | null, reach]
  for (const [node, point] of points.entries()) {
    const distance = Math.hypot(point.x - x, point.y - y)
    if (distance > nearestDistance) continue
    nearest = node
    nearestDistance = distance
  }
  return nearest
}

export interface Frame {
  readonly camera: Camera
  readonly size: Size
  readonly ratio: number
  readonly palette: Palette
  /** The hovered or selected node. */
  readonly active: number | null
  /** Fills the background, for export. On the page, the canvas is transparent. */
  readonly isOpaque?: boolean
}

type Canvas = CanvasRenderingContext2D

/** In pixels. */
const activeRadiusMin = 4

/** Distance outside the view, in pixels, within which nodes are drawn because their shape can reach into it. */
const edgeMarginPx = 30

/** The nodes in view, including those just outside the edge. */
export function visibleNodes({ points }: Scene, camera: Camera, size: Size): number[] {
  const topLeft = toLayout(camera, size, { x: -edgeMarginPx, y: -edgeMarginPx })
  const bottomRight = toLayout(camera, size, { x: size.width + edgeMarginPx, y: size.height + edgeMarginPx })
  return [...points.keys()].filter((node) => {
    const { x, y } = points[node] ?? topLeft
    return x >= topLeft.x && x <= bottomRight.x && y >= topLeft.y && y <= bottomRight.y
  })
}

/** Draws one frame: links, nodes, and the highlighted node with its neighbors, or the names of all nodes if they are few. */
export function drawFrame(context: Canvas, scene: Scene, frame: Frame, nodes: readonly number[]): void {
  clear(context, frame)
  const { active } = frame
  context.globalAlpha = active === null ? 1 : 0.6
  strokeLinks(context, scene, frame)
  context.globalAlpha = active === null ? 1 : 0.34
  drawKinds(context, scene, frame, nodes)
  context.globalAlpha = 1
  if (active !== null) drawActive(context, scene, frame)
  else if (nodes.length <= maxLabels) drawNames(context, scene, frame, nodes)
}

/** The most connected nodes are named first. */
function drawNames(context: Canvas, { graph, points }: Scene, frame: Frame, nodes: readonly number[]): void {
  const { camera, size, palette } = frame
  const links = (node: number) => graph.nodes[node]?.linked.length ?? 0
  const named = nodes.toSorted((a, b) => links(b) - links(a))
  const positionOf = (index: number) => toScreen(camera, size, points[index] ?? camera)
  drawLabels(context, { graph, named, positionOf, camera, palette, size })
}

function clear(context: Canvas, { ratio, size, palette, isOpaque = false }: Frame): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.globalAlpha = 1
  context.clearRect(0, 0, size.width, size.height)
  if (!isOpaque) return
  context.fillStyle = palette.canvas
  context.fillRect(0, 0, size.width, size.height)
}

function strokeLinks(context: Canvas, { graph, points }: Scene, { camera, size, palette }: Frame): void {
  context.strokeStyle = palette.link
  context.lineWidth = 1
  context.beginPath()
  for (const { source, target } of graph.links) {
    const [start, end] = [points[source], points[target]]
    if (!start || !end) continue
    const [from, to] = [toScreen(camera, size, start), toScreen(camera, size, end)]
    context.moveTo(from.x, from.y)
    context.lineTo(to.x, to.y)
  }
  context.stroke()
}

function drawKinds(
  context: Canvas,
  { graph, points }: Scene,
  { camera, size, palette }: Frame,
  nodes: readonly number[],
): void {
  const pointsByKind: Record<Kind, Point[]> = { product: [], host: [], threat: [], other: [] }
  const outlined: Point[] = []
  for (const index of nodes) {
    const [node, point] = [graph.nodes[index], points[index]]
    if (!node || !point) continue
    const list = isOutlined(node) ? outlined : pointsByKind[node.kind]
    list.push(toScreen(camera, size, point))
  }
  for (const kind of ['other', 'host', 'product'] as const)
    drawNodes(context, kind, pointsByKind[kind], camera.scale, palette)
  if (outlined.length > 0) drawNodes(context, 'threat', outlined, camera.scale, palette, true)
  drawNodes(context, 'threat', pointsByKind.threat, camera.scale, palette)
}

/** The active node with its ring, links, neighbors, and labels. */
function drawActive(context: Canvas, { graph, points }: Scene, { active, camera, size, palette }: Frame): void {
  const node = active === null ? undefined : graph.nodes[active]
  if (active === null || !node) return
  const positionOf = (index: number) => toScreen(camera, size, points[index] ?? camera)
  const here = positionOf(active)
  context.strokeStyle = palette.strongLink
  context.lineWidth = 1.5
  context.beginPath()
  for (const other of node.linked) {
    const there = positionOf(other)
    context.moveTo(here.x, here.y)
    context.lineTo(there.x, there.y)
  }
  context.stroke()
  const highlighted = [active, ...node.linked]
  for (const index of highlighted) {
    const other = graph.nodes[index]
    const scale = Math.max(activeRadiusMin / nodeRadius, camera.scale)
    if (other) drawNodes(context, other.kind, [positionOf(index)], scale, palette, isOutlined(other))
  }
  context.strokeStyle = palette[node.kind]
  context.lineWidth = 2
  context.beginPath()
  context.arc(here.x, here.y, ringRadius * Math.max(1, camera.scale), 0, 2 * Math.PI)
  context.stroke()
  drawLabels(context, { graph, named: highlighted, strong: active, positionOf, camera, palette, size })
}

interface LabelOptions {
  readonly graph: MapGraph
  readonly named: readonly number[]
  /** The node whose name is emphasized. */
  readonly strong?: number
  readonly positionOf: (index: number) => Point
  readonly camera: Camera
  readonly palette: Palette
  readonly size: Size
}

/** Radius of the ring around the active node, in layout units. */
const ringRadius = 11
/** Maximum number of labels considered per frame. */
const maxLabels = 60

function drawLabels(context: Canvas, { graph, named, strong, positionOf, camera, palette, size }: LabelOptions): void {
  // Markers and the ring grow when the user zooms in.
  const scale = Math.max(1, camera.scale)
  context.textBaseline = 'middle'
  const requests = named.slice(0, maxLabels).flatMap((index) => {
    const [at, name] = [positionOf(index), graph.nodes[index]?.name ?? '']
    if (at.x < 0 || at.y < 0 || at.x > size.width || at.y > size.height) return []
    context.font = fontOf(index === strong, palette)
    const text = name.length > 48 ? `${name.slice(0, 47)}…` : name
    const isStrong = index === strong
    const gap = isStrong ? ringRadius * scale + 3 : nodeRadius * scale + 8
    return [{ at, text, width: context.measureText(text).width, gap, isStrong }]
  })
  const obstacles = { points: named.map(positionOf), radius: nodeRadius * scale + 1 }
  // Without an active node, hovering shows the names that are skipped here.
  for (const label of placeLabels(requests, obstacles, size, strong === undefined)) {
    context.font = fontOf(label.isStrong, palette)
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

/** The shapes of the node kinds: equal visual weight, distinguishable without color. */
import type { Point } from '#graph/camera.ts'
import type { Kind } from '#graph/model.ts'
import type { Palette } from '#graph/palette.ts'

/** In layout units. */
export const nodeRadius = 6
/** Nodes smaller than this on screen, in pixels, are drawn as dots. */
const dotRadius = 2

/** The radius of the empty inside of an outlined node, relative to the node's. */
const innerRadius = 0.55

type Path = Pick<CanvasRenderingContext2D, 'moveTo' | 'lineTo' | 'arc' | 'closePath' | 'roundRect'>

/** Adds the outline of a node to the path: a rounded square, a triangle, a circle. */
export function traceNode(path: Path, kind: Kind, x: number, y: number, radius: number): void {
  if (kind === 'product') {
    const half = radius * 0.88
    path.roundRect(x - half, y - half, 2 * half, 2 * half, radius * 0.25)
    return
  }
  if (kind === 'threat') {
    path.moveTo(x, y - radius * 1.15)
    path.lineTo(x + radius * 1.1, y + radius * 0.85)
    path.lineTo(x - radius * 1.1, y + radius * 0.85)
    path.closePath()
    return
  }
  path.moveTo(x + radius, y)
  path.arc(x, y, radius, 0, 2 * Math.PI)
}

/** Draws all nodes of a kind at the given screen points. */
export function drawNodes(
  context: CanvasRenderingContext2D,
  kind: Kind,
  points: readonly Point[],
  scale: number,
  palette: Palette,
  isOutline = false,
): void {
  const radius = nodeRadius * scale
  context.fillStyle = palette[kind]
  if (radius <= dotRadius) {
    const side = Math.max(1.6, radius * 1.7)
    for (const { x, y } of points) context.fillRect(x - side / 2, y - side / 2, side, side)
    return
  }
  const halo = Math.min(1.5, radius / 4)
  context.strokeStyle = palette.canvas
  context.lineWidth = 2 * halo
  context.beginPath()
  for (const { x, y } of points) traceNode(context, kind, x, y, radius)
  context.stroke()
  if (!isOutline) return context.fill()
  // Hides the links, which end in the middle of the node.
  context.fillStyle = palette.canvas
  context.fill()
  context.fillStyle = palette[kind]
  for (const { x, y } of points) traceNode(context, kind, x, y, radius * innerRadius)
  context.fill('evenodd')
}

/** Places node labels where they cover the least. Labels without a free side are skipped. */
import type { Point, Size } from '#graph/camera.ts'

export interface LabelRequest {
  readonly at: Point
  /** In pixels. */
  readonly width: number
  /** From the center of the node to the label, in pixels. */
  readonly gap: number
  readonly text: string
}
export interface Label extends LabelRequest {
  readonly side: 'right' | 'left' | 'below' | 'above'
}
interface Obstacles {
  readonly points: readonly Point[]
  /** In pixels. */
  readonly radius: number
}
interface Rect {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** A label that is cut off at the edge is worse than one that covers nodes. */
const clippedCost = 100
const height = 16

/**
 * Places labels in order of priority. The first label is always placed.
 *
 * @param obstacles nodes that a label should not cover
 * @param view the visible area, which should not cut off labels
 * @param isStrict skips labels that would cover a node or be cut off
 */
export function placeLabels<Request extends LabelRequest>(
  wanted: readonly Request[],
  { points, radius }: Obstacles,
  view?: Size,
  isStrict = false,
): (Request & Label)[] {
  const taken: Rect[] = points.map(({ x, y }) => ({
    left: x - radius,
    top: y - radius,
    right: x + radius,
    bottom: y + radius,
  }))
  const placed: Rect[] = []
  const labels: (Request & Label)[] = []
  for (const label of wanted) {
    const choices = sides.map((side) => ({ side, rect: labelRect(label, side) }))
    const free = choices.filter(({ rect }) => !placed.some((other) => overlap(rect, other)))
    const candidates = free.length > 0 ? free : labels.length === 0 ? choices : []
    const best = candidates.toSorted((a, b) => cost(a.rect, taken, view) - cost(b.rect, taken, view))[0]
    if (!best || (isStrict && labels.length > 0 && cost(best.rect, taken, view) > 0)) continue
    placed.push(best.rect)
    labels.push({ ...label, side: best.side })
  }
  return labels
}

const sides = ['right', 'left', 'below', 'above'] as const

function labelRect({ at, width, gap }: Omit<LabelRequest, 'text'>, side: Label['side']): Rect {
  const left = side === 'right' ? at.x + gap : side === 'left' ? at.x - gap - width : at.x - width / 2
  const top = side === 'below' ? at.y + gap - 4 : side === 'above' ? at.y - gap - height + 4 : at.y - height / 2
  return { left, top, right: left + width, bottom: top + height }
}

function overlap(a: Rect, b: Rect): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

function cost(rect: Rect, taken: readonly Rect[], view: Size | undefined): number {
  return taken.filter((other) => overlap(rect, other)).length + (view && isClipped(rect, view) ? clippedCost : 0)
}

function isClipped({ left, top, right, bottom }: Rect, { width, height: viewHeight }: Size): boolean {
  return left < 0 || top < 0 || right > width || bottom > viewHeight
}

/** The start of a label's text, at its vertical center. */
export function textStart({ side, ...label }: Label): Point {
  const rect = labelRect(label, side)
  return { x: rect.left, y: (rect.top + rect.bottom) / 2 }
}

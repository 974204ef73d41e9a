/** Places node labels where they cover the least. Labels without a free side are skipped. */
import type { Point, Size } from '#graph/camera.ts'

export interface LabelRequest {
  readonly at: Point
  /** In pixels. */
  readonly width: number
  readonly text: string
}
export interface Label extends LabelRequest {
  readonly side: 'right' | 'left' | 'below' | 'above'
}
interface Rect {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

const gap = 14
/** A label that is cut off at the edge is worse than one that covers nodes. */
const clippedCost = 100
const height = 16

/**
 * Places labels in order of priority. The first label is always placed.
 *
 * @param obstacles nodes that a label should not cover
 * @param view the visible area, which should not cut off labels
 */
export function placeLabels<Request extends LabelRequest>(
  wanted: readonly Request[],
  obstacles: readonly Point[],
  view?: Size,
): (Request & Label)[] {
  const taken: Rect[] = obstacles.map(({ x, y }) => ({ left: x - 7, top: y - 7, right: x + 7, bottom: y + 7 }))
  const placed: Rect[] = []
  const labels: (Request & Label)[] = []
  for (const label of wanted) {
    const choices = sides.map((side) => ({ side, rect: labelRect(label, side) }))
    const free = choices.filter(({ rect }) => !placed.some((other) => overlap(rect, other)))
    const candidates = free.length > 0 ? free : labels.length === 0 ? choices : []
    const best = candidates.toSorted((a, b) => cost(a.rect, taken, view) - cost(b.rect, taken, view))[0]
    if (!best) continue
    placed.push(best.rect)
    labels.push({ ...label, side: best.side })
  }
  return labels
}

const sides = ['right', 'left', 'below', 'above'] as const

function labelRect({ at, width }: LabelRequest, side: Label['side']): Rect {
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
export function textStart({ at, width, side }: Label): Point {
  const rect = labelRect({ at, width, text: '' }, side)
  return { x: rect.left, y: (rect.top + rect.bottom) / 2 }
}

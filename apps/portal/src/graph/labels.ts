/** Names beside nodes, each on the side where it covers least; one that finds no free side is left out. */
import type { Point, Size } from '#graph/camera.ts'

export interface Wanted {
  readonly at: Point
  /** In pixels. */
  readonly width: number
  readonly text: string
}
export interface Label extends Wanted {
  readonly side: 'right' | 'left' | 'below' | 'above'
}
interface Rect {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

const gap = 14
/** A name that is cut off at the edge is worse than one that covers nodes. */
const cutCost = 100
const height = 16

/**
 * Places the labels in their order, so that the first has the first choice and always gets a place.
 *
 * @param obstacles nodes that a label should not cover
 * @param view what is in sight, where a label should be whole
 */
export function placeLabels(wanted: readonly Wanted[], obstacles: readonly Point[], view?: Size): Label[] {
  const taken: Rect[] = obstacles.map(({ x, y }) => ({ left: x - 7, top: y - 7, right: x + 7, bottom: y + 7 }))
  const placed: Rect[] = []
  const labels: Label[] = []
  for (const one of wanted) {
    const choices = sides.map((side) => ({ side, rect: rectOf(one, side) }))
    const free = choices.filter(({ rect }) => !placed.some((other) => overlap(rect, other)))
    const candidates = free.length > 0 ? free : labels.length === 0 ? choices : []
    const best = candidates.toSorted((a, b) => cost(a.rect, taken, view) - cost(b.rect, taken, view))[0]
    if (!best) continue
    placed.push(best.rect)
    labels.push({ ...one, side: best.side })
  }
  return labels
}

const sides = ['right', 'left', 'below', 'above'] as const

function rectOf({ at, width }: Wanted, side: Label['side']): Rect {
  const left = side === 'right' ? at.x + gap : side === 'left' ? at.x - gap - width : at.x - width / 2
  const top = side === 'below' ? at.y + gap - 4 : side === 'above' ? at.y - gap - height + 4 : at.y - height / 2
  return { left, top, right: left + width, bottom: top + height }
}

function overlap(a: Rect, b: Rect): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

function cost(rect: Rect, taken: readonly Rect[], view: Size | undefined): number {
  return taken.filter((other) => overlap(rect, other)).length + (view && isCut(rect, view) ? cutCost : 0)
}

function isCut({ left, top, right, bottom }: Rect, { width, height: viewHeight }: Size): boolean {
  return left < 0 || top < 0 || right > width || bottom > viewHeight
}

/** Where the text of a label begins, in the middle of its height. */
export function textStart({ at, width, side }: Label): Point {
  const rect = rectOf({ at, width, text: '' }, side)
  return { x: rect.left, y: (rect.top + rect.bottom) / 2 }
}

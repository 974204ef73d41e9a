/** The map's camera: converts between layout coordinates and screen pixels. */
export interface Camera {
  /** The layout point at the center of the screen. */
  readonly x: number
  readonly y: number
  readonly scale: number
}
export interface Size {
  readonly width: number
  readonly height: number
}
export interface Point {
  readonly x: number
  readonly y: number
}

export const minZoom = 0.2
export const maxZoom = 3
const wheelStep = 1.1
const fineStep = 1.02
/** Smaller wheel deltas, in pixels, come from a touchpad. */
const finePixels = 40

export function toScreen({ x, y, scale }: Camera, { width, height }: Size, point: Point): Point {
  return { x: (point.x - x) * scale + width / 2, y: (point.y - y) * scale + height / 2 }
}

export function toLayout({ x, y, scale }: Camera, { width, height }: Size, point: Point): Point {
  return { x: (point.x - width / 2) / scale + x, y: (point.y - height / 2) / scale + y }
}

/** Zooms and keeps the point under the pointer in place. */
export function zoomAt(camera: Camera, size: Size, screen: Point, factor: number): Camera {
  const scale = Math.min(maxZoom, Math.max(minZoom, camera.scale * factor))
  const under = toLayout(camera, size, screen)
  return {
    scale,
    x: under.x - (screen.x - size.width / 2) / scale,
    y: under.y - (screen.y - size.height / 2) / scale,
  }
}

/** 10% per wheel notch, 2% for a pinch or touchpad. */
export function wheelFactor(event: Pick<WheelEvent, 'deltaY' | 'deltaMode' | 'ctrlKey'>): number {
  if (event.deltaY === 0) return 1
  const isFine = event.ctrlKey || (event.deltaMode === 0 && Math.abs(event.deltaY) < finePixels)
  const step = isFine ? fineStep : wheelStep
  return event.deltaY < 0 ? step : 1 / step
}

/** Moves the content by screen pixels. */
export function panBy(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale }
}

/** Fits all points into the view with a margin, within the zoom limits. */
export function fit(points: readonly Point[], { width, height }: Size): Camera {
  if (points.length === 0) return { x: 0, y: 0, scale: 1 }
  const margin = 48
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const [left, right] = [Math.min(...xs), Math.max(...xs)]
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)]
  const scale = Math.min((width - 2 * margin) / (right - left || 1), (height - 2 * margin) / (bottom - top || 1))
  return {
    x: (left + right) / 2,
    y: (top + bottom) / 2,
    scale: Math.min(1, Math.max(minZoom, scale)),
  }
}

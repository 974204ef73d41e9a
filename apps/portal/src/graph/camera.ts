/** From the plane of the layout to the screen and back. Pure. */
export interface Camera {
  /** The point of the plane in the middle of the screen. */
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

export const zoomMin = 0.2
export const zoomMax = 3
const wheelStep = 1.1
const fineStep = 1.02
/** Below this many pixels a wheel turns finely: a touchpad. */
const finePixels = 40

export function toScreen({ x, y, scale }: Camera, { width, height }: Size, point: Point): Point {
  return { x: (point.x - x) * scale + width / 2, y: (point.y - y) * scale + height / 2 }
}

export function toPlane({ x, y, scale }: Camera, { width, height }: Size, point: Point): Point {
  return { x: (point.x - width / 2) / scale + x, y: (point.y - height / 2) / scale + y }
}

/** Zooms so that the point under the pointer stays there. */
export function zoomAt(camera: Camera, size: Size, screen: Point, factor: number): Camera {
  const scale = Math.min(zoomMax, Math.max(zoomMin, camera.scale * factor))
  const under = toPlane(camera, size, screen)
  return {
    scale,
    x: under.x - (screen.x - size.width / 2) / scale,
    y: under.y - (screen.y - size.height / 2) / scale,
  }
}

/** 10 percent for a notch of a wheel, 2 percent for a pinch or a touchpad. */
export function wheelFactor(event: Pick<WheelEvent, 'deltaY' | 'deltaMode' | 'ctrlKey'>): number {
  if (event.deltaY === 0) return 1
  const isFine = event.ctrlKey || (event.deltaMode === 0 && Math.abs(event.deltaY) < finePixels)
  const step = isFine ? fineStep : wheelStep
  return event.deltaY < 0 ? step : 1 / step
}

/** Moves the picture by so many pixels. */
export function panBy(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale }
}

/** Shows all of a box with some air, as far as the bounds of the zoom allow. */
export function fit(
  box: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number },
  { width, height }: Size,
): Camera {
  const air = 48
  const scale = Math.min(
    (width - 2 * air) / (box.right - box.left || 1),
    (height - 2 * air) / (box.bottom - box.top || 1),
  )
  return {
    x: (box.left + box.right) / 2,
    y: (box.top + box.bottom) / 2,
    scale: Math.min(1, Math.max(zoomMin, scale)),
  }
}

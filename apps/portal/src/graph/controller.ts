/** Controls the map canvas: camera, pointer input, and redraws. */
import {
  type Camera,
  fit,
  panBy,
  type Point,
  type Size,
  toLayout,
  toScreen,
  wheelFactor,
  zoomAt,
} from '#graph/camera.ts'
import { readPalette } from '#graph/palette.ts'
import { drawFrame, visibleNodes, nodeAt, type Scene } from '#graph/renderer.ts'
import { nodeRadius } from '#graph/shapes.ts'

export interface MapHandlers {
  /** A node was clicked or tapped, or the background (null). */
  readonly onPick: (node: number | null) => void
}

export interface MapController {
  /** Highlights a node while no other node is hovered. */
  select(node: number | null): void
  /** Centers the node if it's outside the view or close to its edge. */
  reveal(node: number): void
  zoom(factor: number): void
  pan(dx: number, dy: number): void
  fitAll(): void
  /** Returns to the largest cluster at scale 1. */
  reset(): void
  /** The current view as a PNG, at twice the CSS resolution. */
  toPng(): Promise<Blob | null>
  close(): void
}

/** Pointer movement, in pixels, that still counts as a click. */
const maxClickMovementPx = 4
const hitMarginPx = { mouse: 4, touch: 14 } as const

export function createMap(
  canvas: HTMLCanvasElement,
  scene: Scene,
  start: Point,
  { onPick }: MapHandlers,
): MapController {
  const context = canvas.getContext('2d')
  if (!context) throw new Error('Canvas 2D is not supported by this browser')
  let size: Size = { width: canvas.clientWidth, height: canvas.clientHeight }
  let camera: Camera = { ...start, scale: 1 }
  let [hovered, selected, frameRequest] = [null as number | null, null as number | null, 0]
  let palette = readPalette(canvas)
  const ratio = () => Math.min(2, window.devicePixelRatio || 1)

  function draw(): void {
    frameRequest = 0
    const frame = { camera, size, ratio: ratio(), palette, active: hovered ?? selected }
    const nodes = visibleNodes(scene, camera, size)
    canvas.dataset['inSight'] = String(nodes.length)
    if (context) drawFrame(context, scene, frame, nodes)
  }
  function scheduleDraw(): void {
    frameRequest ||= requestAnimationFrame(draw)
  }
  function setCamera(next: Camera): void {
    camera = next
    canvas.dataset['scale'] = camera.scale.toFixed(3)
    scheduleDraw()
  }
  function resize(): void {
    size = { width: canvas.clientWidth, height: canvas.clientHeight }
    canvas.width = Math.round(size.width * ratio())
    canvas.height = Math.round(size.height * ratio())
    scheduleDraw()
  }
  function repaint(): void {
    palette = readPalette(canvas)
    scheduleDraw()
  }

  const pointers = new Map<number, Point>()
  let movedPx = 0
  const pointerPosition = (event: MouseEvent): Point => {
    const box = canvas.getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top }
  }
  const nodeUnder = (at: Point, kind: string) => {
    const reach = nodeRadius + hitMarginPx[kind === 'touch' ? 'touch' : 'mouse'] / camera.scale
    return nodeAt(scene, toLayout(camera, size, at), reach)
  }
  function hover(node: number | null): void {
    if (node === hovered) return
    hovered = node
    canvas.style.cursor = node === null ? '' : 'pointer'
    scheduleDraw()
  }
  const down = (event: PointerEvent) => {
    if (pointers.size === 0) movedPx = 0
    pointers.set(event.pointerId, pointerPosition(event))
    if (event.isTrusted) canvas.setPointerCapture(event.pointerId)
  }
  const move = (event: PointerEvent) => {
    const [before, now] = [pointers.get(event.pointerId), pointerPosition(event)]
    if (!before) return hover(event.pointerType === 'touch' ? null : nodeUnder(now, event.pointerType))
    const [other] = [...pointers].flatMap(([id, point]) => (id === event.pointerId ? [] : [point]))
    movedPx += Math.hypot(now.x - before.x, now.y - before.y)
    pointers.set(event.pointerId, now)
    if (other) setCamera(pinch(before, now, other))
    else if (movedPx > maxClickMovementPx) setCamera(panBy(camera, now.x - before.x, now.y - before.y))
  }
  /** Zooms around the midpoint of two fingers and pans with it. */
  function pinch(before: Point, now: Point, other: Point): Camera {
    const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
    const distanceTo = (point: Point) => Math.hypot(point.x - other.x, point.y - other.y) || 1
    const zoomed = zoomAt(camera, size, middle, distanceTo(now) / distanceTo(before))
    return panBy(zoomed, (now.x - before.x) / 2, (now.y - before.y) / 2)
  }
  const up = (event: PointerEvent) => {
    const wasDown = pointers.delete(event.pointerId)
    if (wasDown && event.type === 'pointerup' && pointers.size === 0 && movedPx <= maxClickMovementPx) {
      onPick(nodeUnder(pointerPosition(event), event.pointerType))
    }
  }
  const leave = () => hover(null)
  const wheel = (event: WheelEvent) => {
    event.preventDefault()
    setCamera(zoomAt(camera, size, pointerPosition(event), wheelFactor(event)))
  }

  const stop = new AbortController()
  const { signal } = stop
  canvas.addEventListener('pointerdown', down, { signal })
  canvas.addEventListener('pointermove', move, { signal })
  canvas.addEventListener('pointerup', up, { signal })
  canvas.addEventListener('pointercancel', up, { signal })
  canvas.addEventListener('pointerleave', leave, { signal })
  canvas.addEventListener('wheel', wheel, { signal, passive: false })
  const sizes = new ResizeObserver(resize)
  sizes.observe(canvas)
  // The theme is an attribute of the document element.
  const themes = new MutationObserver(repaint)
  themes.observe(document.documentElement, { attributes: true })
  setCamera(camera)

  return {
    select(node) {
      selected = node
      scheduleDraw()
    },
    reveal(node) {
      const point = scene.points[node]
      if (!point) return
      const at = toScreen(camera, size, point)
      const edge = 80
      const isIn = at.x > edge && at.y > edge && at.x < size.width - edge && at.y < size.height - edge
      if (!isIn) setCamera({ ...camera, ...point })
    },
    zoom: (factor) => setCamera(zoomAt(camera, size, { x: size.width / 2, y: size.height / 2 }, factor)),
    pan: (dx, dy) => setCamera(panBy(camera, dx, dy)),
    fitAll: () => setCamera(fit(scene.points, size)),
    reset: () => setCamera({ ...start, scale: 1 }),
    toPng: () => renderPng(scene, { camera, size, ratio: 2, palette, active: hovered ?? selected, isOpaque: true }),
    close() {
      stop.abort()
      sizes.disconnect()
      themes.disconnect()
      cancelAnimationFrame(frameRequest)
    },
  }
}

async function renderPng(scene: Scene, frame: Parameters<typeof drawFrame>[2]): Promise<Blob | null> {
  const copy = document.createElement('canvas')
  copy.width = frame.size.width * frame.ratio
  copy.height = frame.size.height * frame.ratio
  const context = copy.getContext('2d')
  if (!context) return null
  drawFrame(context, scene, frame, visibleNodes(scene, frame.camera, frame.size))
  return new Promise((resolve) => copy.toBlob(resolve, 'image/png'))
}

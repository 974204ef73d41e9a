/** Keeps a canvas in line with a graph: the camera, what the pointer does, and when to draw. */
import {
  type Camera,
  fit,
  panBy,
  type Point,
  type Size,
  toPlane,
  toScreen,
  wheelFactor,
  zoomAt,
} from '#graph/camera.ts'
import { boundsOf } from '#graph/layout/grid.ts'
import { readPalette } from '#graph/palette.ts'
import { createPictures } from '#graph/pictures.ts'
import { directMax, drawActive, drawFrame, inSight, nodeAt, type Scene } from '#graph/renderer.ts'
import { nodeRadius } from '#graph/shapes.ts'

export interface MapHandlers {
  /** Somebody clicked or tapped a node, or the ground (null). */
  readonly onPick: (node: number | null) => void
}

export interface MapController {
  /** The node that shows its names although nothing points at it: the selected or focused one. */
  select(node: number | null): void
  /** Moves the picture, by no more than needed, so that the node is in sight. */
  reveal(node: number): void
  zoom(factor: number): void
  pan(dx: number, dy: number): void
  fitAll(): void
  /** Back to the largest cluster at scale 1. */
  reset(): void
  /** All that is in sight, at the resolution of the screen, as a PNG. */
  picture(): Promise<Blob | null>
  close(): void
}

/** Moves of a pointer up to here are a click, in pixels. */
const clickSlack = 4
const hitPixels = { mouse: 4, touch: 14 } as const

export function createMap(
  canvas: HTMLCanvasElement,
  scene: Scene,
  start: Point,
  { onPick }: MapHandlers,
): MapController {
  const context = canvas.getContext('2d')
  if (!context) throw new Error('this browser draws no canvas')
  let size: Size = { width: canvas.clientWidth, height: canvas.clientHeight }
  let camera: Camera = { ...start, scale: 1 }
  let [hovered, selected, asked] = [null as number | null, null as number | null, 0]
  let palette = readPalette(canvas)
  const ratio = () => Math.min(2, window.devicePixelRatio || 1)
  const pictures = createPictures()

  function draw(): void {
    asked = 0
    const frame = { camera, size, ratio: ratio(), palette, active: hovered ?? selected }
    const nodes = inSight(scene, camera, size)
    canvas.dataset['inSight'] = String(nodes.length)
    if (!context) return
    if (nodes.length <= directMax) return drawFrame(context, scene, frame, nodes)
    const isWhole = pictures.show(context, scene, frame)
    drawActive(context, scene, frame)
    if (!isWhole) soon()
  }
  function soon(): void {
    asked ||= requestAnimationFrame(draw)
  }
  function look(next: Camera): void {
    camera = next
    canvas.dataset['scale'] = camera.scale.toFixed(3)
    soon()
  }
  function resize(): void {
    size = { width: canvas.clientWidth, height: canvas.clientHeight }
    canvas.width = Math.round(size.width * ratio())
    canvas.height = Math.round(size.height * ratio())
    pictures.forget()
    soon()
  }
  function repaint(): void {
    palette = readPalette(canvas)
    pictures.forget()
    soon()
  }

  const pointers = new Map<number, Point>()
  let moved = 0
  const spot = (event: MouseEvent): Point => {
    const box = canvas.getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top }
  }
  const hit = (at: Point, kind: string) => {
    const reach = nodeRadius + hitPixels[kind === 'touch' ? 'touch' : 'mouse'] / camera.scale
    return nodeAt(scene, toPlane(camera, size, at), reach)
  }
  function hover(node: number | null): void {
    if (node === hovered) return
    hovered = node
    canvas.style.cursor = node === null ? '' : 'pointer'
    soon()
  }
  const down = (event: PointerEvent) => {
    if (pointers.size === 0) moved = 0
    pointers.set(event.pointerId, spot(event))
    if (event.isTrusted) canvas.setPointerCapture(event.pointerId)
  }
  const move = (event: PointerEvent) => {
    const [before, now] = [pointers.get(event.pointerId), spot(event)]
    if (!before) return hover(event.pointerType === 'touch' ? null : hit(now, event.pointerType))
    const [other] = [...pointers].flatMap(([id, point]) => (id === event.pointerId ? [] : [point]))
    moved += Math.hypot(now.x - before.x, now.y - before.y)
    pointers.set(event.pointerId, now)
    if (other) look(pinched(before, now, other))
    else if (moved > clickSlack) look(panBy(camera, now.x - before.x, now.y - before.y))
  }
  /** Two fingers zoom around their middle and move with it. */
  function pinched(before: Point, now: Point, other: Point): Camera {
    const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
    const apart = (point: Point) => Math.hypot(point.x - other.x, point.y - other.y) || 1
    const zoomed = zoomAt(camera, size, middle, apart(now) / apart(before))
    return panBy(zoomed, (now.x - before.x) / 2, (now.y - before.y) / 2)
  }
  const up = (event: PointerEvent) => {
    const wasDown = pointers.delete(event.pointerId)
    if (wasDown && event.type === 'pointerup' && pointers.size === 0 && moved <= clickSlack) {
      onPick(hit(spot(event), event.pointerType))
    }
  }
  const leave = () => hover(null)
  const wheel = (event: WheelEvent) => {
    event.preventDefault()
    look(zoomAt(camera, size, spot(event), wheelFactor(event)))
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
  // The theme is an attribute of the page.
  const themes = new MutationObserver(repaint)
  themes.observe(document.documentElement, { attributes: true })
  look(camera)

  return {
    select(node) {
      selected = node
      soon()
    },
    reveal(node) {
      const at = toScreen(camera, size, { x: scene.x[node] ?? 0, y: scene.y[node] ?? 0 })
      const edge = 80
      const isIn = at.x > edge && at.y > edge && at.x < size.width - edge && at.y < size.height - edge
      if (!isIn) look({ ...camera, x: scene.x[node] ?? 0, y: scene.y[node] ?? 0 })
    },
    zoom: (factor) => look(zoomAt(camera, size, { x: size.width / 2, y: size.height / 2 }, factor)),
    pan: (dx, dy) => look(panBy(camera, dx, dy)),
    fitAll: () => look(fit(boundsOf(scene.x, scene.y), size)),
    reset: () => look({ ...start, scale: 1 }),
    picture: () => pictureOf(scene, { camera, size, ratio: 2, palette, active: hovered ?? selected, isOpaque: true }),
    close() {
      stop.abort()
      sizes.disconnect()
      themes.disconnect()
      cancelAnimationFrame(asked)
    },
  }
}

async function pictureOf(scene: Scene, frame: Parameters<typeof drawFrame>[2]): Promise<Blob | null> {
  const copy = document.createElement('canvas')
  copy.width = frame.size.width * frame.ratio
  copy.height = frame.size.height * frame.ratio
  const context = copy.getContext('2d')
  if (!context) return null
  drawFrame(context, scene, frame, inSight(scene, frame.camera, frame.size))
  return new Promise((resolve) => copy.toBlob(resolve, 'image/png'))
}

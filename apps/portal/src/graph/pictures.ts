/** Whole pictures of a large graph: the last one is shown, moved and scaled, while the next is made. */
import type { Camera } from '#graph/camera.ts'
import { type Frame, type Making, makePicture, type Scene } from '#graph/renderer.ts'

interface Picture {
  readonly canvas: HTMLCanvasElement
  readonly camera: Camera
}
interface Next extends Picture {
  readonly making: Making
}

export interface Pictures {
  /** Draws what there is; false while a better picture is on its way. */
  show(context: CanvasRenderingContext2D, scene: Scene, frame: Frame): boolean
  /** Size or colours changed: nothing that was made is of use. */
  forget(): void
}

/** A camera that has stood still for so long is worth a new picture, in milliseconds. */
const restMs = 90

export function createPictures(): Pictures {
  let [shown, next] = [null as Picture | null, null as Next | null]
  let [last, movedAt] = [null as Camera | null, -restMs]
  return {
    show(context, scene, frame) {
      if (frame.camera !== last) {
        if (last !== null) movedAt = performance.now()
        last = frame.camera
        next = null
      }
      const isDue = shown?.camera !== frame.camera && (shown === null || performance.now() - movedAt >= restMs)
      if (isDue && next === null) next = begin(scene, frame)
      if (next?.making.step()) {
        shown = next
        next = null
      }
      copy(context, shown ?? next, frame)
      return shown?.camera === frame.camera
    },
    forget() {
      shown = null
      next = null
    },
  }
}

function begin(scene: Scene, frame: Frame): Next | null {
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(frame.size.width * frame.ratio)
  canvas.height = Math.round(frame.size.height * frame.ratio)
  const context = canvas.getContext('2d')
  if (!context) return null
  return { canvas, camera: frame.camera, making: makePicture(context, scene, { ...frame, active: null }) }
}

/** The picture as the present camera would see it. */
function copy(
  context: CanvasRenderingContext2D,
  picture: Picture | null,
  { camera, size, ratio, active }: Frame,
): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.globalAlpha = 1
  context.clearRect(0, 0, size.width, size.height)
  if (!picture) return
  const grown = camera.scale / picture.camera.scale
  const left = (picture.camera.x - camera.x) * camera.scale + (size.width / 2) * (1 - grown)
  const top = (picture.camera.y - camera.y) * camera.scale + (size.height / 2) * (1 - grown)
  context.globalAlpha = active === null ? 1 : 0.34
  context.imageSmoothingEnabled = grown < 1
  context.drawImage(picture.canvas, left, top, size.width * grown, size.height * grown)
  context.globalAlpha = 1
}

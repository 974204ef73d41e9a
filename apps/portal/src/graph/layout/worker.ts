/** Lays a graph out beside the page, so that the page stays awake. */
import { clustersOf, startOf } from '#graph/layout/clusters.ts'
import type { Springs } from '#graph/layout/constants.ts'
import { layOut } from '#graph/layout/simulation.ts'

export interface LayoutRequest extends Springs {
  readonly count: number
}
export interface LayoutAnswer {
  readonly x: Float64Array
  readonly y: Float64Array
  /** The middle of the largest cluster. */
  readonly start: { readonly x: number; readonly y: number }
}

self.addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => {
  const { x, y } = layOut(data.count, data)
  const answer: LayoutAnswer = { x, y, start: startOf(x, y, clustersOf(x, y)) }
  self.postMessage(answer, { transfer: [x.buffer, y.buffer] })
})

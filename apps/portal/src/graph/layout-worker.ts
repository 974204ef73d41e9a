/** Runs the layout outside the page's thread, so that the page stays responsive. */
import type { Point } from '#graph/camera.ts'
import { centerOfLargestCluster, computeLayout, type Link } from '#graph/layout.ts'

export interface LayoutRequest {
  readonly count: number
  readonly links: readonly Link[]
}
export interface LayoutResult {
  /** The position of each node. */
  readonly points: readonly Point[]
  /** Where the view starts: the center of the largest cluster. */
  readonly start: Point
}

self.addEventListener('message', ({ data: { count, links } }: MessageEvent<LayoutRequest>) => {
  const points = computeLayout(count, links)
  self.postMessage({ points, start: centerOfLargestCluster(points) } satisfies LayoutResult)
})

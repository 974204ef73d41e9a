import { createHash } from 'node:crypto'
import type { ReportFormat } from '@glacis/contract/scan'
import PQueue from 'p-queue'
import type { ReportModel } from './model.ts'
import { type RenderedReport, renderReport } from './render.ts'

/** The rendered report, or `building` while it isn't ready. */
export type Build = RenderedReport | 'building'

export interface Builds {
  /**
   * Returns the report, rendered in the background once for all requests, as soon as it is ready or
   * `timeoutMs` have passed.
   *
   * @throws errors of rendering; the next request retries
   */
  get(workspace: string, model: ReportModel, format: ReportFormat, timeoutMs: number): Promise<Build>
}

/** Cache size in bytes over all reports. */
const cachedBytesMax = 64 * 1024 * 1024
/** Concurrent render processes. */
const concurrentBuildsMax = 2

/** Caches finished reports and deduplicates running renders. One per process. */
export function createBuilds(): Builds {
  const done = new Map<string, RenderedReport>()
  const running = new Map<string, Promise<RenderedReport>>()
  const queue = new PQueue({ concurrency: concurrentBuildsMax })
  let cachedBytes = 0

  async function build(key: string, model: ReportModel, format: ReportFormat): Promise<RenderedReport> {
    try {
      const report = await queue.add(() => renderReport(model, format))
      cache(key, report)
      return report
    } finally {
      running.delete(key)
    }
  }

  function cache(key: string, report: RenderedReport): void {
    done.set(key, report)
    cachedBytes += report.body.length
    for (const [oldest, { body }] of done) {
      if (cachedBytes <= cachedBytesMax) break
      done.delete(oldest)
      cachedBytes -= body.length
    }
  }

  return {
    async get(workspace, model, format, timeoutMs) {
      const key = keyOf(workspace, model, format)
      const before = done.get(key)
      if (before) return before
      let work = running.get(key)
      if (!work) {
        work = build(key, model, format)
        running.set(key, work)
        // Callers that wait receive the error; without one, the rejection must not be unhandled.
        work.catch(() => undefined)
      }
      return waitWithTimeout(work, timeoutMs)
    },
  }
}

/** Equal contents render to equal reports, so the time of the request isn't part of the key. */
function keyOf(workspace: string, model: ReportModel, format: string): string {
  const content = { ...model, generatedAt: '' }
  return createHash('sha256')
    .update(JSON.stringify([workspace, format, content]))
    .digest('base64')
}

async function waitWithTimeout(work: Promise<RenderedReport>, ms: number): Promise<Build> {
  const { promise, resolve } = Promise.withResolvers<'building'>()
  const timer = setTimeout(resolve, ms, 'building')
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

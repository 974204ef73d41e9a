import { createHash } from 'node:crypto'
import type { ReportFormat } from '@glacis/contract/scan'
import type { ReportModel } from './model.ts'
import { type RenderedReport, renderReport } from './render.ts'

/** What has become of a report: the file, or nothing yet. */
export type Build = RenderedReport | 'building'

export interface Builds {
  /**
   * The report of this model, built in the background once for all who ask, and answered as soon as it
   * is there or `patienceMs` have passed.
   *
   * @throws what rendering throws; the next request tries again
   */
  get(account: string, model: ReportModel, format: ReportFormat, patienceMs: number): Promise<Build>
}

/** Kept for whoever asks again, in bytes over all reports. */
const keptBytesMax = 64 * 1024 * 1024
/** Threads that set reports side by side. */
const buildsAtOnce = 2

/** Remembers what was built and what is being built. One for a process. */
export function createBuilds(): Builds {
  const done = new Map<string, RenderedReport>()
  const running = new Map<string, Promise<RenderedReport>>()
  const turns: (() => void)[] = []
  let active = 0
  let kept = 0

  async function build(key: string, model: ReportModel, format: ReportFormat): Promise<RenderedReport> {
    if (active < buildsAtOnce) active++
    else await new Promise<void>((resolve) => turns.push(resolve))
    try {
      const report = await renderReport(model, format)
      keep(key, report)
      return report
    } finally {
      const next = turns.shift()
      if (next) next()
      else active--
      running.delete(key)
    }
  }

  function keep(key: string, report: RenderedReport): void {
    done.set(key, report)
    kept += report.body.length
    for (const [oldest, { body }] of done) {
      if (kept <= keptBytesMax) break
      done.delete(oldest)
      kept -= body.length
    }
  }

  return {
    async get(account, model, format, patienceMs) {
      const key = keyOf(account, model, format)
      const before = done.get(key)
      if (before) return before
      let work = running.get(key)
      if (!work) {
        work = build(key, model, format)
        running.set(key, work)
        // Whoever waits hears of a failure; nobody may be waiting.
        work.catch(() => undefined)
      }
      return patiently(work, patienceMs)
    },
  }
}

/** Equal contents make equal reports, whenever they were asked for. */
function keyOf(account: string, model: ReportModel, format: string): string {
  const content = { ...model, generatedAt: '' }
  return createHash('sha256')
    .update(JSON.stringify([account, format, content]))
    .digest('base64')
}

async function patiently(work: Promise<RenderedReport>, ms: number): Promise<Build> {
  const { promise, resolve } = Promise.withResolvers<'building'>()
  const timer = setTimeout(resolve, ms, 'building')
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

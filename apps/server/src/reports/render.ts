import { Worker } from 'node:worker_threads'
import type { ReportFormat } from '@glacis/contract/scan'
import type { ReportModel } from './model.ts'
import { sarifOf } from './sarif.ts'

/** A rendered file with its headers. */
export interface RenderedReport {
  readonly body: Buffer
  readonly contentType: string
  /** Letters, digits, hyphens and dots only. */
  readonly filename: string
}

/** A report of thousands of issues takes seconds; anything longer is stuck. */
const renderDeadlineMs = 120_000
const heapMaxMb = 512

/**
 * Renders a report. PDFs are rendered in a worker thread so that large ones don't block requests;
 * JSON is the model itself, SARIF one result per occurrence. All data from scanned hosts is treated
 * as text.
 *
 * @throws Error if rendering fails or takes longer than two minutes
 */
export async function renderReport(model: ReportModel, format: ReportFormat): Promise<RenderedReport> {
  const filename = `${fileStem(model)}.${format}`
  if (format === 'json') {
    const body = Buffer.from(`${JSON.stringify(model, null, 2)}\n`)
    return { body, contentType: 'application/json; charset=utf-8', filename }
  }
  if (format === 'sarif') {
    return { body: Buffer.from(sarifOf(model)), contentType: 'application/sarif+json; charset=utf-8', filename }
  }
  return { body: await renderInThread(model), contentType: 'application/pdf', filename }
}

async function renderInThread(model: ReportModel): Promise<Buffer> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: model,
    resourceLimits: { maxOldGenerationSizeMb: heapMaxMb },
  })
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const deadline = setTimeout(() => reject(new Error('Rendering the report timed out.')), renderDeadlineMs)
  worker.once('message', (bytes: Uint8Array) => resolve(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)))
  worker.once('error', (cause) => reject(new Error("The report couldn't be rendered.", { cause })))
  worker.once('exit', (code) => reject(new Error(`The report thread exited with code ${code}.`)))
  try {
    return await promise
  } finally {
    clearTimeout(deadline)
    await worker.terminate()
  }
}

/** `glacis-web-front-2026-09-19`. */
function fileStem({ target, scan, generatedAt }: ReportModel): string {
  const name = target.name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
  return ['glacis', name || 'report', (scan.completeTime ?? generatedAt).slice(0, 10)].join('-')
}

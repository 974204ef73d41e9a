import type { ReportFormat } from '@glacis/contract/scan'
import { runTask, TaskFailure } from '@glacis/scanner'
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
 * Renders a report. PDFs are rendered in a child process without access to the network, because they lay out evidence
 * from scanned hosts; JSON is the model itself, SARIF one result per occurrence. All data from scanned hosts is treated
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
  return { body: await renderInProcess(model), contentType: 'application/pdf', filename }
}

const program = { module: new URL('./pdf-child.ts', import.meta.url), heapMb: heapMaxMb }

async function renderInProcess(model: ReportModel): Promise<Buffer> {
  const signal = AbortSignal.timeout(renderDeadlineMs)
  try {
    const bytes = await runTask(program, model, { signal })
    if (!(bytes instanceof Uint8Array)) throw new Error('the process returned no file')
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  } catch (cause) {
    if (signal.aborted) throw new Error('Rendering the report timed out.', { cause })
    if (cause instanceof TaskFailure) throw new Error("The report couldn't be rendered.", { cause })
    throw cause
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

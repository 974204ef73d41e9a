import type { ReportFormat } from '@glacis/contract/scan'
import { runTask, TaskFailure } from '@glacis/scanner'
import { fileStem } from './file-stem.ts'
import type { ReportModel } from './model.ts'

/** A rendered file with its headers. */
export interface RenderedReport {
  readonly body: Buffer
  readonly contentType: string
  /** Letters, digits, hyphens, and dots only. */
  readonly filename: string
}

/** A report of thousands of issues takes seconds; anything longer is stuck. */
const renderDeadlineMs = 120_000
const program = { module: new URL('./render-child.ts', import.meta.url), heapMb: 512, isBackground: true }
const contentTypes: Readonly<Record<ReportFormat, string>> = {
  pdf: 'application/pdf',
  json: 'application/json; charset=utf-8',
  sarif: 'application/sarif+json; charset=utf-8',
}

/** The request to the process. */
export interface RenderRequest {
  readonly model: ReportModel
  readonly format: ReportFormat
}

/**
 * Renders a report in a child process without access to the network, because it contains evidence from scanned hosts.
 * All of their data is treated as text.
 *
 * @throws Error if rendering fails or takes longer than two minutes
 */
export async function renderReport(model: ReportModel, format: ReportFormat): Promise<RenderedReport> {
  const body = await renderInProcess({ model, format })
  const { target, scan, generatedAt } = model
  const stem = fileStem(target.name, scan.completeTime ?? generatedAt)
  return { body, contentType: contentTypes[format], filename: `${stem}.${format}` }
}

async function renderInProcess(request: RenderRequest): Promise<Buffer> {
  const signal = AbortSignal.timeout(renderDeadlineMs)
  try {
    const bytes = await runTask(program, request, { signal })
    if (!(bytes instanceof Uint8Array)) throw new Error('the process returned no file')
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  } catch (cause) {
    if (signal.aborted) throw new Error('Rendering the report timed out.', { cause })
    if (cause instanceof TaskFailure) throw new Error("The report couldn't be rendered.", { cause })
    throw cause
  }
}

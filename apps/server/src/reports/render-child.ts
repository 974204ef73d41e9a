/** The program of the process that renders reports: PDF, the model as JSON, or one SARIF result per occurrence. */
import { serveTasks } from '@glacis/scanner/serve-tasks'
import { renderPdf } from './pdf/report.ts'
import type { RenderRequest } from './render.ts'
import { sarifOf } from './sarif.ts'

serveTasks(async (request) => {
  const { model, format } = request as RenderRequest // passed by render.ts
  if (format === 'pdf') return renderPdf(model)
  return Buffer.from(format === 'sarif' ? sarifOf(model) : `${JSON.stringify(model, null, 2)}\n`)
})

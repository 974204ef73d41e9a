/** The program of the process that renders PDF reports. */
import { serveTasks } from '@glacis/scanner'
import type { ReportModel } from './model.ts'
import { renderPdf } from './pdf/report.ts'

serveTasks((model) => renderPdf(model as ReportModel)) // passed by render.ts

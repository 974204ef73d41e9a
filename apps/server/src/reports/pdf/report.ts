/** The PDF report: a summary page, followed by the technical details. */
import type { ReportModel } from '../model.ts'
import { figuresOf } from '../figures.ts'
import { writeFindings } from './findings.ts'
import { writeInventory } from './inventory.ts'
import { writeAppendix } from './appendix.ts'
import { openPdf, type Pdf, writeAt } from './document.ts'
import { writeSummary } from './summary.ts'
import { formatDay } from './text.ts'
import { contentWidth, ink, page } from './theme.ts'

/**
 * Renders the report. Loads nothing, and equal models render to equal files.
 *
 * @param isCompressed false only in tests that extract the text
 */
export async function renderPdf(model: ReportModel, { isCompressed = true } = {}): Promise<Buffer> {
  const figures = figuresOf(model.issues)
  const title = `Security report: ${model.target.name}`
  const pdf = openPdf({ title, author: model.account.name, time: model.generatedAt, isCompressed })
  const done = collect(pdf)
  writeSummary(pdf, model, figures)
  pdf.addPage()
  writeFindings(pdf, figures)
  writeInventory(pdf, model)
  writeAppendix(pdf, figures)
  writeMargins(pdf, model)
  pdf.end()
  return done
}

async function collect(pdf: Pdf): Promise<Buffer> {
  const chunks: Buffer[] = []
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk))
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  pdf.once('end', () => resolve(Buffer.concat(chunks)))
  pdf.once('error', reject)
  return promise
}

/** Headers and footers, once the number of pages is known. The first page has its own header. */
function writeMargins(pdf: Pdf, { target, account, generatedAt }: ReportModel): void {
  const { start, count } = pdf.bufferedPageRange()
  for (let index = 0; index < count; index++) {
    pdf.switchToPage(start + index)
    // Text below the bottom margin would start a new page.
    pdf.page.margins.bottom = 0
    const foot = page.height - 40
    const style = { size: 8, color: ink.faint }
    writeAt(pdf, `Glacis  ·  ${account.name}  ·  Confidential`, page.left, foot, style)
    writeAt(pdf, `Page ${index + 1} of ${count}`, page.left, foot, { ...style, align: 'right' })
    if (index === 0) continue
    writeAt(pdf, `Security report: ${target.name}`, page.left, 36, { ...style, width: contentWidth - 90 })
    writeAt(pdf, formatDay(generatedAt), page.left, 36, { ...style, align: 'right' })
    pdf
      .moveTo(page.left, 52)
      .lineTo(page.left + contentWidth, 52)
      .lineWidth(0.6)
      .strokeColor(ink.line)
      .stroke()
  }
}

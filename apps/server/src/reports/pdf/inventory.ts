/** The inventory: hosts with their services and software. */
import type { ReportHost, ReportModel, ReportService } from '../model.ts'
import { moveDown, heading, heightOf, type Pdf, ensureSpace, drawRule, write } from './document.ts'
import { formatCount, excerpt, truncatedLine } from './text.ts'
import { contentWidth, fonts, ink } from './theme.ts'

/** Limits of the printed inventory; the JSON report is complete. */
const hostsMax = 400
const linesMax = 30

/** Writes the hosts in the order of the model, or nothing if there are none. */
export function writeInventory(pdf: Pdf, { hosts }: ReportModel): void {
  if (hosts.length === 0) return
  moveDown(pdf, 26)
  heading(pdf, 'Hosts')
  for (const host of hosts.slice(0, hostsMax)) writeHost(pdf, host)
  if (hosts.length > hostsMax) {
    moveDown(pdf, 6)
    write(pdf, `${formatCount(hosts.length - hostsMax, 'more host')} in the JSON report.`, { color: ink.soft })
  }
}

function writeHost(pdf: Pdf, host: ReportHost): void {
  const left = contentWidth * 0.46
  const services = host.services.slice(0, linesMax).map(serviceLine).join('\n') || 'No open ports found'
  const software = host.technologies
    .slice(0, linesMax)
    .map(({ name, version }) => truncatedLine(`${name} ${version}`, 60))
    .join('\n')
  const style = { size: 8.5, lineGap: 2.5 }
  const columns = [
    { text: services, style: { ...style, font: fonts.mono, width: left - 12 } },
    { text: software, style: { ...style, indent: left, width: contentWidth - left } },
  ]
  const height = Math.max(...columns.map((column) => heightOf(pdf, column.text, column.style)))
  ensureSpace(pdf, Math.min(height, 500) + 34)
  drawRule(pdf)
  moveDown(pdf, 7)
  const name = host.name === undefined || host.name === host.address ? '' : `  ·  ${host.name}`
  write(pdf, truncatedLine(host.address + name, 110), { font: fonts.bold, size: 9.5 })
  moveDown(pdf, 3)
  const top = pdf.y
  for (const column of columns) {
    pdf.y = top
    write(pdf, column.text, column.style)
  }
  pdf.y = top + height + 9
}

function serviceLine({ port, transport, protocol, product }: ReportService): string {
  return excerpt(`${`${port}/${transport}`.padEnd(10)}${(protocol || 'unknown').padEnd(9)} ${product ?? ''}`, 1, 120)
}

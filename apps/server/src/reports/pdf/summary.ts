/** The summary page: scan facts, key figures, and what to fix first. */
import { chartedSeverities, type Figures, hostsOf, isVerified } from '../figures.ts'
import type { ReportModel } from '../model.ts'
import { moveDown, drawLogo, type Pdf, writeAt, ensureSpace, drawRule, write } from './document.ts'
import { formatCount, truncatedLine, formatTime, formatDuration } from './text.ts'
import { accent, contentWidth, fonts, ink, page, positive, severities } from './theme.ts'

/** Number of risks listed on the summary page. */
const topMax = 7

/** Writes the summary page; details follow in the other parts. */
export function writeSummary(pdf: Pdf, model: ReportModel, figures: Figures): void {
  writeTitle(pdf, model)
  moveDown(pdf, 16)
  write(pdf, summaryText(model, figures), { size: 13, lineGap: 4 })
  moveDown(pdf, 16)
  writeTiles(pdf, model, figures)
  moveDown(pdf, 22)
  writeBars(pdf, model, figures)
  moveDown(pdf, 22)
  writeTop(pdf, figures)
}

function writeTitle(pdf: Pdf, { target, scan, account }: ReportModel): void {
  drawLogo(pdf, page.left - 2, 44, 1)
  writeAt(pdf, 'Glacis', page.left + 28, 49, { font: fonts.bold, size: 15 })
  writeAt(pdf, account.name, page.left, 52, { size: 9, color: ink.faint, align: 'right' })
  pdf.y = 96
  write(pdf, 'SECURITY REPORT', { size: 8.5, color: accent.solid, font: fonts.bold })
  moveDown(pdf, 3)
  write(pdf, truncatedLine(target.name, 90), { font: fonts.bold, size: 24 })
  moveDown(pdf, 2)
  const durationText = formatDuration(scan.startTime ?? scan.createTime, scan.completeTime)
  const facts = [
    target.address === target.name ? '' : target.address,
    `${state[scan.status]} ${formatTime(scan.completeTime ?? startOf(scan) ?? scan.updateTime)}`,
    durationText === '' ? '' : `took ${durationText}`,
    scan.startedBy === undefined ? '' : `started by ${scan.startedBy}`,
  ]
  write(pdf, facts.filter((fact) => fact !== '').join('  ·  '), { color: ink.soft })
}

const state = {
  STATUS_CREATED: 'Queued since',
  STATUS_RUNNING: 'Running since',
  STATUS_COMPLETED: 'Completed',
  STATUS_CANCELLED: 'Canceled',
  STATUS_FAILED: 'Failed',
} as const

/** When a scan that has not ended was queued or started. */
function startOf({ status, createTime, startTime }: ReportModel['scan']): string | undefined {
  if (status === 'STATUS_CREATED') return createTime
  return status === 'STATUS_RUNNING' ? startTime : undefined
}

/** A summary in one or two sentences. */
function summaryText({ scan, hosts }: ReportModel, figures: Figures): string {
  const hostsText = formatCount(scan.hostCount.scannedHosts || hosts.length, 'host')
  if (scan.status !== 'STATUS_COMPLETED') {
    return `This scan is incomplete, so the figures cover only the hosts it reached. Open risks: ${figures.open.length}.`
  }
  if (figures.open.length === 0) return `No open risks on ${hostsText}.`
  const urgent = chartedSeverities.slice(0, 2).map((category) => {
    const { verified = 0, potential = 0 } = figures.bySeverity.get(category) ?? {}
    return { number: verified + potential, label: severities[category].label.toLowerCase() }
  })
  const named = urgent.filter(({ number }) => number > 0)
  const sum = named.reduce((total, { number }) => total + number, 0)
  const counts = named.map(({ number, label }) => `${number} ${label}`).join(' and ')
  const reach = `${scan.hostCount.affectedHosts} of ${hostsText} ${scan.hostCount.affectedHosts === 1 ? 'is' : 'are'} affected`
  const head =
    sum > 0
      ? `${counts} ${sum === 1 ? 'risk needs' : 'risks need'} attention; ${reach}.`
      : `${formatCount(figures.open.length, 'risk')} on ${hostsText}, none critical or high.`
  if (figures.knownExploited === 0) return head
  const exploited = `${formatCount(figures.knownExploited, 'risk')} ${figures.knownExploited === 1 ? 'is' : 'are'}`
  return `${head} ${exploited} exploited in the wild.`
}

function writeTiles(pdf: Pdf, { scan, hosts }: ReportModel, figures: Figures): void {
  const tiles = [
    ['Open risks', String(figures.open.length), `on ${formatCount(scan.hostCount.affectedHosts, 'host')}`],
    ['Verified', String(figures.verified), 'confirmed by a check'],
    ['Potential', String(figures.potential), 'inferred from versions'],
    ['Hosts scanned', String(scan.hostCount.scannedHosts || hosts.length), `${services(hosts)} found`],
  ] as const
  const between = 10
  const width = (contentWidth - between * (tiles.length - 1)) / tiles.length
  const top = pdf.y
  tiles.forEach(([label, value, note], index) => {
    const x = page.left + index * (width + between)
    pdf.roundedRect(x, top, width, 68, 4).lineWidth(0.6).strokeColor(ink.line).stroke()
    writeAt(pdf, label, x + 11, top + 11, { size: 8.5, color: ink.soft, width: width - 22 })
    writeAt(pdf, value, x + 11, top + 24, { size: 20, font: fonts.bold, width: width - 22 })
    writeAt(pdf, note, x + 11, top + 50, { size: 8, color: ink.faint, width: width - 22 })
  })
  pdf.y = top + 68
}

function services(hosts: ReportModel['hosts']): string {
  return formatCount(
    hosts.reduce((sum, host) => sum + host.services.length, 0),
    'service',
  )
}

/**
 * A bar per severity: solid for verified, pale for potential issues. The changes are next to it.
 */
function writeBars(pdf: Pdf, model: ReportModel, figures: Figures): void {
  const top = pdf.y
  const width = contentWidth * 0.6
  const rows = chartedSeverities.map((category) => ({ category, ...figures.bySeverity.get(category) }))
  const most = Math.max(1, ...rows.map(({ verified = 0, potential = 0 }) => verified + potential))
  writeAt(pdf, 'By severity', page.left, top, { font: fonts.bold, size: 11 })
  rows.forEach(({ category, verified = 0, potential = 0 }, index) => {
    const style = severities[category]
    const y = top + 24 + index * 21
    const barLeft = page.left + 62
    const unit = (width - 62 - 34) / most
    writeAt(pdf, style.label, page.left, y + 1.5, { size: 9.5, width: 60 })
    if (verified > 0) pdf.rect(barLeft, y, verified * unit, 11).fill(style.mark)
    if (potential > 0) pdf.rect(barLeft + verified * unit, y, potential * unit, 11).fill(style.tint)
    const end = barLeft + (verified + potential) * unit
    writeAt(pdf, String(verified + potential), end + 6, y + 1.5, { size: 9.5, font: fonts.bold, width: 30 })
  })
  const legend = top + 24 + rows.length * 21 + 3
  pdf.rect(page.left, legend + 1, 7, 7).fill(ink.soft)
  writeAt(pdf, 'verified', page.left + 11, legend, { size: 8, color: ink.soft })
  pdf.rect(page.left + 54, legend + 1, 7, 7).fill(ink.line)
  writeAt(pdf, 'potential', page.left + 65, legend, { size: 8, color: ink.soft })
  const unrated = rows.reduce(
    (left, { verified = 0, potential = 0 }) => left - verified - potential,
    figures.open.length,
  )
  const more = `${unrated} more without a rating`
  if (unrated > 0) writeAt(pdf, more, page.left + 118, legend, { size: 8, color: ink.soft })
  writeChange(pdf, model, page.left + width + 24, top)
  pdf.y = legend + 12
}

function writeChange(pdf: Pdf, { scan, previous }: ReportModel, x: number, y: number): void {
  const width = page.left + contentWidth - x
  writeAt(pdf, 'Since the previous scan', x, y, { font: fonts.bold, size: 11, width })
  if (!scan.changes || !previous) {
    writeAt(pdf, 'No previous scan to compare with.', x, y + 25, { color: ink.soft, width })
    return
  }
  const rows = [
    ['New', scan.changes.new, ink.text],
    ['Regressed', scan.changes.regressive, ink.text],
    ['Resolved', scan.changes.resolved, positive],
  ] as const
  rows.forEach(([label, value, color], index) => {
    const top = y + 25 + index * 21
    writeAt(pdf, label, x, top, { size: 9.5, width: 70 })
    writeAt(pdf, String(value), x + 70, top, { size: 9.5, font: fonts.bold, color, width: 40 })
  })
  writeAt(pdf, `Compared with ${formatTime(previous.completeTime)}`, x, y + 111, { size: 8, color: ink.soft, width })
}

/** Height of a list row including its line. */
const rowHeight = 26

function writeTop(pdf: Pdf, { open, byPriority }: Figures): void {
  if (open.length === 0) return
  ensureSpace(pdf, 80)
  write(pdf, 'Fix first', { font: fonts.bold, size: 11 })
  moveDown(pdf, 6)
  const columns = { name: 84, hosts: contentWidth - 112, proof: contentWidth - 52 }
  for (const issue of byPriority.slice(0, topMax)) {
    // Placing cells across a page end would start a new page per cell.
    ensureSpace(pdf, rowHeight)
    drawRule(pdf)
    const y = pdf.y + 7
    const style = severities[issue.threat.severity.category]
    severityTag(pdf, page.left, y - 1, style)
    const name = { size: 9.5, width: columns.hosts - columns.name - 10 }
    writeAt(pdf, issue.name, page.left + columns.name - 14, y, { ...name, width: name.width + 14 })
    writeAt(pdf, formatCount(hostsOf(issue), 'host'), page.left + columns.hosts, y, { color: ink.soft, width: 56 })
    const proof = isVerified(issue) ? 'verified' : 'potential'
    writeAt(pdf, proof, page.left + columns.proof, y, { color: ink.soft, width: 52, align: 'right' })
    pdf.y = y + 17
  }
  drawRule(pdf)
  if (open.length <= topMax) return
  moveDown(pdf, 7)
  write(pdf, `${formatCount(open.length - topMax, 'more risk')} on the following pages.`, {
    size: 8.5,
    color: ink.soft,
  })
}

/** A colored square with a label, so that severity is never shown by color alone. */
export function severityTag(pdf: Pdf, x: number, y: number, style: { label: string; mark: string; ink: string }): void {
  pdf.roundedRect(x, y, 9, 9, 2).fill(style.mark)
  writeAt(pdf, style.label, x + 14, y + 1.5, { size: 9, color: style.ink, font: fonts.bold, width: 56 })
}

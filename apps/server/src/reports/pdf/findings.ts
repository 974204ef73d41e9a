/** The findings: description, affected hosts, evidence, and solution of each threat. */
import type { AffectedHost, Evidence, Issue } from '@glacis/contract/issue'
import { type Figures, hostsOf, isVerified } from '../figures.ts'
import {
  moveDown,
  heading,
  heightOf,
  type Pdf,
  writeAt,
  ensureSpace,
  drawRule,
  type TextStyle,
  write,
} from './document.ts'
import { severityTag } from './summary.ts'
import { formatCount, formatDay, excerpt, truncatedLine, formatLocation, withQuotedCode } from './text.ts'
import { accent, contentWidth, fonts, ink, page, severities } from './theme.ts'

/** Limits per issue; the portal shows the rest. */
const hostsMax = 25
const evidenceMax = 3
const evidenceLinesMax = 14
const evidenceLengthMax = 1100
const referencesMax = 6

/** Writes all open issues, most urgent first. */
export function writeFindings(pdf: Pdf, { open }: Figures): void {
  heading(pdf, 'Risks')
  if (open.length === 0) {
    write(pdf, 'No open risks were found.', { color: ink.soft })
    return
  }
  open.forEach((issue, index) => {
    if (index > 0) moveDown(pdf, 20)
    writeIssue(pdf, issue)
  })
}

function writeIssue(pdf: Pdf, issue: Issue): void {
  const { threat } = issue
  const severityStyle = severities[threat.severity.category]
  const title: TextStyle = { font: fonts.bold, size: 12.5 }
  // Keeps the heading on the same page as the start of its text.
  ensureSpace(pdf, heightOf(pdf, issue.name, title) + 110)
  drawRule(pdf, severityStyle.mark)
  moveDown(pdf, 9)
  severityTag(pdf, page.left, pdf.y, severityStyle)
  writeAt(pdf, statusText(issue), page.left, pdf.y + 1.5, { size: 9, color: ink.soft, align: 'right' })
  moveDown(pdf, 17)
  pdf.outline.addItem(truncatedLine(issue.name, 120))
  write(pdf, issue.name, title)
  moveDown(pdf, 3)
  write(pdf, factsOf(issue), { size: 8.5, color: ink.soft })
  moveDown(pdf, 8)
  writePart(pdf, 'Description', threat.summary)
  writePart(pdf, 'Impact', threat.impact)
  writeSolution(pdf, issue)
  writeHosts(pdf, issue)
  writeEvidence(pdf, issue)
  writeReferences(pdf, issue)
}

function statusText(issue: Issue): string {
  const proof = isVerified(issue) ? 'Verified' : 'Potential'
  const quality = issue.quality === undefined ? '' : ` (detection quality ${issue.quality} of 100)`
  return `${issue.status === 'STATUS_REGRESSION' ? 'Found again after being resolved  ·  ' : ''}${proof}${quality}`
}

function factsOf({ threat, priority, firstSeenTime }: Issue): string {
  const { score, cvss } = threat.severity
  const facts = [
    threat.references.flatMap((reference) => ('cve' in reference ? [reference.cve] : []))[0] ?? '',
    score > 0 ? `CVSS ${score.toFixed(1)}${cvss === '' ? '' : ` (${cvss})`}` : '',
    threat.epss ? `EPSS ${(threat.epss.score * 100).toFixed(1)}%` : '',
    threat.knownExploited ? `Exploited in the wild (in KEV since ${formatDay(threat.knownExploited.addTime)})` : '',
    priority === undefined ? '' : `Priority ${priority}`,
    `First seen ${formatDay(firstSeenTime)}`,
  ]
  return facts.filter((fact) => fact !== '').join('  ·  ')
}

function writePart(pdf: Pdf, label: string, text: string): void {
  if (text.trim() === '') return
  ensureSpace(pdf, 40)
  writeLabel(pdf, label)
  write(pdf, excerpt(withQuotedCode(text), 40, 3000))
  moveDown(pdf, 8)
}

function writeLabel(pdf: Pdf, label: string): void {
  write(pdf, label, { font: fonts.bold, size: 9, color: ink.soft })
  moveDown(pdf, 1)
}

/** The solution is highlighted, because most readers look for it. */
function writeSolution(pdf: Pdf, { threat: { solution } }: Issue): void {
  if (!solution || solution.description.trim() === '') return
  const inset = 11
  const style: TextStyle = { indent: inset, width: contentWidth - 2 * inset }
  const text = excerpt(withQuotedCode(solution.description), 20, 1500)
  const height = heightOf(pdf, text, style) + 31
  ensureSpace(pdf, height)
  const top = pdf.y
  pdf.roundedRect(page.left, top, contentWidth, height, 4).fill(accent.tint)
  pdf.y = top + 10
  write(pdf, solutionLabels[solution.kind], { ...style, font: fonts.bold, size: 9, color: accent.solid })
  moveDown(pdf, 2)
  write(pdf, text, style)
  pdf.y = top + height + 10
}

const solutionLabels = {
  KIND_UNSPECIFIED: 'Solution',
  KIND_NONE: 'No solution is available yet',
  KIND_WONT_FIX: "The vendor won't fix this",
  KIND_MITIGATION: 'Mitigation',
  KIND_WORKAROUND: 'Workaround',
  KIND_VENDOR_FIX: 'Solution',
} as const

function writeHosts(pdf: Pdf, issue: Issue): void {
  if (issue.affectedHosts.length === 0) return
  ensureSpace(pdf, 46)
  const total = hostsOf(issue)
  writeLabel(pdf, `Affected: ${formatCount(total, 'host')}`)
  moveDown(pdf, 2)
  for (const affected of issue.affectedHosts.slice(0, hostsMax)) writeHost(pdf, affected)
  const rest = total - Math.min(hostsMax, issue.affectedHosts.length)
  if (rest > 0) write(pdf, `and ${formatCount(rest, 'more host')}`, { size: 8.5, color: ink.soft })
  moveDown(pdf, 8)
}

function writeHost(pdf: Pdf, { host, evidence = [], status, firstSeenTime, notCheckedSinceTime }: AffectedHost): void {
  ensureSpace(pdf, 15)
  const y = pdf.y
  const nameWidth = contentWidth * 0.38
  const name = host.name === undefined || host.name === host.address ? host.address : `${host.name} (${host.address})`
  writeAt(pdf, name, page.left, y, { font: fonts.mono, size: 8.5, width: nameWidth })
  const locations = [...new Set(evidence.map(({ location }) => formatLocation(location)))].join(', ')
  writeAt(pdf, locations, page.left + nameWidth + 8, y, {
    font: fonts.mono,
    size: 8.5,
    color: ink.soft,
    width: contentWidth * 0.34,
  })
  const since =
    notCheckedSinceTime === undefined
      ? `${statusLabels[status]} ${formatDay(firstSeenTime)}`
      : `not checked since ${formatDay(notCheckedSinceTime)}`
  writeAt(pdf, since, page.left, y, { size: 8.5, color: ink.soft, align: 'right' })
  pdf.y = y + 14
}

const statusLabels = {
  STATUS_OPEN: 'open since',
  STATUS_REGRESSION: 'regressed, first seen',
  STATUS_IGNORED: 'ignored, first seen',
  STATUS_RESOLVED: 'resolved, first seen',
} as const

function writeEvidence(pdf: Pdf, { affectedHosts }: Issue): void {
  const all = affectedHosts.flatMap(({ host, evidence = [] }) => evidence.map((item) => ({ host, one: item })))
  // Identical evidence of several hosts is printed once.
  const kinds = [...Map.groupBy(all, ({ one }) => `${one.method}\n${one.text}`).values()]
  const entries = kinds.toSorted((a, b) => (b[0]?.one.quality ?? 0) - (a[0]?.one.quality ?? 0))
  for (const [first, ...rest] of entries.slice(0, evidenceMax)) {
    if (!first) continue
    const more = rest.length === 0 ? '' : ` and ${rest.length} more`
    writeEvidenceEntry(
      pdf,
      `${first.host.name ?? first.host.address}, ${formatLocation(first.one.location)}${more}`,
      first.one,
    )
  }
  if (entries.length > evidenceMax) {
    write(
      pdf,
      `${formatCount(entries.length - evidenceMax, 'more evidence entry', 'more evidence entries')} in the portal.`,
      {
        size: 8.5,
        color: ink.soft,
      },
    )
    moveDown(pdf, 8)
  }
}

function writeEvidenceEntry(pdf: Pdf, location: string, { method, quality, request, text, reproduce }: Evidence): void {
  const inset = 9
  const style: TextStyle = { font: fonts.mono, size: 8, indent: inset, width: contentWidth - 2 * inset, lineGap: 1.5 }
  const requestLine = request === undefined || request.trim() === '' ? '' : `> ${excerpt(request, 1, 160)}\n`
  const command = reproduce === undefined ? '' : `\n$ ${reproduce}`
  const body = requestLine + excerpt(text, evidenceLinesMax, evidenceLengthMax) + command
  const height = heightOf(pdf, body, style) + 2 * inset
  ensureSpace(pdf, height + 20)
  const label = method === 'version' ? 'Version match' : method === 'package' ? 'Package version' : `Check ${method}`
  write(pdf, truncatedLine(`Evidence: ${location}  ·  ${label}  ·  detection quality ${quality} of 100`, 170), {
    size: 8.5,
    color: ink.soft,
  })
  moveDown(pdf, 2)
  const top = pdf.y
  pdf.roundedRect(page.left, top, contentWidth, height, 3).fill(ink.inset)
  pdf.y = top + inset
  write(pdf, body, style)
  pdf.y = top + height + 9
}

function writeReferences(pdf: Pdf, { threat }: Issue): void {
  const addresses = threat.references
    .flatMap((reference) => ('url' in reference ? [reference.url] : []))
    .filter((url) => /^https?:\/\/[\u0021-\u007e]+$/i.test(url))
  if (addresses.length === 0) return
  ensureSpace(pdf, 34)
  writeLabel(pdf, 'References')
  for (const url of addresses.slice(0, referencesMax)) {
    ensureSpace(pdf, 13)
    writeAt(pdf, url, page.left, pdf.y, { size: 8.5, color: accent.solid, link: url })
    moveDown(pdf, 12.5)
  }
}

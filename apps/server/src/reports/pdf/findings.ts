/** The findings, one threat after the other: what it is, where, how it was seen, what to do. */
import type { AffectedHost, Evidence, Issue } from '@glacis/contract/issue'
import { type Figures, hostsOf, isVerified } from '../figures.ts'
import { gap, heading, heightOf, type Pdf, place, reserve, rule, type TextStyle, write } from './sheet.ts'
import { severityTag } from './summary.ts'
import { count, day, excerpt, line } from './text.ts'
import { accent, contentWidth, fonts, ink, page, severities } from './theme.ts'

/** Bounds of what is printed of one issue; the portal has the rest. */
const hostsMax = 25
const evidenceMax = 3
const evidenceLinesMax = 14
const evidenceLengthMax = 1100
const referencesMax = 6

/** Writes every open issue, the most urgent first. */
export function writeFindings(pdf: Pdf, { open }: Figures): void {
  heading(pdf, 'Risks')
  if (open.length === 0) {
    write(pdf, 'No open risks were found.', { color: ink.soft })
    return
  }
  open.forEach((issue, index) => {
    if (index > 0) gap(pdf, 20)
    writeIssue(pdf, issue)
  })
}

function writeIssue(pdf: Pdf, issue: Issue): void {
  const { threat } = issue
  const look = severities[threat.severity.category]
  const title: TextStyle = { font: fonts.bold, size: 12.5 }
  // The head stays with the beginning of its text.
  reserve(pdf, heightOf(pdf, issue.name, title) + 110)
  rule(pdf, look.mark)
  gap(pdf, 9)
  severityTag(pdf, page.left, pdf.y, look)
  place(pdf, standing(issue), page.left, pdf.y + 1.5, { size: 9, color: ink.soft, align: 'right' })
  gap(pdf, 17)
  pdf.outline.addItem(line(issue.name, 120))
  write(pdf, issue.name, title)
  gap(pdf, 3)
  write(pdf, factsOf(issue), { size: 8.5, color: ink.soft })
  gap(pdf, 8)
  writePart(pdf, 'What it is', threat.summary)
  writePart(pdf, 'What it can lead to', threat.impact)
  writeSolution(pdf, issue)
  writeHosts(pdf, issue)
  writeEvidence(pdf, issue)
  writeReferences(pdf, issue)
}

function standing(issue: Issue): string {
  const proof = isVerified(issue) ? 'Verified' : 'Potential'
  const quality = issue.quality === undefined ? '' : ` (quality of detection ${issue.quality} %)`
  return `${issue.status === 'STATUS_REGRESSION' ? 'Returned after it was resolved  ·  ' : ''}${proof}${quality}`
}

function factsOf({ threat, priority, firstSeenTime }: Issue): string {
  const { score, cvss } = threat.severity
  const facts = [
    threat.references.flatMap((reference) => ('cve' in reference ? [reference.cve] : []))[0] ?? '',
    score > 0 ? `CVSS ${score.toFixed(1)}${cvss === '' ? '' : ` (${cvss})`}` : '',
    threat.epss ? `EPSS ${(threat.epss.score * 100).toFixed(1)} %` : '',
    threat.knownExploited ? `Known to be exploited since ${day(threat.knownExploited.addTime)}` : '',
    priority === undefined ? '' : `Priority ${priority}`,
    `First seen ${day(firstSeenTime)}`,
  ]
  return facts.filter((fact) => fact !== '').join('  ·  ')
}

function writePart(pdf: Pdf, label: string, text: string): void {
  if (text.trim() === '') return
  reserve(pdf, 40)
  writeLabel(pdf, label)
  write(pdf, excerpt(text, 40, 3000))
  gap(pdf, 8)
}

function writeLabel(pdf: Pdf, label: string): void {
  write(pdf, label, { font: fonts.bold, size: 9, color: ink.soft })
  gap(pdf, 1)
}

/** The way out stands in a box: it is what most readers look for. */
function writeSolution(pdf: Pdf, { threat: { solution } }: Issue): void {
  if (!solution || solution.description.trim() === '') return
  const inset = 11
  const style: TextStyle = { indent: inset, width: contentWidth - 2 * inset }
  const text = excerpt(solution.description, 20, 1500)
  const height = heightOf(pdf, text, style) + 31
  reserve(pdf, height)
  const top = pdf.y
  pdf.roundedRect(page.left, top, contentWidth, height, 4).fill(accent.tint)
  pdf.y = top + 10
  write(pdf, solutionLabels[solution.kind], { ...style, font: fonts.bold, size: 9, color: accent.solid })
  gap(pdf, 2)
  write(pdf, text, style)
  pdf.y = top + height + 10
}

const solutionLabels = {
  KIND_UNSPECIFIED: 'Solution',
  KIND_NONE: 'There is no solution yet',
  KIND_WONT_FIX: 'The vendor will not fix it',
  KIND_MITIGATION: 'Mitigation',
  KIND_WORKAROUND: 'Workaround',
  KIND_VENDOR_FIX: 'Solution',
} as const

function writeHosts(pdf: Pdf, issue: Issue): void {
  if (issue.affectedHosts.length === 0) return
  reserve(pdf, 46)
  const total = hostsOf(issue)
  writeLabel(pdf, `Affected: ${count(total, 'host')}`)
  gap(pdf, 2)
  for (const affected of issue.affectedHosts.slice(0, hostsMax)) writeHost(pdf, affected)
  const rest = total - Math.min(hostsMax, issue.affectedHosts.length)
  if (rest > 0) write(pdf, `and ${count(rest, 'more host')}`, { size: 8.5, color: ink.soft })
  gap(pdf, 8)
}

function writeHost(pdf: Pdf, { host, evidence = [], status, firstSeenTime, notCheckedSinceTime }: AffectedHost): void {
  reserve(pdf, 15)
  const y = pdf.y
  const half = contentWidth * 0.42
  const name = host.name === undefined || host.name === host.address ? host.address : `${host.name} (${host.address})`
  place(pdf, name, page.left, y, { font: fonts.mono, size: 8.5, width: half })
  const places = [...new Set(evidence.map(({ location }) => location))].join(', ')
  place(pdf, places, page.left + half + 8, y, {
    font: fonts.mono,
    size: 8.5,
    color: ink.soft,
    width: contentWidth * 0.26,
  })
  const since =
    notCheckedSinceTime === undefined
      ? `${statusWords[status]} since ${day(firstSeenTime)}`
      : `not checked since ${day(notCheckedSinceTime)}`
  place(pdf, since, page.left, y, { size: 8.5, color: ink.soft, align: 'right' })
  pdf.y = y + 14
}

const statusWords = {
  STATUS_OPEN: 'open',
  STATUS_REGRESSION: 'returned, seen',
  STATUS_IGNORED: 'ignored, seen',
  STATUS_RESOLVED: 'resolved, seen',
} as const

function writeEvidence(pdf: Pdf, { affectedHosts }: Issue): void {
  const all = affectedHosts.flatMap(({ host, evidence = [] }) => evidence.map((one) => ({ host, one })))
  // Hosts of one kind give the same proof; it is printed once.
  const kinds = [...Map.groupBy(all, ({ one }) => `${one.method}\n${one.text}`).values()]
  const proofs = kinds.toSorted((a, b) => (b[0]?.one.quality ?? 0) - (a[0]?.one.quality ?? 0))
  for (const [first, ...rest] of proofs.slice(0, evidenceMax)) {
    if (!first) continue
    const others = rest.length === 0 ? '' : ` and ${rest.length} more`
    writeProof(pdf, `${first.host.name ?? first.host.address}, ${first.one.location}${others}`, first.one)
  }
  if (proofs.length > evidenceMax) {
    write(pdf, `${count(proofs.length - evidenceMax, 'more proof')} in the portal.`, { size: 8.5, color: ink.soft })
    gap(pdf, 8)
  }
}

function writeProof(pdf: Pdf, where: string, { method, quality, request, text }: Evidence): void {
  const inset = 9
  const style: TextStyle = { font: fonts.mono, size: 8, indent: inset, width: contentWidth - 2 * inset, lineGap: 1.5 }
  const asked = request === undefined || request.trim() === '' ? '' : `> ${excerpt(request, 1, 160)}\n`
  const body = asked + excerpt(text, evidenceLinesMax, evidenceLengthMax)
  const height = heightOf(pdf, body, style) + 2 * inset
  reserve(pdf, height + 20)
  const label = method === 'version' ? 'Version compared' : `Check ${method}`
  write(pdf, line(`Evidence: ${where}  ·  ${label}  ·  quality ${quality} %`, 170), { size: 8.5, color: ink.soft })
  gap(pdf, 2)
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
  reserve(pdf, 34)
  writeLabel(pdf, 'References')
  for (const url of addresses.slice(0, referencesMax)) {
    reserve(pdf, 13)
    place(pdf, url, page.left, pdf.y, { size: 8.5, color: accent.solid, link: url })
    gap(pdf, 12.5)
  }
}

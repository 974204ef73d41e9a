/** The last part: ignored and resolved issues, and explanations of terms. */
import { type Issue, ignoreReasonLabels } from '@glacis/contract/issue'
import { type Figures, hostsOf } from '../figures.ts'
import { moveDown, heading, type Pdf, ensureSpace, write } from './document.ts'
import { formatCount, formatDay, truncatedLine } from './text.ts'
import { fonts, ink, severities } from './theme.ts'

const listedMax = 30
/** Hosts that are named per risk. */
const namedMax = 3

/** Lists the ignored and resolved issues with who decided it and why, then explains the terms of the report. */
export function writeAppendix(pdf: Pdf, { ignored, resolved }: Figures): void {
  moveDown(pdf, 26)
  writeList(pdf, 'Accepted and ignored', ignored)
  writeList(pdf, 'Resolved', resolved)
  heading(pdf, 'About this report')
  for (const [term, text] of terms) {
    ensureSpace(pdf, 44)
    write(pdf, term, { font: fonts.bold })
    moveDown(pdf, 1)
    write(pdf, text, { color: ink.soft })
    moveDown(pdf, 7)
  }
}

function writeList(pdf: Pdf, title: string, issues: readonly Issue[]): void {
  if (issues.length === 0) return
  heading(pdf, title)
  for (const issue of issues.slice(0, listedMax)) {
    ensureSpace(pdf, 28)
    const { label } = severities[issue.threat.severity.category]
    write(pdf, `${label}  ·  ${truncatedLine(issue.name, 100)}`, { size: 9 })
    write(pdf, truncatedLine(`${hostsText(issue)}. ${decisionText(issue)}`, 300), { size: 8.5, color: ink.soft })
    moveDown(pdf, 3)
  }
  if (issues.length > listedMax)
    write(pdf, `and ${formatCount(issues.length - listedMax, 'more risk')}`, { color: ink.soft })
  moveDown(pdf, 20)
}

function hostsText(issue: Issue): string {
  const names = issue.affectedHosts.slice(0, namedMax).map(({ host }) => host.name ?? host.address)
  const more = hostsOf(issue) - names.length
  return more > 0 ? `${names.join(', ')}, and ${formatCount(more, 'more host')}` : names.join(', ')
}

/** Who ignored or resolved a risk, why, and until when. */
function decisionText({ status, ignored, ignoreTime, resolveTime, history }: Issue): string {
  if (status === 'STATUS_RESOLVED') {
    const actor = history.findLast((entry) => entry.status === status)?.actor
    const by = actor === undefined || actor === 'scan' ? 'A scan no longer found it' : `Resolved by ${actor}`
    return `${by} on ${formatDay(resolveTime)}.`
  }
  const reason = ignored?.reason === undefined ? 'Ignored' : ignoreReasonLabels[ignored.reason]
  const by = ignored?.actor === undefined ? '' : ` by ${ignored.actor}`
  const until = ignored?.untilTime === undefined ? '' : ` until ${formatDay(ignored.untilTime)}`
  const comment = ignored?.comment === undefined ? '' : ` ${ignored.comment}`
  return `${reason}, set${by} on ${formatDay(ignoreTime)}${until}.${comment}`
}

const terms = [
  [
    'Verified',
    'A check confirmed the vulnerability on the host, for example by exposed content, a protocol response, or an out-of-band callback. The detection quality is at least 95 of 100.',
  ],
  [
    'Potential',
    'Inferred from the software version or another indicator, not confirmed by a check. Distributions backport fixes without changing the version number, so the detection quality is lower when the package revision is unknown.',
  ],
  [
    'Severity, EPSS, and priority',
    'Severity is based on the CVSS score of the vulnerability. EPSS is the probability that it will be exploited in the next 30 days. Priority (0 to 100) combines both with known exploitation, verification, exposure, and the criticality of the host, and ranks what to fix first.',
  ],
  [
    'Not checked',
    "The host was unreachable or the check didn't complete. The risk keeps its previous status and shows when it was last checked.",
  ],
] as const

/** The last part: ignored and resolved issues, and explanations of terms. */
import type { Issue } from '@glacis/contract/issue'
import type { Figures } from '../figures.ts'
import { moveDown, heading, type Pdf, ensureSpace, write } from './document.ts'
import { formatCount, truncatedLine } from './text.ts'
import { fonts, ink, severities } from './theme.ts'

const listedMax = 30

/** Lists the ignored and resolved issues by name, then explains the terms of the report. */
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
  for (const { name, threat } of issues.slice(0, listedMax)) {
    ensureSpace(pdf, 14)
    write(pdf, `${severities[threat.severity.category].label}  ·  ${truncatedLine(name, 100)}`, { size: 9 })
  }
  if (issues.length > listedMax)
    write(pdf, `and ${formatCount(issues.length - listedMax, 'more risk')}`, { color: ink.soft })
  moveDown(pdf, 20)
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

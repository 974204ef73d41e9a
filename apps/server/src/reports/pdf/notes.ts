/** The end: what was left out on purpose, and how to read the rest. */
import type { Issue } from '@glacis/contract/issue'
import type { Figures } from '../figures.ts'
import { gap, heading, type Pdf, reserve, write } from './sheet.ts'
import { count, line } from './text.ts'
import { fonts, ink, severities } from './theme.ts'

const listedMax = 30

/** Writes the ignored and resolved issues by name, then what the words of the report mean. */
export function writeNotes(pdf: Pdf, { ignored, resolved }: Figures): void {
  gap(pdf, 26)
  writeList(pdf, 'Accepted and ignored', ignored)
  writeList(pdf, 'Resolved', resolved)
  heading(pdf, 'How to read this report')
  for (const [term, text] of terms) {
    reserve(pdf, 44)
    write(pdf, term, { font: fonts.bold })
    gap(pdf, 1)
    write(pdf, text, { color: ink.soft })
    gap(pdf, 7)
  }
}

function writeList(pdf: Pdf, title: string, issues: readonly Issue[]): void {
  if (issues.length === 0) return
  heading(pdf, title)
  for (const { name, threat } of issues.slice(0, listedMax)) {
    reserve(pdf, 14)
    write(pdf, `${severities[threat.severity.category].label}  ·  ${line(name, 100)}`, { size: 9 })
  }
  if (issues.length > listedMax) write(pdf, `and ${count(issues.length - listedMax, 'more risk')}`, { color: ink.soft })
  gap(pdf, 20)
}

const terms = [
  [
    'Verified',
    'A check has proved the weakness on the host: content that should not be there, an answer of the protocol, or a call that came back. The quality of detection is 95 % or more.',
  ],
  [
    'Potential',
    'The version, or another trace, fits a known weakness. Distributions put fixes into old versions without changing the number; where a package hides its revision the quality is lower.',
  ],
  [
    'Severity, EPSS and priority',
    'Severity is the CVSS score of the weakness in itself. EPSS is the probability that it is exploited somewhere within 30 days. Priority, from 0 to 100, joins both with known exploitation, proof and reach, and says what to do first.',
  ],
  [
    'Not checked',
    'A host that could not be reached, or a check that could not finish, proves nothing. Such risks keep the state they had and say since when they were not checked.',
  ],
] as const

/** Four narrow columns, one per severity, as every table with counts has them. */
import type { SeverityCount } from '@glacis/contract/primitives'
import { SeverityNumber, severityLevels, severityWords } from '#ui/severity.tsx'
import { Cell, HeaderCell } from '#ui/table.tsx'

const shortWords = { critical: 'Crit', high: 'High', medium: 'Med', low: 'Low' } as const

/** The heads: Crit, High, Med, Low. */
export function SeverityHeads() {
  return severityLevels.map((level) => (
    <HeaderCell key={level} className="sev" align="center" title={severityWords[level]}>
      {shortWords[level]}
    </HeaderCell>
  ))
}

/** The counts under them; a dash where nothing was counted. */
export function SeverityCells({ counts }: { readonly counts: SeverityCount | undefined }) {
  return severityLevels.map((level) => (
    <Cell
      key={level}
      label={shortWords[level]}
      align="center"
      className={counts ? undefined : 'text-ink-3 max-md:hidden!'}
    >
      {counts ? <SeverityNumber level={level} count={counts[level]} /> : '–'}
    </Cell>
  ))
}

/** Four narrow table columns with counts by severity. */
import type { SeverityCount } from '@glacis/contract/primitives'
import { SeverityNumber, severityLevels, severityLabels } from '#ui/severity.tsx'
import { Cell, HeaderCell } from '#ui/table.tsx'

const shortLabels = { critical: 'Crit', high: 'High', medium: 'Med', low: 'Low' } as const

/** Column headers: Crit, High, Med, Low. */
export function SeverityHeads() {
  return severityLevels.map((level) => (
    <HeaderCell key={level} className="sev" align="center" title={severityLabels[level]}>
      {shortLabels[level]}
    </HeaderCell>
  ))
}

/** The counts; a dash if unknown. */
export function SeverityCells({ counts }: { readonly counts: SeverityCount | undefined }) {
  return severityLevels.map((level) => (
    <Cell
      key={level}
      label={shortLabels[level]}
      align="center"
      className={counts ? undefined : 'text-ink-3 max-md:hidden!'}
    >
      {counts ? <SeverityNumber level={level} count={counts[level]} /> : '–'}
    </Cell>
  ))
}

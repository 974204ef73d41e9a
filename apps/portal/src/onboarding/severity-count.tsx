import type { SeverityCount as Counts } from '@glacis/contract/primitives'
import { formatNumber } from '#lib/format.ts'
import { SeverityGlyph, severityLevels, severityLabels } from '#ui/severity.tsx'

/** "2 High 1 Low"; renders nothing without findings. */
export function SeverityCount({ counts }: { readonly counts: Counts }) {
  const levels = severityLevels.filter((level) => counts[level] > 0)
  if (levels.length === 0) return null
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-1 text-12">
      {levels.map((level) => (
        <span key={level} className="inline-flex items-center gap-1.5 tabular-nums">
          <SeverityGlyph level={level} />
          {formatNumber(counts[level])} {severityLabels[level]}
        </span>
      ))}
    </span>
  )
}

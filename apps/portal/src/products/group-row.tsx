import type { Product } from '@glacis/contract/product'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { versionsLabel } from '#lib/versions-label.ts'
import { endOfLifeVersions, totalHosts, versionShares, versionSharesText } from '#products/grouping.ts'
import { partLabel, supportStatus, vendorName } from '#products/labels.ts'
import { Badge } from '#ui/badge.tsx'
import { Cell } from '#ui/table.tsx'

interface GroupRowProps {
  /** At least two. */
  readonly versions: readonly Product[]
  readonly isOpen: boolean
  readonly showsSupport: boolean
  readonly onToggle: () => void
}

/** A product with several versions. Shows no risk counts: a risk that affects several versions would be counted repeatedly. */
export function GroupRow({ versions, isOpen, showsSupport, onToggle }: GroupRowProps) {
  const [first] = versions
  if (!first) return null
  const ending = endOfLifeVersions(versions)
  const status = ending[0] && supportStatus(ending[0])
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <tr>
      <Cell className="pick max-md:hidden!" />
      <Cell label="Name" primary>
        <button
          type="button"
          data-row-link
          aria-expanded={isOpen}
          onClick={onToggle}
          className="flex h-full w-full min-w-0 items-center gap-1.5 text-left focus-visible:-outline-offset-2"
        >
          <Chevron className="-ml-0.5 size-4 flex-none text-ink-3" aria-hidden="true" />
          <span className="ttl truncate">{first.name}</span>
        </button>
      </Cell>
      <Cell label="Version" quiet>
        {versions.length} versions
      </Cell>
      <Cell label="Vendor" priority={3} quiet>
        {vendorName(first.wfn.vendor)}
      </Cell>
      <Cell label="Kind" priority={4} quiet>
        {partLabel(first.wfn)}
      </Cell>
      <Cell label="Hosts" align="end">
        {formatNumber(totalHosts(versions))}
      </Cell>
      <Cell label="Hosts by version" colSpan={4}>
        <VersionBar versions={versions} />
      </Cell>
      {showsSupport && (
        <Cell label="Support" priority={2} className={cx(ending.length === 0 && 'max-md:hidden!')}>
          {status && (
            <Badge variant={status.variant}>
              {status.word}: {versionsLabel(ending)}
            </Badge>
          )}
        </Cell>
      )}
      <Cell priority={3} className="max-md:hidden!" />
    </tr>
  )
}

/** Adjacent segments must differ; the text names the versions. */
const segmentColors = ['bg-main-mark', 'bg-n8', 'bg-n6'] as const

/** The share of each version, most hosts first. */
function VersionBar({ versions }: { readonly versions: readonly Product[] }) {
  const shares = versionShares(versions)
  if (shares.length === 0) return <span className="text-ink-3">on no hosts</span>
  const summary = versionSharesText(shares)
  return (
    <span title={summary}>
      <span className="sr-only">{summary}</span>
      <span aria-hidden="true" className="flex h-1.5 w-full min-w-24 gap-0.5">
        {shares.map(({ version, share }, index) => (
          <span
            key={version}
            className={`rounded-full ${segmentColors[Math.min(index, segmentColors.length - 1)] ?? ''}`}
            style={{ width: `${share * 100}%` }}
          />
        ))}
      </span>
    </span>
  )
}

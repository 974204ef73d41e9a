import type { Product } from '@glacis/contract/product'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { formatNumber } from '#lib/format.ts'
import { hostsOf, spreadOf, spreadWords } from '#products/grouping.ts'
import { kindOf, vendorWords } from '#products/words.ts'
import { Cell } from '#ui/table.tsx'
import type { RowPlace } from '#ui/table-rows.tsx'

interface GroupRowProps {
  readonly place: RowPlace
  /** At least two. */
  readonly versions: readonly Product[]
  readonly isOpen: boolean
  readonly hasEnds: boolean
  readonly onToggle: () => void
}

/**
 * A product of which several versions run. Risks are not added up: one stands on several versions, and would
 * count for each.
 */
export function GroupRow({ place, versions, isOpen, hasEnds, onToggle }: GroupRowProps) {
  const [first] = versions
  if (!first) return null
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <tr {...place}>
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
        {vendorWords(first.wfn.vendor)}
      </Cell>
      <Cell label="Kind" priority={4} quiet>
        {kindOf(first.wfn)}
      </Cell>
      <Cell label="Hosts" align="end">
        {formatNumber(hostsOf(versions))}
      </Cell>
      <Cell label="Spread" colSpan={4}>
        <SpreadBar versions={versions} />
      </Cell>
      {hasEnds && <Cell priority={2} className="max-md:hidden!" />}
      <Cell priority={3} className="max-md:hidden!" />
    </tr>
  )
}

/** Neighbours differ; what they are is said by the words. */
const shades = ['bg-main-mark', 'bg-n8', 'bg-n6'] as const

/** The share of each version, the one on most hosts first. */
function SpreadBar({ versions }: { readonly versions: readonly Product[] }) {
  const spread = spreadOf(versions)
  if (spread.length === 0) return <span className="text-ink-3">on no host</span>
  const words = spreadWords(spread)
  return (
    <span title={words}>
      <span className="sr-only">{words}</span>
      <span aria-hidden="true" className="flex h-1.5 w-full min-w-24 gap-0.5">
        {spread.map(({ version, share }, index) => (
          <span
            key={version}
            className={`rounded-full ${shades[Math.min(index, shades.length - 1)] ?? ''}`}
            style={{ width: `${share * 100}%` }}
          />
        ))}
      </span>
    </span>
  )
}

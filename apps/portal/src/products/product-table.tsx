/** The table of technologies, flat or with versions below their product. */
import type { Product } from '@glacis/contract/product'
import { Eye } from 'lucide-react'
import { useMemo, useState } from 'react'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { GroupRow } from '#products/group-row.tsx'
import { flatRows, groupedRows } from '#products/grouping.ts'
import { NotifyFrom } from '#products/notify-from.tsx'
import { endOfLifeWords, kindOf, vendorWords } from '#products/words.ts'
import { Badge } from '#ui/badge.tsx'
import { Pick, PickAll, type Picking } from '#ui/pick.tsx'
import { SeverityCells, SeverityHeads } from '#ui/severity-columns.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'
import { lengthOf, type RowPlace, TableRows } from '#ui/table-rows.tsx'

interface ProductTableProps {
  /** Undefined while they are on their way. */
  readonly products: readonly Product[] | undefined
  readonly isGrouped: boolean
  readonly picking: Picking
}

export function ProductTable({ products, isGrouped, picking }: ProductTableProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const hasEnds = products?.some(({ endOfLife }) => endOfLife) ?? false
  const rows = useMemo(
    () => products && (isGrouped ? groupedRows(products, open) : flatRows(products)),
    [products, isGrouped, open],
  )
  const toggle = (id: string) => setOpen(open.symmetricDifference(new Set([id])))
  return (
    <Table label="Technologies" {...lengthOf(rows)}>
      <thead>
        <tr>
          <PickAll picking={picking} count={products?.length ?? 0} />
          <HeaderCell>Name</HeaderCell>
          <HeaderCell width={108}>Version</HeaderCell>
          <HeaderCell width={104} priority={3}>
            Vendor
          </HeaderCell>
          <HeaderCell width={130} priority={4}>
            Kind
          </HeaderCell>
          <HeaderCell width={68} align="end">
            Hosts
          </HeaderCell>
          <SeverityHeads />
          {hasEnds && (
            <HeaderCell width={180} priority={2}>
              Support
            </HeaderCell>
          )}
          <HeaderCell width={128} priority={3}>
            Notify from
          </HeaderCell>
        </tr>
      </thead>
      <TableRows
        items={rows}
        idOf={({ id }) => id}
        drawnFrom={[rows, hasEnds, picking.selection]}
        skeleton={<SkeletonRows columns={11} />}
      >
        {(row, place) =>
          row.kind === 'group' ? (
            <GroupRow {...row} place={place} hasEnds={hasEnds} onToggle={() => toggle(row.id)} />
          ) : (
            <Row {...row} place={place} hasEnds={hasEnds} picking={picking} />
          )
        }
      </TableRows>
    </Table>
  )
}

interface RowProps {
  readonly place: RowPlace
  readonly product: Product
  readonly isNested: boolean
  readonly hasEnds: boolean
  readonly picking: Picking
}
function Row({ place, product, isNested, hasEnds, picking }: RowProps) {
  return (
    <tr {...place} aria-selected={picking.selection.ids.has(product.id) || undefined}>
      <Pick picking={picking} id={product.id} name={`${product.name} ${product.version}`.trim()} />
      <Cell label="Name" primary>
        <CellLink
          to="/technologies/$id"
          params={{ id: product.id }}
          title={product.name}
          {...(isNested && { className: 'pl-8!' })}
        >
          <span className="ttl truncate">{product.name}</span>
          {product.watched && <Eye className="ml-2 inline size-3.5 flex-none text-ink-3" aria-label="Watched" />}
        </CellLink>
      </Cell>
      <Cell label="Version" quiet className="tabular-nums" title={product.version}>
        {product.version || 'any'}
      </Cell>
      <Cell label="Vendor" priority={3} quiet>
        {vendorWords(product.wfn.vendor)}
      </Cell>
      <Cell label="Kind" priority={4} quiet>
        {kindOf(product.wfn)}
      </Cell>
      <Cell label="Hosts" align="end">
        {product.hostCount === undefined ? '–' : formatNumber(product.hostCount)}
      </Cell>
      <SeverityCells counts={product.issueCount} />
      {hasEnds && (
        <Cell label="Support" priority={2} className={cx(!product.endOfLife && 'max-md:hidden!')}>
          {product.endOfLife ? <EndOfLifeBadge product={product} /> : <span className="text-ink-3">–</span>}
        </Cell>
      )}
      {/* The words stand under their head: the button reaches out by its own padding. */}
      <Cell
        label="Notify from"
        priority={3}
        className="named overflow-visible! md:[&>button]:-ml-3 max-md:[&>button]:-ml-2"
      >
        <NotifyFrom product={product} quiet />
      </Cell>
    </tr>
  )
}

/** "Ended 30 June 2024", in the colour of its urgency. */
export function EndOfLifeBadge({ product }: { readonly product: Product }) {
  const words = endOfLifeWords(product)
  if (!words) return null
  return (
    <Badge variant={words.variant}>
      {words.word}
      {words.day && ` ${words.day}`}
    </Badge>
  )
}

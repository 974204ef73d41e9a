/** The table of technologies, flat or grouped by product. */
import type { Product } from '@glacis/contract/product'
import { Eye } from 'lucide-react'
import { useMemo, useState } from 'react'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { GroupRow } from '#products/group-row.tsx'
import { flatRows, groupedRows } from '#products/grouping.ts'
import { thresholdExplanation } from '#products/notification-threshold.ts'
import { ThresholdMenu } from '#products/threshold-menu.tsx'
import { supportStatus, partLabel, vendorName } from '#products/labels.ts'
import { Badge } from '#ui/badge.tsx'
import { RowCheckbox, SelectAllCheckbox, type RowSelection } from '#ui/row-checkbox.tsx'
import { SeverityCells, SeverityHeads } from '#ui/severity-columns.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'
import { TableBody } from '#ui/table-body.tsx'

interface ProductTableProps {
  /** Undefined while loading. */
  readonly products: readonly Product[] | undefined
  readonly isGrouped: boolean
  readonly picking: RowSelection
}

export function ProductTable({ products, isGrouped, picking }: ProductTableProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const showsSupport = products?.some(({ endOfLife }) => endOfLife) ?? false
  const rows = useMemo(
    () => products && (isGrouped ? groupedRows(products, open) : flatRows(products)),
    [products, isGrouped, open],
  )
  const toggle = (id: string) => setOpen(open.symmetricDifference(new Set([id])))
  return (
    <Table label="Technologies">
      <thead>
        <tr>
          <SelectAllCheckbox picking={picking} count={products?.length ?? 0} />
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
          {showsSupport && (
            <HeaderCell width={200} priority={2}>
              Support
            </HeaderCell>
          )}
          <HeaderCell width={116} priority={3} title={thresholdExplanation}>
            Notify from
          </HeaderCell>
        </tr>
      </thead>
      <TableBody>
        {!rows && <SkeletonRows columns={11} />}
        {rows?.map((row) =>
          row.kind === 'group' ? (
            <GroupRow key={row.id} {...row} showsSupport={showsSupport} onToggle={() => toggle(row.id)} />
          ) : (
            <Row key={row.id} {...row} showsSupport={showsSupport} picking={picking} />
          ),
        )}
      </TableBody>
    </Table>
  )
}

interface RowProps {
  readonly product: Product
  readonly isNested: boolean
  readonly showsSupport: boolean
  readonly picking: RowSelection
}
function Row({ product, isNested, showsSupport, picking }: RowProps) {
  return (
    <tr aria-selected={picking.selection.ids.has(product.id) || undefined}>
      <RowCheckbox picking={picking} id={product.id} name={`${product.name} ${product.version}`.trim()} />
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
        {product.version || (product.watched ? 'any' : '–')}
      </Cell>
      <Cell label="Vendor" priority={3} quiet className="max-md:order-1">
        {vendorName(product.wfn.vendor)}
      </Cell>
      <Cell label="Kind" priority={4} quiet className="max-md:order-1">
        {partLabel(product.wfn)}
      </Cell>
      <Cell label="Hosts" align="end">
        {product.hostCount === undefined ? '–' : formatNumber(product.hostCount)}
      </Cell>
      <SeverityCells counts={product.issueCount} />
      {showsSupport && (
        <Cell label="Support" priority={2} className={cx(!product.endOfLife && 'max-md:hidden!')}>
          {product.endOfLife ? <EndOfLifeBadge product={product} /> : <span className="text-ink-3">–</span>}
        </Cell>
      )}
      {/* The negative margin aligns the button's text with the column header. */}
      <Cell
        label="Notify from"
        priority={3}
        className="named overflow-visible! md:[&>button]:-ml-3 max-md:[&>button]:-ml-2"
      >
        <ThresholdMenu product={product} quiet />
      </Cell>
    </tr>
  )
}

/** "Ended 30 June 2024", colored by urgency. */
export function EndOfLifeBadge({ product }: { readonly product: Product }) {
  const status = supportStatus(product)
  if (!status) return null
  return <Badge variant={status.variant}>{status.text}</Badge>
}

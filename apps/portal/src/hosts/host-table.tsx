/** The table of hosts. */
import type { Host } from '@glacis/contract/host'
import type { HostSort } from '#hosts/search.ts'
import { hostName, softwareName } from '#hosts/labels.ts'
import { Badge } from '#ui/badge.tsx'
import { RowCheckbox, SelectAllCheckbox, type RowSelection } from '#ui/row-checkbox.tsx'
import { cx } from '#lib/cx.ts'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SeverityCells, SeverityHeads } from '#ui/severity-columns.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'
import { TableBody } from '#ui/table-body.tsx'

interface HostTableProps {
  /** Undefined while loading. */
  readonly hosts: readonly Host[] | undefined
  /** Omits the target column, for the page of a target. */
  readonly hidesTarget?: boolean
  /** Omits the technologies column, for the page of a technology. */
  readonly hidesSoftware?: boolean
  readonly sort?: HostSort | undefined
  readonly onSort?: (sort: HostSort) => void
  readonly picking?: RowSelection
}

export function HostTable({
  hosts,
  hidesTarget = false,
  hidesSoftware = false,
  sort,
  onSort,
  picking,
}: HostTableProps) {
  const head = (by: HostSort, order: 'ascending' | 'descending') => ({
    sort: sort === by ? order : undefined,
    ...(onSort && { onSort: () => onSort(by) }),
  })
  return (
    <Table label="Assets">
      <thead>
        <tr>
          {picking && <SelectAllCheckbox picking={picking} count={hosts?.length ?? 0} />}
          <HeaderCell {...head('address', 'ascending')}>Address</HeaderCell>
          {!hidesTarget && (
            <HeaderCell className="w-[clamp(112px,14cqi-20px,172px)]" priority={1}>
              Target
            </HeaderCell>
          )}
          {!hidesSoftware && (
            <HeaderCell className="w-[clamp(140px,34cqi-190px,420px)]" priority={2}>
              Technologies
            </HeaderCell>
          )}
          <SeverityHeads />
          {onSort && (
            <HeaderCell width={124} priority={3} {...head('seen', 'descending')}>
              First seen
            </HeaderCell>
          )}
          <HeaderCell width={150} {...head('checked', 'descending')}>
            Last checked
          </HeaderCell>
        </tr>
      </thead>
      <TableBody>
        {!hosts && <SkeletonRows columns={picking ? 10 : 8} />}
        {hosts?.map((host) => (
          <tr key={host.id} data-row={host.id} aria-selected={picking?.selection.ids.has(host.id) || undefined}>
            {picking && <RowCheckbox picking={picking} id={host.id} name={hostName(host)} />}
            <Cell label="Address" primary>
              <CellLink data-row-link to="/assets/$id" params={{ id: host.id }} title={hostName(host)}>
                {/* When space is short, the address wraps out of view and is hidden as a whole before the name is truncated. */}
                <span className="flex h-5 min-w-0 flex-wrap gap-x-2 overflow-hidden font-mono max-md:h-auto">
                  <span className="ttl max-w-full truncate">{hostName(host)}</span>
                  {host.name && <span className="text-ink-3">{host.address}</span>}
                </span>
                {host.merged && <Badge small>+{host.merged.length}</Badge>}
                {host.criticality === 'CRITICALITY_HIGH' && (
                  <Badge small variant="orange">
                    High criticality
                  </Badge>
                )}
              </CellLink>
            </Cell>
            {!hidesTarget && (
              <Cell label="Target" priority={1} quiet title={host.target?.name}>
                {host.target?.name}
              </Cell>
            )}
            {!hidesSoftware && (
              <Cell
                label="Technologies"
                priority={2}
                quiet
                className={cx(host.inventory.length === 0 && 'max-md:hidden!')}
              >
                <Software host={host} />
              </Cell>
            )}
            <SeverityCells counts={host.issueCount} />
            {onSort && (
              <Cell label="First seen" quiet priority={3} className="max-md:hidden!">
                <RelativeTime value={host.createTime} />
              </Cell>
            )}
            <Cell label="Last checked" quiet className="named max-md:order-1">
              <RelativeTime value={host.lastCheckTime ?? host.updateTime} />
            </Cell>
          </tr>
        ))}
      </TableBody>
    </Table>
  )
}

const maxShown = 2

/** The first technologies and the number of others. */
function Software({ host }: { readonly host: Host }) {
  const names = [...new Set(host.inventory.map(softwareName))]
  const more = names.length - maxShown
  if (names.length === 0) return <span className="text-ink-3">–</span>
  return (
    <span className="flex min-w-0 items-center gap-1.5" title={names.join(', ')}>
      <span className="truncate">{names.slice(0, maxShown).join(', ')}</span>
      {more > 0 && <span className="flex-none text-ink-3 tabular-nums">+{more}</span>}
    </span>
  )
}

/** The table of issues, with optional columns and selection in lists. */
import type { Issue } from '@glacis/contract/issue'
import type { KeyboardEvent, ReactNode } from 'react'
import { columnLabels, type OptionalColumn, useColumns } from '#issues/columns.ts'
import { IssueRow, type Picking, type RowActions } from '#issues/issue-row.tsx'
import type { RiskSort } from '#issues/search.ts'
import { Checkbox } from '#ui/field.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { HeaderCell, Table } from '#ui/table.tsx'
import { TableBody } from '#ui/table-body.tsx'

interface IssueTableProps {
  readonly label: string
  /** Undefined while loading. */
  readonly issues: readonly Issue[] | undefined
  readonly sort?: RiskSort
  readonly onSort?: (sort: RiskSort) => void
  readonly picking?: Picking
  /** Actions of Space and of the row menu. */
  readonly rowActions?: RowActions
  /** Contains both verified and potential issues; marks the potential ones. */
  readonly isMixed?: boolean
  /** Omits the hosts column, for the page of a single host. */
  readonly hidesHosts?: boolean
  /** Shows status and times on the page's host or target instead of those of the whole issue. */
  readonly isLocal?: boolean
}

/** ↑ and ↓ move between rows, Space opens the preview, Enter opens the risk, Escape clears the selection. */
export function IssueTable({
  label,
  issues,
  sort,
  onSort,
  picking,
  rowActions,
  isMixed = false,
  hidesHosts = false,
  isLocal = false,
}: IssueTableProps) {
  const chosen = useColumns()
  const columns = picking ? chosen : []
  const sorted = (by: RiskSort) => (sort === by ? 'descending' : undefined)
  const table = (
    <Table
      label={label}
      className="max-md:min-w-0!"
      style={columns.length > 0 ? { minWidth: minTableWidth(columns) } : undefined}
    >
      <thead>
        <tr>
          {picking && <SelectAll picking={picking} issues={issues ?? []} />}
          <HeaderCell width={144} sort={sorted('severity')} {...(onSort && { onSort: () => onSort('severity') })}>
            Severity
          </HeaderCell>
          <HeaderCell>Risk</HeaderCell>
          {!hidesHosts && (
            <HeaderCell className={columns.length > 0 ? 'w-40' : 'w-[clamp(160px,20cqi-64px,380px)]'} priority={1}>
              Affected hosts
            </HeaderCell>
          )}
          {columns.map((column) => (
            <HeaderCell
              key={column}
              width={widths[column]}
              sort={sortDirection(column, sort)}
              {...sortProps(column, onSort)}
            >
              {columnLabels[column]}
            </HeaderCell>
          ))}
          <HeaderCell width={118} priority={2}>
            Status
          </HeaderCell>
          <HeaderCell width={120} priority={3}>
            First seen
          </HeaderCell>
          <HeaderCell width={138} sort={sorted('recent')} {...(onSort && { onSort: () => onSort('recent') })}>
            Last seen
          </HeaderCell>
        </tr>
      </thead>
      <TableBody onKeyDown={(event) => moveByKey(event, picking, rowActions)}>
        {!issues && <SkeletonRows columns={(hidesHosts ? 5 : 6) + columns.length} />}
        {issues?.map((issue) => (
          <IssueRow
            key={issue.id}
            issue={issue}
            columns={columns}
            isMixed={isMixed}
            hidesHosts={hidesHosts}
            isLocal={isLocal}
            picking={picking}
            rowActions={rowActions}
          />
        ))}
      </TableBody>
    </Table>
  )
  return columns.length > 0 ? <div className="overflow-x-auto">{table}</div> : table
}

/** Minimum width in pixels that keeps risk names readable; narrower containers scroll horizontally. */
function minTableWidth(columns: readonly OptionalColumn[]): number {
  return 1000 + columns.reduce((sum, column) => sum + widths[column], 0)
}

function SelectAll({ picking, issues }: { readonly picking: Picking; readonly issues: readonly Issue[] }): ReactNode {
  const count = picking.selection.ids.size
  const isAll = count > 0 && count === issues.length
  return (
    <HeaderCell className="pick">
      <Checkbox
        label="Select all on this page"
        hideLabel
        className="align-middle"
        checked={isAll}
        mixed={count > 0 && !isAll}
        onChange={picking.onPickAll}
      />
    </HeaderCell>
  )
}

const widths: Readonly<Record<OptionalColumn, number>> = {
  priority: 76,
  epss: 70,
  targets: 120,
  due: 104,
  assignee: 112,
  tags: 128,
}

/** The sort order of an optional column, if it's sortable. */
function sortOrder(column: OptionalColumn): RiskSort | undefined {
  return column === 'priority' || column === 'epss' ? column : undefined
}

function sortDirection(column: OptionalColumn, sort: RiskSort | undefined) {
  return sort !== undefined && sortOrder(column) === sort ? ('descending' as const) : undefined
}

function sortProps(column: OptionalColumn, onSort: ((sort: RiskSort) => void) | undefined) {
  const sort = sortOrder(column)
  return sort && onSort ? { onSort: () => onSort(sort) } : {}
}

/** Enter is left to the focused link, and Space to a focused checkbox. */
function moveByKey(
  event: KeyboardEvent<HTMLElement>,
  picking: Picking | undefined,
  rowActions: RowActions | undefined,
): void {
  if (!(event.target instanceof HTMLElement)) return
  const row = event.target.closest('tr')
  const isLink = event.target.matches('[data-row-link]')
  const id = row?.dataset['row']
  if (event.key === 'Escape' && picking && picking.selection.ids.size > 0) picking.onClear()
  else if (event.key === ' ' && isLink && rowActions && id) rowActions.onPreview(id)
  else if (event.key === 'ArrowDown') focusRow(row?.nextElementSibling, isLink)
  else if (event.key === 'ArrowUp') focusRow(row?.previousElementSibling, isLink)
  else return
  event.preventDefault()
}

function focusRow(row: Element | null | undefined, isLink: boolean): void {
  row?.querySelector<HTMLElement>(isLink ? '[data-row-link]' : 'input[type="checkbox"]')?.focus()
}

/** The table of issues: the whole of it in lists, the first of its columns elsewhere. */
import type { Issue } from '@glacis/contract/issue'
import type { KeyboardEvent, ReactNode } from 'react'
import { columnWords, type OptionalColumn, useColumns } from '#issues/columns.ts'
import { IssueRow, type Picking, type RowActions } from '#issues/issue-row.tsx'
import type { RiskSort } from '#issues/search.ts'
import { Checkbox } from '#ui/field.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { HeaderCell, Table } from '#ui/table.tsx'
import { lengthOf, TableRows } from '#ui/table-rows.tsx'

interface IssueTableProps {
  readonly label: string
  /** Undefined while they are on their way. */
  readonly issues: readonly Issue[] | undefined
  readonly sort?: RiskSort
  readonly onSort?: (sort: RiskSort) => void
  readonly picking?: Picking
  /** What Space and the menu of a row do. */
  readonly rowActions?: RowActions
  /** Verified and potential issues stand together. */
  readonly isMixed?: boolean
  /** Inside a page about the one host: it need not be repeated. */
  readonly hidesHosts?: boolean
  /** Within a host or a target: status and times are those there, not those of the whole issue. */
  readonly isLocal?: boolean
}

/** ↑ and ↓ move between rows, Space shows one beside the list, Enter opens it, Escape drops the selection. */
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
    <Table label={label} style={columns.length > 0 ? { minWidth: roomOf(columns) } : undefined} {...lengthOf(issues)}>
      <thead>
        <tr>
          {picking && <PickAll picking={picking} issues={issues ?? []} />}
          <HeaderCell width={144} sort={sorted('severity')} {...(onSort && { onSort: () => onSort('severity') })}>
            Severity
          </HeaderCell>
          <HeaderCell>Risk</HeaderCell>
          {!hidesHosts && (
            <HeaderCell className={columns.length > 0 ? 'w-[150px]' : 'w-[clamp(150px,20cqi-36px,380px)]'} priority={1}>
              Affected hosts
            </HeaderCell>
          )}
          {columns.map((column) => (
            <HeaderCell key={column} width={widths[column]} sort={sortedBy(column, sort)} {...sorting(column, onSort)}>
              {columnWords[column]}
            </HeaderCell>
          ))}
          <HeaderCell width={118} priority={2}>
            Status
          </HeaderCell>
          <HeaderCell width={130} priority={3}>
            First seen
          </HeaderCell>
          <HeaderCell width={138} sort={sorted('recent')} {...(onSort && { onSort: () => onSort('recent') })}>
            Last seen
          </HeaderCell>
        </tr>
      </thead>
      <TableRows
        items={issues}
        idOf={({ id }) => id}
        drawnFrom={[
          issues,
          columns.join(),
          isMixed,
          hidesHosts,
          isLocal,
          picking?.selection,
          picking?.isOnPhone,
          rowActions?.onDecide,
          rowActions?.onPreview,
        ]}
        skeleton={<SkeletonRows columns={(hidesHosts ? 5 : 6) + columns.length} />}
        onKeyDown={(event) => moveByKey(event, picking, rowActions)}
      >
        {(issue, place) => (
          <IssueRow
            place={place}
            issue={issue}
            columns={columns}
            isMixed={isMixed}
            hidesHosts={hidesHosts}
            isLocal={isLocal}
            picking={picking}
            rowActions={rowActions}
          />
        )}
      </TableRows>
    </Table>
  )
  return columns.length > 0 ? <div className="overflow-x-auto">{table}</div> : table
}

/** What the other columns need, in pixels, so that the names of risks keep theirs; a narrower sheet scrolls. */
function roomOf(columns: readonly OptionalColumn[]): number {
  return 1000 + columns.reduce((sum, column) => sum + widths[column], 0)
}

function PickAll({ picking, issues }: { readonly picking: Picking; readonly issues: readonly Issue[] }): ReactNode {
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

/** Those of the optional columns that the list can be ordered by. */
function sortOf(column: OptionalColumn): RiskSort | undefined {
  return column === 'priority' || column === 'epss' ? column : undefined
}

function sortedBy(column: OptionalColumn, sort: RiskSort | undefined) {
  return sort !== undefined && sortOf(column) === sort ? ('descending' as const) : undefined
}

function sorting(column: OptionalColumn, onSort: ((sort: RiskSort) => void) | undefined) {
  const sort = sortOf(column)
  return sort && onSort ? { onSort: () => onSort(sort) } : {}
}

/** Enter is the link's own; Space is the box's own where the box has the focus. */
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
  else if (event.key === 'ArrowDown') focusIn(row?.nextElementSibling, isLink)
  else if (event.key === 'ArrowUp') focusIn(row?.previousElementSibling, isLink)
  else return
  event.preventDefault()
}

function focusIn(row: Element | null | undefined, isLink: boolean): void {
  row?.querySelector<HTMLElement>(isLink ? '[data-row-link]' : 'input[type="checkbox"]')?.focus()
}

/** The table of issues: the whole of it in lists, the first of its columns elsewhere. */
import type { Issue } from '@glacis/contract/issue'
import type { KeyboardEvent, ReactNode } from 'react'
import { cx } from '#lib/cx.ts'
import { AffectedHosts, IssueName, SeverityWithScore } from '#issues/issue-cells.tsx'
import type { RiskSort } from '#issues/search.ts'
import type { Selection } from '#issues/selection.ts'
import { Checkbox } from '#ui/field.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { IssueStatus } from '#ui/status.tsx'
import { Cell, HeaderCell, Table } from '#ui/table.tsx'

interface Picking {
  readonly selection: Selection
  readonly onPick: (id: string, isRange: boolean) => void
  readonly onPickAll: () => void
  readonly onClear: () => void
  /** On a phone the boxes show only after a tap on "Select". */
  readonly isOnPhone: boolean
}

interface IssueTableProps {
  readonly label: string
  /** Undefined while they are on their way. */
  readonly issues: readonly Issue[] | undefined
  readonly sort?: RiskSort
  readonly onSort?: (sort: RiskSort) => void
  readonly picking?: Picking
  /** Verified and potential issues stand together. */
  readonly isMixed?: boolean
  /** Inside a page about the one host: it need not be repeated. */
  readonly hidesHosts?: boolean
}

/** ↑ and ↓ move between rows, Space picks, Enter opens, Escape drops the selection. */
export function IssueTable({
  label,
  issues,
  sort,
  onSort,
  picking,
  isMixed = false,
  hidesHosts = false,
}: IssueTableProps) {
  const sorted = (by: RiskSort) => (sort === by ? 'descending' : undefined)
  return (
    <Table label={label}>
      <thead>
        <tr>
          {picking && <PickAll picking={picking} issues={issues ?? []} />}
          <HeaderCell width={144} sort={sorted('severity')} {...(onSort && { onSort: () => onSort('severity') })}>
            Severity
          </HeaderCell>
          <HeaderCell>Risk</HeaderCell>
          {!hidesHosts && (
            <HeaderCell className="w-[clamp(160px,22cqi-44px,380px)]" priority={1}>
              Affected hosts
            </HeaderCell>
          )}
          <HeaderCell width={118} priority={2}>
            Status
          </HeaderCell>
          <HeaderCell width={124} priority={3}>
            First seen
          </HeaderCell>
          <HeaderCell width={146} sort={sorted('recent')} {...(onSort && { onSort: () => onSort('recent') })}>
            Last seen
          </HeaderCell>
        </tr>
      </thead>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it hears the keys of the links and boxes inside */}
      <tbody onKeyDown={(event) => moveByKey(event, picking)}>
        {!issues && <SkeletonRows columns={hidesHosts ? 5 : 6} />}
        {issues?.map((issue) => (
          <Row key={issue.id} issue={issue} isMixed={isMixed} hidesHosts={hidesHosts} picking={picking} />
        ))}
      </tbody>
    </Table>
  )
}

interface RowProps {
  readonly issue: Issue
  readonly isMixed: boolean
  readonly hidesHosts: boolean
  readonly picking: Picking | undefined
}
function Row({ issue, isMixed, hidesHosts, picking }: RowProps) {
  const isPicked = picking?.selection.ids.has(issue.id) ?? false
  return (
    <tr aria-selected={isPicked || undefined} data-row={issue.id}>
      {picking && (
        <Cell className={cx('pick', !picking.isOnPhone && 'max-md:hidden!')}>
          <Checkbox
            label={`Select ${issue.name}`}
            hideLabel
            className="-translate-y-0.5 align-middle"
            checked={isPicked}
            onChange={(event) =>
              picking.onPick(issue.id, 'shiftKey' in event.nativeEvent && event.nativeEvent.shiftKey === true)
            }
          />
        </Cell>
      )}
      <Cell label="Severity" className="max-md:min-w-25">
        <SeverityWithScore severity={issue.threat.severity} />
      </Cell>
      <Cell label="Risk" primary>
        <IssueName issue={issue} isPotentialMarked={isMixed} />
      </Cell>
      {!hidesHosts && (
        <Cell label="Affected hosts" priority={1} className="max-md:flex-[1_1_calc(100%-132px)]!">
          <AffectedHosts issue={issue} />
        </Cell>
      )}
      <Cell label="Status" priority={2}>
        <IssueStatus status={issue.status} />
      </Cell>
      <Cell label="First seen" priority={3} quiet className="max-md:hidden!">
        <RelativeTime value={issue.firstSeenTime} />
      </Cell>
      <Cell label="Last seen" quiet className="max-md:ml-auto">
        <RelativeTime value={issue.lastSeenTime} />
      </Cell>
    </tr>
  )
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

/** Enter is the link's own; Space is the box's own where the box has the focus. */
function moveByKey(event: KeyboardEvent<HTMLElement>, picking: Picking | undefined): void {
  if (!(event.target instanceof HTMLElement)) return
  const row = event.target.closest('tr')
  const isLink = event.target.matches('[data-row-link]')
  const id = row?.dataset['row']
  if (event.key === 'Escape' && picking && picking.selection.ids.size > 0) picking.onClear()
  else if (event.key === ' ' && isLink && picking && id) picking.onPick(id, event.shiftKey)
  else if (event.key === 'ArrowDown') focusIn(row?.nextElementSibling, isLink)
  else if (event.key === 'ArrowUp') focusIn(row?.previousElementSibling, isLink)
  else return
  event.preventDefault()
}

function focusIn(row: Element | null | undefined, isLink: boolean): void {
  row?.querySelector<HTMLElement>(isLink ? '[data-row-link]' : 'input[type="checkbox"]')?.focus()
}

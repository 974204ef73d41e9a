/** A row of the issue table. */
import type { Issue } from '@glacis/contract/issue'
import { columnLabels, type OptionalColumn } from '#issues/columns.ts'
import { AffectedHosts, IssueName, OptionalCell, SeverityWithScore } from '#issues/issue-cells.tsx'
import type { SettableStatus } from '#issues/queries.ts'
import { RowMenu } from '#issues/row-menu.tsx'
import { cx } from '#lib/cx.ts'
import type { Selection } from '#lib/selection.ts'
import { Checkbox } from '#ui/field.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { IssueStatus } from '#ui/status.tsx'
import { Cell } from '#ui/table.tsx'

/** Row selection and its checkboxes. */
export interface Picking {
  readonly selection: Selection
  readonly onPick: (id: string, isRange: boolean) => void
  readonly onPickAll: () => void
  readonly onClear: () => void
  /** Shows the checkboxes on phones, where they are hidden until the user taps "Select". */
  readonly isOnPhone: boolean
}

export interface RowActions {
  readonly onPreview: (id: string) => void
  readonly onSetStatus: (status: SettableStatus, issue: Issue) => void
}

interface IssueRowProps {
  readonly issue: Issue
  readonly isMixed: boolean
  readonly hidesHosts: boolean
  readonly isLocal: boolean
  readonly columns: readonly OptionalColumn[]
  readonly picking: Picking | undefined
  readonly rowActions: RowActions | undefined
}

/** One issue with its checkbox, cells, and menu. The table handles the keyboard. */
export function IssueRow({ issue, isMixed, hidesHosts, isLocal, columns, picking, rowActions }: IssueRowProps) {
  // Within a host or target, the first affected host is that host, or the worst one of the target.
  const subject = (isLocal && issue.affectedHosts[0]) || issue
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
      <Cell label="Severity" className="graded">
        <SeverityWithScore severity={issue.threat.severity} />
      </Cell>
      <Cell label="Risk" primary className="md:py-1.5!">
        <IssueName issue={issue} isPotentialMarked={isMixed} />
      </Cell>
      {!hidesHosts && (
        <Cell label="Affected hosts" priority={1} className="max-md:flex-[1_1_calc(100%-100px)]!">
          <AffectedHosts issue={issue} />
        </Cell>
      )}
      {columns.map((column) => (
        <Cell key={column} label={columnLabels[column]} quiet className="max-md:hidden!">
          <OptionalCell column={column} issue={issue} />
        </Cell>
      ))}
      <Cell label="Status" priority={2}>
        <IssueStatus status={subject.status} />
      </Cell>
      <Cell label="First seen" priority={3} quiet className="max-md:hidden!">
        <RelativeTime value={subject.firstSeenTime} />
      </Cell>
      <Cell label="Last seen" quiet className="relative overflow-visible! max-md:static max-md:ml-auto">
        <RelativeTime value={subject.lastSeenTime} />
        {rowActions && (
          <RowMenu
            issue={issue}
            onSetStatus={(status) => rowActions.onSetStatus(status, issue)}
            onPreview={() => rowActions.onPreview(issue.id)}
          />
        )}
      </Cell>
    </tr>
  )
}

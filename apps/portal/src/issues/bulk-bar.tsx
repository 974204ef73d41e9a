/** Bulk actions; replaces the filters while rows are selected. */
import type { Issue } from '@glacis/contract/issue'
import type { Member } from '@glacis/contract/workspace'
import { CalendarDays, Check, ChevronDown, EyeOff, RotateCcw, UserRound, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { actionLabels, availableActions, commonActions } from '#issues/actions.ts'
import { AssignMenu } from '#issues/assign-menu.tsx'
import type { SettableStatus } from '#issues/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { SelectionBar } from '#ui/selection-bar.tsx'
import { Button } from '#ui/button.tsx'

interface BulkBarProps {
  /** The selected issues, in list order. */
  readonly issues: readonly Issue[]
  /** How many issues match the filters. If more than are selected, the bar offers to select them all. */
  readonly total: number | undefined
  readonly totalIsExact: boolean
  /** All matching issues are selected, not only those on the page. */
  readonly isAll: boolean
  readonly onAll: () => void
  readonly onClear: () => void
  readonly onSetStatus: (status: SettableStatus) => void
  /** The status being applied. */
  readonly pendingStatus: SettableStatus | undefined
  readonly onAssign: (member: Member | null) => void
  readonly onChooseDue: () => void
  /** The assignee or due date is being changed. */
  readonly isUpdating: boolean
}

export const actionIcons: Readonly<Record<SettableStatus, ReactNode>> = {
  STATUS_RESOLVED: <Check />,
  STATUS_IGNORED: <EyeOff />,
  STATUS_OPEN: <RotateCcw />,
}

/** Offers the actions that apply to every selected issue. */
export function BulkBar(props: BulkBarProps) {
  const { issues, isAll, total, pendingStatus, onSetStatus, onClear, isUpdating } = props
  const isBusy = pendingStatus !== undefined || isUpdating
  const actions = commonActions(issues.map(({ status }) => status))
  return (
    <SelectionBar
      label="Selected risks"
      summary={isAll ? `All ${totalText(props)} selected` : `${issues.length} selected`}
    >
      {/* On phones, all actions fit in one row, without icons and below the count. */}
      <span className="flex flex-wrap gap-2 max-md:order-1 max-md:[&_.lucide]:hidden">
        {actions.map((status) => (
          <Button
            key={status}
            size="sm"
            call="setStatusOfMany"
            icon={actionIcons[status]}
            loading={pendingStatus === status}
            disabled={isBusy}
            onClick={() => onSetStatus(status)}
          >
            {actionLabels[status]}
          </Button>
        ))}
        <AssignMenu
          call="updateManyIssues"
          place="bottom start"
          button={
            <>
              <UserRound aria-hidden="true" />
              Assign
              <ChevronDown aria-hidden="true" />
            </>
          }
          assignees={isAll ? undefined : issues.map(({ assignee }) => assignee?.id)}
          onAssign={props.onAssign}
        />
        <Button size="sm" call="updateManyIssues" icon={<CalendarDays />} disabled={isBusy} onClick={props.onChooseDue}>
          Due date
        </Button>
      </span>
      {!isAll && total !== undefined && total > issues.length && (
        <Button size="sm" variant="link" disabled={isBusy} onClick={props.onAll}>
          Select all {totalText(props)} matching
        </Button>
      )}
      <span className="ml-auto text-ink-2 max-md:hidden">{unavailableReason(issues, actions)}</span>
      <span className="max-md:order-1 max-md:ml-auto">
        <Button size="sm" variant="ghost" icon={<X />} disabled={isBusy} onClick={onClear}>
          <span className="max-md:sr-only">Clear</span>
        </Button>
      </span>
    </SelectionBar>
  )
}

function totalText({ total = 0, totalIsExact }: BulkBarProps): string {
  return formatNumber(total) + (totalIsExact ? '' : '+')
}

/** Explains why an action that applies to some of the selected issues is missing. */
function unavailableReason(issues: readonly Issue[], actions: readonly SettableStatus[]): string {
  if (actions.length === 0) return 'No action applies to all selected risks.'
  const isHidden = issues.some(({ status }) => availableActions(status).length > actions.length)
  return isHidden ? 'Only actions that apply to all selected risks are shown.' : ''
}

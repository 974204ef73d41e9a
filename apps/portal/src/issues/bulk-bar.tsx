/** What takes the place of the filters while rows are picked. */
import type { Issue } from '@glacis/contract/issue'
import { Check, EyeOff, RotateCcw, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { actionWords, offeredForAll } from '#issues/actions.ts'
import type { ChosenStatus } from '#issues/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { PickedBar } from '#ui/picked-bar.tsx'
import { Button } from '#ui/button.tsx'

interface BulkBarProps {
  /** The picked issues, in the order of the list. */
  readonly issues: readonly Issue[]
  /** How many match the filters in all; more than are picked are offered together. */
  readonly total: number | undefined
  readonly totalIsExact: boolean
  /** All that match are meant, not the picked ones alone. */
  readonly isAll: boolean
  readonly onAll: () => void
  readonly onClear: () => void
  readonly onDecide: (status: ChosenStatus) => void
  /** The change that is under way. */
  readonly busyWith: ChosenStatus | undefined
}

export const actionIcons: Readonly<Record<ChosenStatus, ReactNode>> = {
  STATUS_RESOLVED: <Check />,
  STATUS_IGNORED: <EyeOff />,
  STATUS_OPEN: <RotateCcw />,
}

/** The changes that all of the picked have in common; one call makes them, and tells what it left as it was. */
export function BulkBar(props: BulkBarProps) {
  const { issues, isAll, total, busyWith, onDecide, onClear } = props
  const actions = offeredForAll(issues.map(({ status }) => status))
  return (
    <PickedBar label="Selected risks" words={isAll ? `All ${totalWords(props)} selected` : `${issues.length} selected`}>
      {actions.map((status) => (
        <Button
          key={status}
          size="sm"
          variant={status === 'STATUS_RESOLVED' ? 'green' : 'secondary'}
          icon={actionIcons[status]}
          loading={busyWith === status}
          disabled={busyWith !== undefined}
          onClick={() => onDecide(status)}
        >
          {actionWords[status]}
        </Button>
      ))}
      {!isAll && total !== undefined && total > issues.length && (
        <Button size="sm" variant="link" disabled={busyWith !== undefined} onClick={props.onAll}>
          Select all {totalWords(props)} matching
        </Button>
      )}
      <span className="ml-auto text-ink-2 max-md:hidden">{unavailable(actions)}</span>
      <Button size="sm" variant="ghost" icon={<X />} disabled={busyWith !== undefined} onClick={onClear}>
        Clear
      </Button>
    </PickedBar>
  )
}

function totalWords({ total = 0, totalIsExact }: BulkBarProps): string {
  return formatNumber(total) + (totalIsExact ? '' : '+')
}

/** Why an action is missing. */
function unavailable(actions: readonly ChosenStatus[]): string {
  if (actions.length === 0) return 'These risks have no change in common.'
  return actions.includes('STATUS_OPEN') ? '' : 'Reopen is available for resolved and ignored risks.'
}

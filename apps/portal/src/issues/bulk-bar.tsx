/** What takes the place of the filters while rows are picked. */
import type { Issue } from '@glacis/contract/issue'
import { useQueryClient } from '@tanstack/react-query'
import { Check, EyeOff, RotateCcw, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { actionWords, doneWords, offeredForAll } from '#issues/actions.ts'
import { changeEach } from '#issues/bulk.ts'
import { changeStatus, type ChosenStatus, refreshAfterStatus } from '#issues/queries.ts'
import { addToast } from '#lib/toasts.ts'
import { Button } from '#ui/button.tsx'

interface BulkBarProps {
  /** The picked issues, in the order of the list. */
  readonly issues: readonly Issue[]
  /** Keeps only these picked: what failed, or nothing. */
  readonly onKeep: (ids: readonly string[]) => void
}
interface Progress {
  readonly status: ChosenStatus
  readonly finished: number
  readonly total: number
}

export const actionIcons: Readonly<Record<ChosenStatus, ReactNode>> = {
  STATUS_RESOLVED: <Check />,
  STATUS_IGNORED: <EyeOff />,
  STATUS_OPEN: <RotateCcw />,
}

/** One PUT per issue; the button counts along, and what failed stays picked. */
export function BulkBar({ issues, onKeep }: BulkBarProps) {
  const client = useQueryClient()
  const [progress, setProgress] = useState<Progress>()
  const actions = offeredForAll(issues.map(({ status }) => status))
  async function apply(status: ChosenStatus): Promise<void> {
    const total = issues.length
    setProgress({ status, finished: 0, total })
    const ids = issues.map(({ id }) => id)
    const outcome = await changeEach(
      ids,
      (id) => changeStatus({ id, status }),
      (finished) => setProgress({ status, finished, total }),
    )
    onKeep(outcome.failed)
    setProgress(undefined)
    if (outcome.done.length > 0) addToast('success', { title: 'Success', message: told(outcome.done.length, status) })
    await refreshAfterStatus(client)
  }
  return (
    <fieldset
      aria-label="Selected risks"
      className="relative z-1 -mb-px flex min-h-[52px] min-w-0 flex-wrap items-center gap-2 border-b border-main-edge bg-selected px-(--gl-gutter) py-2.5"
    >
      <b className="font-semibold" aria-live="polite">
        {issues.length} selected
      </b>
      <span className="mx-1 h-5 w-px bg-main-edge" aria-hidden="true" />
      {actions.map((status) => (
        <Button
          key={status}
          size="sm"
          variant={status === 'STATUS_RESOLVED' ? 'green' : 'secondary'}
          icon={actionIcons[status]}
          loading={progress?.status === status}
          disabled={progress !== undefined}
          onClick={() => void apply(status)}
        >
          {progress?.status === status ? `${progress.finished} of ${progress.total}` : actionWords[status]}
        </Button>
      ))}
      <span className="ml-auto text-ink-2 max-md:hidden">{unavailable(actions)}</span>
      <Button size="sm" variant="ghost" icon={<X />} disabled={progress !== undefined} onClick={() => onKeep([])}>
        Clear
      </Button>
    </fieldset>
  )
}

function told(count: number, status: ChosenStatus): string {
  return `${doneWords[status]} ${count} ${count === 1 ? 'risk' : 'risks'}.`
}

/** Why an action is missing. */
function unavailable(actions: readonly ChosenStatus[]): string {
  if (actions.length === 0) return 'These risks have no change in common.'
  return actions.includes('STATUS_OPEN') ? '' : 'Reopen is available for resolved and ignored risks.'
}

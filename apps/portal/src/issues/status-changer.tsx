/** Status changes from a row, a selection, or a page: the ignore dialog, undo, and the report of skipped risks. */
import type { Issue } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import type { SkippedIssue } from '@glacis/contract/triage'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { errorAdvice } from '#api/advice.ts'
import { pastTenseLabels } from '#issues/actions.ts'
import {
  bulkSelection,
  type IssueSelection,
  riskCount,
  selectionLabel,
  showPartialUndo,
  showUndoConflict,
  undoAction,
} from '#issues/bulk-change.ts'
import { type StatusChange, setStatus, setStatusInBulk, undoBulkChange, undoStatusChange } from '#issues/mutations.ts'
import { useCommentAction } from '#issues/comment-action.ts'
import { IgnoreDialog } from '#issues/ignore-dialog.tsx'
import type { SettableStatus } from '#issues/queries.ts'
import { SkippedDialog } from '#issues/skipped-dialog.tsx'
import { denialOf } from '#lib/role.ts'
import { addToast, type ToastAction } from '#ui/toasts.tsx'

/** An open ignore dialog, hidden (`isOpen` false) while the request runs. */
interface PendingIgnore {
  readonly selection: IssueSelection
  readonly isOpen: boolean
  readonly problem?: string | undefined
}
/** Called with null on success. */
type OnSettled = (error: Error | null) => void

export interface StatusChanger {
  /** Applies the status. For ignoring, opens the dialog first. */
  readonly applyStatus: (status: SettableStatus, selection: IssueSelection) => void
  /** The status being applied. */
  readonly pendingStatus: SettableStatus | undefined
  /** Must be rendered by the caller. */
  readonly dialogs: ReactNode
}

/** @param onDone called with the IDs of selected issues that were skipped */
export function useStatusChanger(onDone?: (skipped: readonly string[]) => void): StatusChanger {
  const client = useQueryClient()
  const change = useMutation(setStatusInBulk)
  const changeOne = useMutation(setStatus)
  const [ignoring, setIgnoring] = useState<PendingIgnore>()
  const [skipped, setSkipped] = useState<readonly SkippedIssue[]>([])
  const comment = useCommentAction()
  function confirmChange(count: number, status: SettableStatus, actions: readonly ToastAction[]): void {
    const message = `${pastTenseLabels[status]} ${riskCount(count)}.`
    addToast('success', { title: 'Success', message, ...(actions.length > 0 && { actions }) })
  }
  function applyToOne(statusChange: StatusChange, before: Issue, onSettled: OnSettled): void {
    const { id } = before
    const onSuccess = ({ issue: changed }: { readonly issue: Issue }) => {
      const undo = async () => (await undoStatusChange(client, { before, changed })) || showUndoConflict()
      const actions = [undoAction(undo), ...(statusChange.status === 'STATUS_RESOLVED' ? [comment(id)] : [])]
      confirmChange(1, statusChange.status, actions)
      onSettled(null)
      onDone?.([])
    }
    const onError = (error: Error) => {
      onSettled(error)
      onDone?.([id])
    }
    changeOne.mutate({ id, ...statusChange }, { onSuccess, onError })
  }
  function apply(statusChange: StatusChange, { issues, all }: IssueSelection, onSettled: OnSettled = () => {}): void {
    const [first] = issues
    if (first && issues.length === 1 && !all) return applyToOne(statusChange, first, onSettled)
    change.mutate(
      { ...bulkSelection({ issues, all }), ...statusChange },
      {
        onSuccess: (response) => {
          const { updatedCount, before } = response
          const undo = async () => showPartialUndo(await undoBulkChange(client, response), updatedCount)
          if (updatedCount > 0) confirmChange(updatedCount, statusChange.status, before ? [undoAction(undo)] : [])
          setSkipped(response.skipped)
          onSettled(null)
          onDone?.(response.skipped.map(({ id }) => id))
        },
        onError: (error) => {
          onSettled(error)
          onDone?.(issues.map(({ id }) => id))
        },
      },
    )
  }
  /** Hides the dialog immediately, like the optimistic update. On failure, it reopens with everything entered. */
  function ignore(statusChange: StatusChange, { selection }: PendingIgnore): void {
    const hidden = { selection, isOpen: false }
    setIgnoring(hidden)
    apply(statusChange, selection, (error) => {
      const next = error ? { selection, isOpen: true, problem: errorAdvice(error) } : undefined
      setIgnoring((now) => (now === hidden ? next : now))
    })
  }
  return {
    applyStatus: (status, selection) => {
      const denial = denialOf('setIssueStatus')
      if (denial) return addToast('info', { title: 'Info', message: denial })
      if (status === 'STATUS_IGNORED') setIgnoring({ selection, isOpen: true })
      else apply({ status }, selection)
    },
    pendingStatus: change.isPending
      ? change.variables.status
      : changeOne.isPending
        ? changeOne.variables.status
        : undefined,
    dialogs: (
      <>
        {ignoring && (
          <IgnoreDialog
            key={selectionLabel(ignoring.selection)}
            open={ignoring.isOpen}
            what={selectionLabel(ignoring.selection)}
            categories={categoriesOf(ignoring.selection)}
            problem={ignoring.problem}
            onClose={() => setIgnoring(undefined)}
            onIgnore={(statusChange) => ignore(statusChange, ignoring)}
          />
        )}
        <SkippedDialog skipped={skipped} onClose={() => setSkipped([])} />
      </>
    ),
  }
}

function categoriesOf({ issues, all }: IssueSelection): SeverityCategory[] {
  return all ? ['CATEGORY_CRITICAL'] : issues.map((issue) => issue.threat.severity.category)
}

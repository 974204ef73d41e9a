/** Assigns several risks, or sets their due date: the dialog, undo, and the report of skipped risks. */
import type { SkippedIssue } from '@glacis/contract/triage'
import type { Member } from '@glacis/contract/workspace'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { errorAdvice } from '#api/advice.ts'
import {
  bulkSelection,
  type IssueSelection,
  riskCount,
  selectionLabel,
  showPartialUndo,
  undoAction,
} from '#issues/bulk-change.ts'
import { DueDialog } from '#issues/due-dialog.tsx'
import { type BulkUpdate, undoBulkUpdate, updateInBulk } from '#issues/mutations.ts'
import { SkippedDialog } from '#issues/skipped-dialog.tsx'
import { formatDate } from '#lib/format.ts'
import { addToast } from '#ui/toasts.tsx'

export interface OwnershipChanger {
  /** Null removes the assignee. */
  readonly assign: (member: Member | null, selection: IssueSelection) => void
  /** Opens the dialog. */
  readonly chooseDue: (selection: IssueSelection) => void
  readonly isPending: boolean
  /** Must be rendered by the caller. */
  readonly dialogs: ReactNode
}

export function useOwnershipChanger(): OwnershipChanger {
  const client = useQueryClient()
  const change = useMutation(updateInBulk)
  const [scheduling, setScheduling] = useState<{ readonly selection: IssueSelection; readonly isOpen: boolean }>()
  const [skipped, setSkipped] = useState<readonly SkippedIssue[]>([])
  const close = () => setScheduling(scheduling && { ...scheduling, isOpen: false })
  function apply(issue: BulkUpdate, selection: IssueSelection, message: (count: number) => string): void {
    change.mutate(
      { ...bulkSelection(selection), issue },
      {
        onSuccess: ({ updatedCount, before, skipped: left }) => {
          const undo = async () => showPartialUndo(await undoBulkUpdate(client, { before, issue }), updatedCount)
          const actions = before && [undoAction(undo)]
          if (updatedCount > 0)
            addToast('success', { title: 'Success', message: message(updatedCount), ...(actions && { actions }) })
          else if (left.length === 0)
            addToast('info', { title: 'Info', message: 'No changes: the selected risks already have this value.' })
          setSkipped(left)
          close()
        },
      },
    )
  }
  function assign(member: Member | null, selection: IssueSelection): void {
    const name = member?.isYou ? 'you' : member?.name
    apply({ assigneeId: member?.id ?? null }, selection, (count) =>
      name === undefined ? `Unassigned ${riskCount(count)}.` : `Assigned ${riskCount(count)} to ${name}.`,
    )
  }
  const setDue = (dueTime: string | null, selection: IssueSelection) =>
    apply({ dueTime }, selection, (count) =>
      dueTime === null
        ? `Due date of ${riskCount(count)} removed.`
        : `Due date of ${riskCount(count)} set to ${formatDate(dueTime)}.`,
    )
  return {
    assign,
    chooseDue(selection) {
      change.reset()
      setScheduling({ selection, isOpen: true })
    },
    isPending: change.isPending,
    dialogs: (
      <>
        {scheduling && (
          <DueDialog
            open={scheduling.isOpen}
            what={selectionLabel(scheduling.selection)}
            dueTimes={scheduling.selection.all ? undefined : scheduling.selection.issues.map(({ dueTime }) => dueTime)}
            busy={change.isPending}
            problem={errorAdvice(change.error)}
            onClose={close}
            onSet={(dueTime) => setDue(dueTime, scheduling.selection)}
          />
        )}
        <SkippedDialog skipped={skipped} onClose={() => setSkipped([])} />
      </>
    ),
  }
}

/** The actions of a risk's page, with their keyboard shortcuts. */
import type { Issue } from '@glacis/contract/issue'
import { retestIssue } from '@glacis/contract/triage'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ScanSearch } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { call } from '#api/call.ts'
import { actionLabels, availableActions } from '#issues/actions.ts'
import { actionIcons } from '#issues/bulk-bar.tsx'
import { useStatusChanger } from '#issues/status-changer.tsx'
import { restoreFocus } from '#lib/focus.ts'
import { useKeys } from '#lib/keyboard.ts'
import { denialOf } from '#lib/role.ts'
import { startedMessage } from '#scans/queries.ts'
import { addToast } from '#ui/toasts.tsx'
import { Button } from '#ui/button.tsx'

interface IssueActionsProps {
  readonly issue: Issue
  readonly onComment: () => void
}

export function IssueActions({ issue, onComment }: IssueActionsProps) {
  const { applyStatus, pendingStatus, dialogs } = useStatusChanger()
  const retest = useRetest(issue.id)
  const { mutate } = retest
  const keys = useMemo(() => {
    const press = (status: Parameters<typeof applyStatus>[0]) => () => {
      if (availableActions(issue.status).includes(status)) applyStatus(status, { issues: [issue] })
    }
    return {
      r: press('STATUS_RESOLVED'),
      i: press('STATUS_IGNORED'),
      o: press('STATUS_OPEN'),
      t: () => void (denialOf('retestIssue') || mutate(undefined)),
      m: onComment,
    }
  }, [issue, applyStatus, mutate, onComment])
  useKeys(keys)
  const shown = useRef(issue.status)
  useEffect(() => {
    // The pressed button isn't available in the new status, so it disappears with the focus.
    if (shown.current !== issue.status) restoreFocus()
    shown.current = issue.status
  }, [issue.status])
  return (
    <>
      <Button
        size="sm"
        call="retestIssue"
        icon={<ScanSearch />}
        loading={retest.isPending}
        onClick={() => mutate(undefined)}
      >
        Retest
      </Button>
      {/* Resolve is last but not primary, because only a scan can prove a fix. */}
      {availableActions(issue.status)
        .toReversed()
        .map((status) => (
          <Button
            key={status}
            size="sm"
            call="setIssueStatus"
            icon={actionIcons[status]}
            loading={pendingStatus === status}
            disabled={pendingStatus !== undefined}
            onClick={() => applyStatus(status, { issues: [issue] })}
          >
            {actionLabels[status]}
          </Button>
        ))}
      {dialogs}
    </>
  )
}

/** Retests the risk on one host (the mutation's variable) or on all. */
export function useRetest(id: string) {
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (hostId: string | undefined) => call(retestIssue, { id, ...(hostId && { hostIds: [hostId] }) }),
    onSuccess: (response) => {
      const action = {
        label: 'View scan',
        run: () => void navigate({ to: '/scans/$id', params: { id: response.scan.id } }),
      }
      addToast('info', { title: 'Info', message: startedMessage(response.scan, 'Retest'), actions: [action] })
    },
  })
}

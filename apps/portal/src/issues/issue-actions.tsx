/** What can be done with the risk on this page, with its keys. */
import type { Issue } from '@glacis/contract/issue'
import { listScans } from '@glacis/contract/scan'
import { retestIssue } from '@glacis/contract/triage'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ScanSearch } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { call } from '#api/call.ts'
import { keyOf, refresh } from '#api/query.ts'
import { actionWords, offered } from '#issues/actions.ts'
import { actionIcons } from '#issues/bulk-bar.tsx'
import { useDecider } from '#issues/decide.tsx'
import { regainFocus } from '#lib/focus.ts'
import { useKeys } from '#lib/keyboard.ts'
import { addToast } from '#lib/toasts.ts'
import { Button } from '#ui/button.tsx'

interface IssueActionsProps {
  readonly issue: Issue
  readonly onComment: () => void
}

/** The changes offered follow from the status alone. They apply at once and can be taken back; ignoring asks why. */
export function IssueActions({ issue, onComment }: IssueActionsProps) {
  const { decide, busyWith, dialogs } = useDecider()
  const again = useRetest(issue.id)
  const { mutate } = again
  const keys = useMemo(() => {
    const press = (status: Parameters<typeof decide>[0]) => () => {
      if (offered(issue.status).includes(status)) decide(status, { issues: [issue] })
    }
    return {
      r: press('STATUS_RESOLVED'),
      i: press('STATUS_IGNORED'),
      o: press('STATUS_OPEN'),
      t: () => mutate(undefined),
      m: onComment,
    }
  }, [issue, decide, mutate, onComment])
  useKeys(keys)
  const shown = useRef(issue.status)
  useEffect(() => {
    // What was pressed is not offered of the new status.
    if (shown.current !== issue.status) regainFocus()
    shown.current = issue.status
  }, [issue.status])
  return (
    <>
      <Button size="sm" icon={<ScanSearch />} loading={again.isPending} onClick={() => mutate(undefined)}>
        Retest
      </Button>
      {/* Resolve stands last, where the primary action of a page stands. */}
      {offered(issue.status)
        .toReversed()
        .map((status) => (
          <Button
            key={status}
            size="sm"
            variant={status === 'STATUS_RESOLVED' ? 'green' : 'secondary'}
            icon={actionIcons[status]}
            loading={busyWith === status}
            disabled={busyWith !== undefined}
            onClick={() => decide(status, { issues: [issue] })}
          >
            {actionWords[status]}
          </Button>
        ))}
      {dialogs}
    </>
  )
}

/** Checks the risk again, on one host or on all, and leads to the scan that does it. */
export function useRetest(id: string) {
  const navigate = useNavigate()
  const client = useQueryClient()
  return useMutation({
    mutationKey: [retestIssue.path],
    mutationFn: (hostId: string | undefined) => call(retestIssue, { id, ...(hostId && { hostIds: [hostId] }) }),
    onSuccess: async (answer) => {
      const action = {
        label: 'See the scan',
        run: () => void navigate({ to: '/scans/$id', params: { id: answer.scan.id } }),
      }
      addToast('info', { title: 'Info', message: 'The retest has started. Its result appears in the history.', action })
      await refresh(client, [keyOf(listScans)])
    },
  })
}

/** Actions for a risk on one of its hosts; other hosts are unaffected. */
import type { AffectedHost, Issue } from '@glacis/contract/issue'
import { useMutation } from '@tanstack/react-query'
import { FileSearch, MoreHorizontal, ScanSearch } from 'lucide-react'
import { useState } from 'react'
import { errorAdvice } from '#api/advice.ts'
import { actionLabels, pastTenseLabels, availableActions } from '#issues/actions.ts'
import { actionIcons } from '#issues/bulk-bar.tsx'
import { type StatusChange, changeThatRestores, setStatusOnHost } from '#issues/mutations.ts'
import { IgnoreDialog } from '#issues/ignore-dialog.tsx'
import { useRetest } from '#issues/issue-actions.tsx'
import { useCommentAction } from '#issues/comment-action.ts'
import { hostName } from '#issues/issue-cells.tsx'
import { addToast } from '#ui/toasts.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuDivider } from '#ui/menu-entries.tsx'

interface HostMenuProps {
  readonly issue: Issue
  readonly affected: AffectedHost
  readonly onEvidence: () => void
}

export function AffectedHostMenu({ issue, affected, onEvidence }: HostMenuProps) {
  const change = useMutation(setStatusOnHost)
  const retest = useRetest(issue.id)
  const comment = useCommentAction()
  const [ignoring, setIgnoring] = useState<{ isOpen: boolean; problem?: string | undefined }>()
  const name = hostName(affected)
  const where = { id: issue.id, hostId: affected.host.id }
  function apply(decision: StatusChange): void {
    const onSuccess = () => {
      setIgnoring(undefined)
      const undo = { label: 'Undo', run: () => change.mutate({ ...where, ...changeThatRestores(affected) }) }
      const actions = decision.status === 'STATUS_RESOLVED' ? [undo, comment(issue.id)] : [undo]
      addToast('success', { title: 'Success', message: `${pastTenseLabels[decision.status]} on ${name}.`, actions })
    }
    const onError = (error: Error) => setIgnoring((now) => now && { isOpen: true, problem: errorAdvice(error) })
    change.mutate({ ...where, ...decision }, { onSuccess, onError })
  }
  return (
    <>
      <Menu
        label={`Actions for ${name}`}
        button={<MoreHorizontal />}
        variant="ghost"
        size="xs"
        square
        buttonMark="data-row-menu"
      >
        {availableActions(affected.status).map((status) => (
          <MenuAction
            key={status}
            call="setHostStatus"
            icon={actionIcons[status]}
            onClick={() => (status === 'STATUS_IGNORED' ? setIgnoring({ isOpen: true }) : apply({ status }))}
          >
            {actionLabels[status]} on this host
          </MenuAction>
        ))}
        <MenuDivider />
        <MenuAction call="retestIssue" icon={<ScanSearch />} onClick={() => retest.mutate(affected.host.id)}>
          Retest this host
        </MenuAction>
        <MenuAction icon={<FileSearch />} onClick={onEvidence}>
          Evidence
        </MenuAction>
      </Menu>
      {ignoring && (
        <IgnoreDialog
          open={ignoring.isOpen}
          problem={ignoring.problem}
          what={`on ${name}`}
          categories={[issue.threat.severity.category]}
          onClose={() => setIgnoring(undefined)}
          onIgnore={(decision) => {
            setIgnoring({ isOpen: false })
            apply(decision)
          }}
        />
      )}
    </>
  )
}

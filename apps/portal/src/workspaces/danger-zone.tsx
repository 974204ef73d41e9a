import { deletionGraceDays, type Workspace } from '@glacis/contract/workspace'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { apiFileUrl } from '#api/call.ts'
import { mutationDialogProps } from '#api/advice.ts'
import { formatDate } from '#lib/format.ts'
import { deleteMutation, cancelDeletionMutation, leaveMutation, switchTo, useAllowed } from '#workspaces/queries.ts'
import { Button, ButtonAnchor } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { Note } from '#ui/note.tsx'
import { SettingsSection } from '#ui/settings-section.tsx'

/** Leaving and deleting the workspace. */
export function DangerZone({ workspace }: { readonly workspace: Workspace }) {
  const canDelete = useAllowed('deleteWorkspace')
  const canCancel = useAllowed('cancelWorkspaceDeletion')
  const cancellation = useMutation(cancelDeletionMutation)
  const [dialog, setDialog] = useState<'leave' | 'delete'>()
  const close = () => setDialog(undefined)
  return (
    <SettingsSection
      id="leave"
      title={canDelete ? 'Leave or delete' : 'Leave'}
      description={
        canDelete
          ? 'Leaving ends your access. Deleting removes all data for everyone.'
          : 'Leaving ends your access to this workspace.'
      }
    >
      {workspace.deleteTime && (
        <div className="mb-3">
          <Note variant="orange">
            This workspace will be deleted on {formatDate(workspace.deleteTime)}.{' '}
            {canCancel && (
              <Button variant="link" loading={cancellation.isPending} onClick={() => cancellation.mutate()}>
                Cancel deletion
              </Button>
            )}
          </Note>
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setDialog('leave')}>Leave workspace</Button>
        {canDelete && !workspace.deleteTime && (
          <Button variant="danger" onClick={() => setDialog('delete')}>
            Delete workspace
          </Button>
        )}
      </div>
      <LeaveDialog name={workspace.name} open={dialog === 'leave'} onClose={close} />
      {dialog === 'delete' && <DeleteDialog name={workspace.name} onClose={close} />}
    </SettingsSection>
  )
}

interface LeaveDialogProps {
  readonly name: string
  readonly open: boolean
  readonly onClose: () => void
}

function LeaveDialog({ name, open, onClose }: LeaveDialogProps) {
  const client = useQueryClient()
  const leaving = useMutation(leaveMutation)
  return (
    <ConfirmDialog
      open={open}
      {...mutationDialogProps(leaving, onClose)}
      title={`Leave ${name}`}
      description="You lose access immediately, and your API tokens and agents stop working. To come back, you need a new invitation, unless you can join by your email domain."
      label="Leave workspace"
      onConfirm={() => leaving.mutate(undefined, { onSuccess: () => switchTo(client, '') })}
    />
  )
}

function DeleteDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const deleting = useMutation(deleteMutation)
  const [typed, setTyped] = useState('')
  return (
    <ConfirmDialog
      open
      {...mutationDialogProps(deleting, onClose)}
      title={`Delete ${name}`}
      description={`All targets, risks, scans, and members are deleted in ${deletionGraceDays} days. Owners can cancel the deletion until then.`}
      label="Delete workspace"
      disabled={typed !== name}
      onConfirm={() => deleting.mutate(typed, { onSuccess: onClose })}
    >
      <p className="mb-4">
        <ButtonAnchor href={apiFileUrl('/v1/workspace/export')} icon={<Download aria-hidden="true" />}>
          Export data
        </ButtonAnchor>
        <span className="mt-1.5 block text-12 text-ink-3">
          All workspace data except secrets, as compressed JSON Lines.
        </span>
      </p>
      <TextField
        label={`Type “${name}” to confirm`}
        value={typed}
        autoComplete="off"
        onChange={({ target }) => setTyped(target.value)}
      />
    </ConfirmDialog>
  )
}

/** Confirmation dialog for deleting a target. */
import type { Target } from '@glacis/contract/target'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { mutationDialogProps } from '#api/advice.ts'
import { addToast } from '#ui/toasts.tsx'
import { removeFromCache, remove } from '#targets/queries.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { TextField } from '#ui/field.tsx'

interface DeleteTargetProps {
  readonly target: Pick<Target, 'id' | 'name'> | undefined
  readonly onClose: () => void
  /** Navigates away from the deleted target's page. */
  readonly onDeleted?: () => Promise<void>
  /** Requires typing the target's name to confirm. */
  readonly requireName?: boolean
}

export function DeleteTarget(props: DeleteTargetProps) {
  // The key resets the typed name when another target is chosen.
  return <DeleteDialog key={props.target?.id ?? ''} {...props} />
}

function DeleteDialog({ target, onClose, onDeleted, requireName: asksForName = false }: DeleteTargetProps) {
  const [typed, setTyped] = useState('')
  const isConfirmed = !asksForName || typed.trim() === target?.name.trim()
  const client = useQueryClient()
  const removal = useMutation(remove)
  const confirm = () => {
    if (!target) return
    const onSuccess = async () => {
      addToast('success', { title: 'Success', message: `${target.name} was deleted.` })
      onClose()
      await onDeleted?.()
      removeFromCache(client, target.id)
    }
    removal.mutate(target.id, { onSuccess: () => void onSuccess() })
  }
  return (
    <ConfirmDialog
      open={target !== undefined}
      {...mutationDialogProps(removal, onClose)}
      title={`Delete ${target?.name ?? 'target'}`}
      description="Running scans stop and no new ones start. Its risks are resolved; its history is kept. This can't be undone."
      label="Delete"
      disabled={!isConfirmed}
      onConfirm={confirm}
    >
      {asksForName && (
        <TextField
          label={`Type “${target?.name ?? ''}” to confirm`}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </ConfirmDialog>
  )
}

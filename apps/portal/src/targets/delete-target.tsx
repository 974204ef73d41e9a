/** Asks before a target goes. */
import type { Target } from '@glacis/contract/target'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asking } from '#api/advice.ts'
import { addToast } from '#lib/toasts.ts'
import { forget, remove } from '#targets/queries.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { TextField } from '#ui/field.tsx'

interface DeleteTargetProps {
  readonly target: Pick<Target, 'id' | 'name'> | undefined
  readonly onClose: () => void
  /** Leaves the page of what is gone. */
  readonly onDeleted?: () => Promise<void>
  /** Where one is deep in a target, its name has to be typed. */
  readonly asksForName?: boolean
}

/** Says what goes and what stays. */
export function DeleteTarget(props: DeleteTargetProps) {
  // What was typed belongs to one target.
  return <Asking key={props.target?.id ?? ''} {...props} />
}

function Asking({ target, onClose, onDeleted, asksForName = false }: DeleteTargetProps) {
  const [typed, setTyped] = useState('')
  const isSure = !asksForName || typed.trim() === target?.name.trim()
  const client = useQueryClient()
  const removal = useMutation(remove(client))
  const confirm = () => {
    if (!target) return
    const onSuccess = async () => {
      addToast('success', { title: 'Success', message: `${target.name} is deleted.` })
      onClose()
      await onDeleted?.()
      forget(client, target.id)
    }
    removal.mutate(target.id, { onSuccess: () => void onSuccess() })
  }
  return (
    <ConfirmDialog
      open={target !== undefined}
      {...asking(removal, onClose)}
      title={`Delete ${target?.name ?? 'target'}`}
      description="A scan of it stops now and none starts any more. Its risks close; they and its scans stay as history. This cannot be undone."
      label="Delete"
      disabled={!isSure}
      onConfirm={confirm}
    >
      {asksForName && (
        <TextField
          label={`Type “${target?.name ?? ''}” to delete it`}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </ConfirmDialog>
  )
}

/** Asks before a target goes. */
import type { Target } from '@glacis/contract/target'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { addToast } from '#lib/toasts.ts'
import { forget, remove } from '#targets/queries.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

interface DeleteTargetProps {
  readonly target: Pick<Target, 'id' | 'name'> | undefined
  readonly onClose: () => void
  /** Leaves the page of what is gone. */
  readonly onDeleted?: () => Promise<void>
}

export function DeleteTarget({ target, onClose, onDeleted }: DeleteTargetProps) {
  const client = useQueryClient()
  const removal = useMutation(remove(client))
  const { isPending } = removal
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
    <Dialog
      open={target !== undefined}
      onClose={onClose}
      busy={isPending}
      title={`Delete ${target?.name ?? 'target'}`}
      description="A scan of it stops now and none starts any more. Its risks close; they and its scans stay as history. This cannot be undone."
      footer={
        <>
          <Button onClick={onClose} disabled={isPending}>
            Cancel
          </Button>
          <Button variant="danger" loading={isPending} onClick={confirm}>
            Delete
          </Button>
        </>
      }
    />
  )
}

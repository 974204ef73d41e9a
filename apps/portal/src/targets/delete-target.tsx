/** Asks before a target goes. */
import type { Target } from '@glacis/contract/target'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { addToast } from '#lib/toasts.ts'
import { remove } from '#targets/queries.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

interface DeleteTargetProps {
  readonly target: Pick<Target, 'id' | 'name'> | undefined
  readonly onClose: () => void
  /** Called once it is gone, before the dialog closes. */
  readonly onDeleted?: () => void
}

export function DeleteTarget({ target, onClose, onDeleted }: DeleteTargetProps) {
  const removal = useMutation(remove(useQueryClient()))
  const { isPending } = removal
  const confirm = () => {
    if (!target) return
    const onSuccess = () => {
      addToast('success', { title: 'Success', message: `${target.name} is deleted.` })
      onDeleted?.()
      onClose()
    }
    removal.mutate(target.id, { onSuccess })
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

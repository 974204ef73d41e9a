import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { mutationDialogProps } from '#api/advice.ts'
import { ConfirmDialog, type ConfirmDialogProps } from '#ui/confirm-dialog.tsx'

interface ConfirmMutationProps<Data, Input> extends Pick<
  ConfirmDialogProps,
  'title' | 'description' | 'label' | 'keep' | 'onClose'
> {
  readonly mutation: UseMutationOptions<Data, Error, Input>
  /** Undefined while the dialog is closed. */
  readonly input: Input | undefined
  /** By default, closes the dialog. */
  readonly onDone?: (data: Data) => void
}

/** Asks for confirmation of a mutation. The dialog shows its progress and its error. */
export function ConfirmMutation<Data, Input>({
  mutation,
  input,
  onClose,
  onDone = onClose,
  ...dialog
}: ConfirmMutationProps<Data, Input>) {
  const running = useMutation(mutation)
  return (
    <ConfirmDialog
      {...dialog}
      open={input !== undefined}
      {...mutationDialogProps(running, onClose)}
      onConfirm={() => input !== undefined && running.mutate(input, { onSuccess: onDone })}
    />
  )
}

import type { CallName } from '@glacis/contract/permissions'
import { type ReactNode, useId } from 'react'
import { Button } from '#ui/button.tsx'
import { Dialog, SlideOver } from '#ui/dialog.tsx'

interface FormDialogProps {
  readonly open?: boolean
  readonly onClose: () => void
  /** A panel from the right, for a long form. */
  readonly panel?: boolean
  readonly title: string
  readonly description?: ReactNode
  /** Verb on the submit button. */
  readonly label: string
  /** The call that the form makes, if roles can differ in whether they may make it. */
  readonly call?: CallName
  readonly busy: boolean
  /** What failed and what to do about it, except errors that a field shows. */
  readonly problem: string | undefined
  readonly onSubmit: (form: HTMLFormElement) => void
  /** The fields. */
  readonly children: ReactNode
}

/** A dialog with a form. The dialog stays open until the caller closes it. */
export function FormDialog({
  open = true,
  panel = false,
  label,
  call,
  onSubmit,
  children,
  ...dialog
}: FormDialogProps) {
  const id = useId()
  const Frame = panel ? SlideOver : Dialog
  return (
    <Frame
      {...dialog}
      open={open}
      footer={
        <>
          <Button onClick={dialog.onClose} disabled={dialog.busy}>
            Cancel
          </Button>
          <Button type="submit" form={id} variant="primary" call={call} loading={dialog.busy}>
            {label}
          </Button>
        </>
      }
    >
      <form
        id={id}
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit(event.currentTarget)
        }}
      >
        {children}
      </form>
    </Frame>
  )
}

import { type FormEvent, useId } from 'react'
import { endOfDay, localDay, parseSwissDate } from '#lib/swiss-date.ts'
import { Button } from '#ui/button.tsx'
import { DateInput } from '#ui/date-input.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Field } from '#ui/field.tsx'

interface DueDialogProps {
  readonly open: boolean
  /** Completes the title "Set due date of …": "3 risks". */
  readonly what: string
  /** The current due dates. Undefined if not all are known. */
  readonly dueTimes: readonly (string | undefined)[] | undefined
  readonly busy: boolean
  readonly problem: string | undefined
  readonly onClose: () => void
  /** The end of the chosen day; null removes the due date. */
  readonly onSet: (dueTime: string | null) => void
}

/** Sets or removes the due date of several risks. Shows the current one if they share it. */
export function DueDialog({ open, what, dueTimes, busy, problem, onClose, onSet }: DueDialogProps) {
  const id = useId()
  const [first, ...others] = new Set(dueTimes)
  const current = first !== undefined && others.length === 0 ? localDay(new Date(first)) : ''
  const hasAny = dueTimes?.some((time) => time !== undefined) ?? true
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const day = parseSwissDate(String(new FormData(event.currentTarget).get('due') ?? ''))
    if (day !== undefined) onSet(endOfDay(day))
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      busy={busy}
      title={`Set due date of ${what}`}
      problem={problem}
      footer={
        <>
          {hasAny && (
            <span className="mr-auto -ml-3.5">
              <Button variant="ghost" disabled={busy} onClick={() => onSet(null)}>
                Clear
              </Button>
            </span>
          )}
          <Button disabled={busy} onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={id} loading={busy}>
            Set due date
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit}>
        <Field label="Due date">
          {(wiring) => <DateInput {...wiring} name="due" required data-autofocus defaultValue={current} />}
        </Field>
      </form>
    </Dialog>
  )
}

/** Why something is ignored, until when, and what there is to say about it. */
import { type IgnoreReason, ignoreDaysMax } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import { type FormEvent, useId, useState } from 'react'
import type { Decision } from '#issues/changes.ts'
import { dayFromNow, readSwissDay } from '#lib/swiss-date.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { DateInput } from '#ui/date-input.tsx'
import { Field, SelectField } from '#ui/field.tsx'
import { RadioCard } from '#ui/radio-card.tsx'
import { TextAreaField } from '#ui/text-area.tsx'

export const reasonWords: Readonly<Record<IgnoreReason, string>> = {
  REASON_ACCEPTED_RISK: 'Accepted risk',
  REASON_FALSE_POSITIVE: 'False positive',
  REASON_MITIGATED: 'Mitigated',
}
const reasonHints: Readonly<Record<IgnoreReason, string>> = {
  REASON_ACCEPTED_RISK: 'It is real, and we live with it for now.',
  REASON_FALSE_POSITIVE: 'It is not there.',
  REASON_MITIGATED: 'Something else keeps it from being used.',
}
const reasons = ['REASON_ACCEPTED_RISK', 'REASON_FALSE_POSITIVE', 'REASON_MITIGATED'] as const

const dayMs = 86_400_000
const spans = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
] as const
type Span = (typeof spans)[number]['value'] | 'never' | 'date'

interface IgnoreDialogProps {
  readonly open: boolean
  /** What is ignored, as it ends the title: "3 risks", "this risk on web-01". */
  readonly what: string
  readonly categories: readonly SeverityCategory[]
  readonly onClose: () => void
  readonly onIgnore: (decision: Decision) => void
  /** Why the last try did not work: what was entered for it stands there again. */
  readonly problem?: string | undefined
}

/** Critical and high risks need an end unless they are false positives. */
export function IgnoreDialog({ open, what, categories, onClose, onIgnore, problem }: IgnoreDialogProps) {
  const id = useId()
  const isSerious = categories.some((one) => one === 'CATEGORY_CRITICAL' || one === 'CATEGORY_HIGH')
  const [reason, setReason] = useState<IgnoreReason>('REASON_ACCEPTED_RISK')
  const [span, setSpan] = useState<Span>('90')
  const [typed, setTyped] = useState({ comment: '', day: dayFromNow(90) })
  const mayStay = !isSerious || reason === 'REASON_FALSE_POSITIVE'
  const chosen = span === 'never' && !mayStay ? '365' : span
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const comment = String(form.get('comment') ?? '').trim()
    const day = readSwissDay(String(form.get('date') ?? '')) ?? ''
    setTyped({ comment, day: day || typed.day })
    const ignoreUntilTime = endOf(chosen, day)
    onIgnore({
      status: 'STATUS_IGNORED',
      reason,
      ...(comment && { comment }),
      ...(ignoreUntilTime && { ignoreUntilTime }),
    })
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Ignore ${what}`}
      problem={problem}
      description="It leaves the open list. Scans that see it again leave it ignored."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={id} data-autofocus>
            Ignore
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="grid gap-4">
        <fieldset className="grid gap-2">
          <legend className="mb-1.5 font-medium">Reason</legend>
          {reasons.map((one) => (
            <RadioCard
              key={one}
              name="reason"
              label={reasonWords[one]}
              hint={reasonHints[one]}
              checked={reason === one}
              onChange={() => setReason(one)}
            />
          ))}
        </fieldset>
        <SelectField
          label="Until"
          value={chosen}
          hint={mayStay ? 'It opens again by itself then.' : 'Critical and high risks are ignored for at most a year.'}
          onChange={(event) => setSpan(spanOf(event.target.value))}
        >
          {spans.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
          {mayStay && <option value="never">No end</option>}
          <option value="date">A date</option>
        </SelectField>
        {chosen === 'date' && (
          <Field label="Date">
            {(wiring) => (
              <DateInput
                {...wiring}
                name="date"
                required
                min={dayFromNow(1)}
                max={mayStay ? undefined : dayFromNow(ignoreDaysMax - 1)}
                defaultValue={typed.day}
              />
            )}
          </Field>
        )}
        <TextAreaField label="Comment" name="comment" optional maxLength={4000} rows={2} defaultValue={typed.comment} />
      </form>
    </Dialog>
  )
}

function spanOf(value: string): Span {
  const known = [...spans.map((one) => one.value), 'never', 'date'] as const
  return known.find((one) => one === value) ?? '90'
}

/** ISO time of the end; a date ends with its day, where the person is. */
function endOf(span: Span, date: string): string | undefined {
  if (span === 'never') return undefined
  if (span === 'date') return new Date(`${date}T23:59:59`).toISOString()
  // A minute less than the year that is allowed, because the server's clock decides.
  return new Date(Date.now() + Number(span) * dayMs - 60_000).toISOString()
}

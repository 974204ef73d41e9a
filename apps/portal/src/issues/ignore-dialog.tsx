/** The dialog that asks why a risk is ignored and until when. */
import { type IgnoreReason, ignoreDaysMax, ignoreReasonLabels } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import { type FormEvent, useId, useState } from 'react'
import type { StatusChange } from '#issues/mutations.ts'
import { dayFromNow, endOfDay, parseSwissDate } from '#lib/swiss-date.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { DateInput } from '#ui/date-input.tsx'
import { Field, FieldMessages, SelectField } from '#ui/field.tsx'
import { RadioCard } from '#ui/radio-card.tsx'
import { TextAreaField } from '#ui/text-area.tsx'

const reasonHints: Readonly<Record<IgnoreReason, string>> = {
  REASON_ACCEPTED_RISK: 'The risk is real, but you accept it for now.',
  REASON_FALSE_POSITIVE: "The finding is wrong; the risk doesn't exist.",
  REASON_MITIGATED: 'Another control prevents exploitation.',
}
const reasons = ['REASON_ACCEPTED_RISK', 'REASON_FALSE_POSITIVE', 'REASON_MITIGATED'] as const

const dayMs = 86_400_000
const durations = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
] as const
type IgnoreDuration = (typeof durations)[number]['value'] | 'never' | 'date'

interface IgnoreDialogProps {
  readonly open: boolean
  /** Completes the title "Ignore …": "3 risks", "this risk on web-01". */
  readonly what: string
  readonly categories: readonly SeverityCategory[]
  readonly onClose: () => void
  readonly onIgnore: (change: StatusChange) => void
  /** Why the last attempt failed. The dialog then shows what was entered. */
  readonly problem?: string | undefined
}

/** Critical and high risks need an end date unless they are false positives. */
export function IgnoreDialog({ open, what, categories, onClose, onIgnore, problem }: IgnoreDialogProps) {
  const id = useId()
  const isSerious = categories.some((category) => category === 'CATEGORY_CRITICAL' || category === 'CATEGORY_HIGH')
  const [reason, setReason] = useState<IgnoreReason>()
  const [isReasonMissing, setIsReasonMissing] = useState(false)
  const [duration, setDuration] = useState<IgnoreDuration>('90')
  const [typed, setTyped] = useState({ comment: '', day: dayFromNow(90) })
  const allowsNoEnd = !isSerious || reason === 'REASON_FALSE_POSITIVE'
  const chosen = duration === 'never' && !allowsNoEnd ? '365' : duration
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    if (!reason) {
      setIsReasonMissing(true)
      event.currentTarget.querySelector('input')?.focus()
      return
    }
    const form = new FormData(event.currentTarget)
    const comment = String(form.get('comment') ?? '').trim()
    const day = parseSwissDate(String(form.get('date') ?? '')) ?? ''
    setTyped({ comment, day: day || typed.day })
    const ignoreUntilTime = endTime(chosen, day)
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
      description={`Ignored risks are removed from open risks and stay ignored ${chosen === 'never' ? '' : 'until the end date, '}even if later scans find them again.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={id}>
            Ignore
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="grid gap-4">
        <fieldset className="grid gap-2">
          <legend className="mb-1.5 font-medium">Reason</legend>
          {reasons.map((one, index) => (
            <RadioCard
              key={one}
              name="reason"
              label={ignoreReasonLabels[one]}
              hint={reasonHints[one]}
              data-autofocus={index === 0 || undefined}
              aria-describedby={isReasonMissing ? `${id}-reason` : undefined}
              checked={reason === one}
              onChange={() => {
                setReason(one)
                setIsReasonMissing(false)
              }}
            />
          ))}
          {isReasonMissing && <FieldMessages id={`${id}-reason`} messages={['Choose a reason']} state="error" />}
        </fieldset>
        <SelectField
          label="Duration"
          value={chosen}
          hint={
            allowsNoEnd
              ? 'The risk reopens automatically afterward.'
              : 'Critical and high risks can be ignored for at most one year.'
          }
          onChange={(event) => setDuration(parseDuration(event.target.value))}
        >
          {durations.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
          {allowsNoEnd && <option value="never">No end date</option>}
          <option value="date">Custom date</option>
        </SelectField>
        {chosen === 'date' && (
          <Field label="Date">
            {(wiring) => (
              <DateInput
                {...wiring}
                name="date"
                required
                min={dayFromNow(1)}
                max={isSerious ? dayFromNow(ignoreDaysMax - 1) : undefined}
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

function parseDuration(value: string): IgnoreDuration {
  const choices = [...durations.map((duration) => duration.value), 'never', 'date'] as const
  return choices.find((option) => option === value) ?? '90'
}

/** ISO time of the end. A custom date lasts until the end of that day in the local time zone. */
function endTime(duration: IgnoreDuration, date: string): string | undefined {
  if (duration === 'never') return undefined
  if (duration === 'date') return endOfDay(date)
  // One minute less than the maximum of a year, in case the server's clock is behind.
  return new Date(Date.now() + Number(duration) * dayMs - 60_000).toISOString()
}

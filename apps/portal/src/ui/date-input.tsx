import { Calendar } from 'lucide-react'
import { type ComponentProps, useRef } from 'react'
import { cx } from '#lib/cx.ts'
import { readSwissDay, swissDay } from '#lib/swiss-date.ts'
import { IconButton } from '#ui/button.tsx'
import { Input } from '#ui/field.tsx'

interface DateInputProps extends Omit<ComponentProps<typeof Input>, 'onChange' | 'type' | 'defaultValue'> {
  /** `2027-02-18`, or nothing. */
  readonly defaultValue: string
  readonly min?: string | undefined
  readonly max?: string | undefined
  /** Called with a day, or with nothing, when a person has left the field or chosen in the calendar. */
  readonly onDay?: (day: string) => void
}

/**
 * A day, written as it is written here: a browser's own field follows the language of the browser.
 * Its calendar opens from the button. A form gets what is written, to be read by `readSwissDay`.
 */
export function DateInput({ defaultValue, min, max, onDay, className, ...rest }: DateInputProps) {
  const text = useRef<HTMLInputElement>(null)
  const calendar = useRef<HTMLInputElement>(null)
  const dayOf = (field: HTMLInputElement) => (field.value.trim() === '' ? '' : readSwissDay(field.value))
  const check = (field: HTMLInputElement) => field.setCustomValidity(complaint(dayOf(field), min, max))
  const settle = (field: HTMLInputElement) => {
    check(field)
    const day = dayOf(field)
    if (day !== undefined && field.checkValidity()) onDay?.(day)
    else if (onDay) field.reportValidity()
  }
  return (
    <span className={cx('relative flex items-center', className)}>
      <Input
        {...rest}
        ref={text}
        inputMode="numeric"
        placeholder="dd.mm.yyyy"
        autoComplete="off"
        maxLength={12}
        className="pr-9"
        defaultValue={swissDay(defaultValue)}
        onInput={(event) => check(event.currentTarget)}
        onBlur={(event) => settle(event.currentTarget)}
      />
      <span className="absolute right-1">
        <IconButton
          size="xs"
          label="Open the calendar"
          icon={<Calendar />}
          onClick={() => {
            if (calendar.current) calendar.current.value = (text.current && dayOf(text.current)) || ''
            calendar.current?.showPicker()
          }}
        />
        <input
          ref={calendar}
          type="date"
          tabIndex={-1}
          aria-hidden="true"
          min={min}
          max={max}
          className="pointer-events-none absolute inset-0 size-full opacity-0"
          onChange={(event) => {
            if (!text.current || event.currentTarget.value === '') return
            text.current.value = swissDay(event.currentTarget.value)
            settle(text.current)
          }}
        />
      </span>
    </span>
  )
}

/** Why a day does not do; nothing when it does. Days written as the web writes them sort like texts. */
function complaint(day: string | undefined, min: string | undefined, max: string | undefined): string {
  if (day === undefined) return 'Write the day as dd.mm.yyyy.'
  if (day !== '' && min !== undefined && day < min) return `The first day possible is ${swissDay(min)}.`
  if (day !== '' && max !== undefined && day > max) return `The last day possible is ${swissDay(max)}.`
  return ''
}

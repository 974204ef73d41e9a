import { Calendar } from 'lucide-react'
import { type ComponentProps, useRef } from 'react'
import { cx } from '#lib/cx.ts'
import { parseSwissDate, formatSwissDate } from '#lib/swiss-date.ts'
import { IconButton } from '#ui/button.tsx'
import { Input } from '#ui/field.tsx'

interface DateInputProps extends Omit<ComponentProps<typeof Input>, 'onChange' | 'type' | 'defaultValue'> {
  /** `2027-02-18`, or empty. */
  readonly defaultValue: string
  readonly min?: string | undefined
  readonly max?: string | undefined
  /** Called with a day, or an empty string, on blur and when picked in the calendar. */
  readonly onDay?: (day: string) => void
}

/**
 * A day in Swiss format; the browser's own date input would use the browser's locale. A button opens the calendar. The
 * form receives the text, parsed by `parseSwissDate`.
 */
export function DateInput({ defaultValue, min, max, onDay, className, ...rest }: DateInputProps) {
  const text = useRef<HTMLInputElement>(null)
  const calendar = useRef<HTMLInputElement>(null)
  const dayOf = (field: HTMLInputElement) => (field.value.trim() === '' ? '' : parseSwissDate(field.value))
  const check = (field: HTMLInputElement) => field.setCustomValidity(validationMessage(dayOf(field), min, max))
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
        defaultValue={formatSwissDate(defaultValue)}
        onInput={(event) => check(event.currentTarget)}
        onBlur={(event) => settle(event.currentTarget)}
      />
      <span className="absolute right-1">
        <IconButton
          size="xs"
          label="Open calendar"
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
            text.current.value = formatSwissDate(event.currentTarget.value)
            settle(text.current)
          }}
        />
      </span>
    </span>
  )
}

/** The validation message of a day; empty if valid. ISO days sort as strings. */
function validationMessage(day: string | undefined, min: string | undefined, max: string | undefined): string {
  if (day === undefined) return 'Enter the date as dd.mm.yyyy.'
  if (day !== '' && min !== undefined && day < min) return `Choose ${formatSwissDate(min)} or later.`
  if (day !== '' && max !== undefined && day > max) return `Choose ${formatSwissDate(max)} or earlier.`
  return ''
}

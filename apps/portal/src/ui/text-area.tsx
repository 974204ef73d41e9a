import type { ReactNode, Ref, TextareaHTMLAttributes } from 'react'
import { cx } from '#lib/cx.ts'
import { Field, inputClass } from '#ui/field.tsx'

type TextAreaFieldProps = TextareaHTMLAttributes<HTMLTextAreaElement> & {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly messages?: readonly string[]
  readonly optional?: boolean
  /** Shown on the right of the label, such as a link. */
  readonly aside?: ReactNode
  readonly ref?: Ref<HTMLTextAreaElement>
}

/** A labeled multiline text input. */
export function TextAreaField({
  label,
  hint,
  messages = [],
  optional = false,
  aside,
  className,
  rows = 3,
  ...rest
}: TextAreaFieldProps) {
  const state = messages.length > 0 ? 'error' : 'default'
  return (
    <Field label={label} hint={hint} messages={messages} state={state} optional={optional} aside={aside}>
      {(wiring) => (
        <textarea
          {...rest}
          {...wiring}
          rows={rows}
          className={cx(inputClass(state), 'h-auto! resize-y py-2', className)}
        />
      )}
    </Field>
  )
}

import { CircleAlert, CircleCheck, ChevronsUpDown, Eye, EyeOff } from 'lucide-react'
import {
  type ComponentProps,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  useId,
  useState,
} from 'react'
import { cx } from '#lib/cx.ts'
import { IconButton } from '#ui/button.tsx'

export type FieldState = 'default' | 'error' | 'success'

interface FieldText {
  readonly label: ReactNode
  /** Shown under the field without a message. */
  readonly hint?: ReactNode
  /** Shown under the field with the color and icon of `state`. */
  readonly messages?: readonly string[]
  readonly state?: FieldState
  /** Marks the field as optional. */
  readonly optional?: boolean
  /** Shown on the right of the label, such as a link. */
  readonly aside?: ReactNode
}
interface ControlProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

/** Label, control, and messages. Connects them by ID for accessibility. */
export function Field({
  label,
  hint,
  messages = [],
  state = 'default',
  optional = false,
  aside,
  id: givenId,
  className,
  children,
}: FieldText & {
  readonly id?: string | undefined
  readonly className?: string
  readonly children: (wiring: ControlProps) => ReactNode
}) {
  const ownId = useId()
  const id = givenId ?? ownId
  const describedBy = messages.length > 0 ? 'messages' : hint ? 'hint' : undefined
  return (
    <div className={cx('grid min-w-0 content-start gap-1.5', className)}>
      <div className="flex justify-between gap-2 leading-4.5">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {optional && <span className="text-ink-3">Optional</span>}
        {aside}
      </div>
      {children({
        id,
        'aria-describedby': describedBy && `${id}-${describedBy}`,
        'aria-invalid': state === 'error' ? true : undefined,
      })}
      {describedBy === 'hint' && (
        <p id={`${id}-hint`} className="text-12 text-ink-3">
          {hint}
        </p>
      )}
      {describedBy === 'messages' && <FieldMessages id={`${id}-messages`} messages={messages} state={state} />}
    </div>
  )
}

/** Messages under a field, one per line. */
export function FieldMessages({
  id,
  messages,
  state,
}: {
  readonly id?: string
  readonly messages: readonly string[]
  readonly state: FieldState
}) {
  const inks = { default: 'text-ink-3', error: 'text-red-ink', success: 'text-green-ink' }
  return (
    <ul id={id} aria-live="polite" className={cx('grid gap-1 text-12', inks[state])}>
      {messages.map((message) => (
        <li key={message} className="flex gap-[5px]">
          {state === 'error' && <CircleAlert aria-hidden="true" className="mt-px size-3.5" />}
          {state === 'success' && <CircleCheck aria-hidden="true" className="mt-px size-3.5" />}
          <span>{message}</span>
        </li>
      ))}
    </ul>
  )
}

/** Input classes for a state; `small` in toolbars. */
export function inputClass(state: FieldState = 'default', small = false): string {
  return cx(
    'w-full min-w-0 border bg-surface text-ink dark:bg-n1 in-data-floating:dark:bg-n2',
    'focus-visible:border-transparent focus-visible:outline-2 focus-visible:-outline-offset-1 focus-visible:outline-focus',
    'disabled:border-line-strong disabled:bg-hover disabled:text-ink-2',
    small
      ? 'h-8 rounded-[6px] px-2.5 text-13 max-md:text-16'
      : 'h-9 rounded-md px-[11px] text-14/5 focus-visible:rounded-md max-md:h-11 max-md:text-16',
    state === 'default' && 'border-control',
    state === 'error' && 'border-red-mark inset-ring inset-ring-red-mark',
    state === 'success' && 'border-green-mark',
  )
}

interface InputProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly state?: FieldState
  readonly small?: boolean
  readonly ref?: Ref<HTMLInputElement>
}
/** An input without a label; see `TextField`. */
export function Input({ state, small, className, ...rest }: InputProps) {
  return <input {...rest} className={cx(inputClass(state, small), className)} />
}

type TextFieldProps = FieldText &
  Omit<InputProps, 'small' | 'className'> & { readonly mono?: boolean; readonly className?: string }

/** A labeled text input. A password can be revealed. */
export function TextField({
  label,
  hint,
  messages,
  state = 'default',
  optional = false,
  aside,
  mono,
  id,
  className,
  type,
  ...rest
}: TextFieldProps) {
  const [isShown, setIsShown] = useState(false)
  const isPassword = type === 'password'
  return (
    <Field {...{ label, hint, messages: messages ?? [], state, optional, aside, id }} {...(className && { className })}>
      {(wiring) => (
        <span className="relative block">
          <Input
            {...rest}
            {...wiring}
            type={isPassword && isShown ? 'text' : type}
            state={state}
            className={cx(mono && 'font-mono', isPassword && 'pr-11')}
          />
          {isPassword && (
            <span className="absolute top-0.5 right-0.5 max-md:top-1.5 max-md:right-1.5">
              <IconButton
                size="sm"
                label={isShown ? 'Hide password' : 'Show password'}
                icon={isShown ? <EyeOff /> : <Eye />}
                onClick={() => setIsShown(!isShown)}
              />
            </span>
          )}
        </span>
      )}
    </Field>
  )
}

type SelectProps = SelectHTMLAttributes<HTMLSelectElement> & {
  readonly state?: FieldState
  readonly small?: boolean
  readonly ref?: Ref<HTMLSelectElement>
}

/** A native select. */
export function Select({ state, small, className, ...rest }: SelectProps) {
  return (
    <span className="relative block min-w-0">
      <select {...rest} className={cx(inputClass(state, small), 'appearance-none truncate pr-8', className)} />
      <ChevronsUpDown
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-2.5 size-3.5 -translate-y-1/2 text-ink-3"
      />
    </span>
  )
}

/** A labeled select; children are `option`s. */
export function SelectField({
  label,
  hint,
  messages,
  state = 'default',
  optional = false,
  aside,
  id,
  ...rest
}: FieldText & SelectProps) {
  return (
    <Field {...{ label, hint, messages: messages ?? [], state, optional, aside, id }}>
      {(wiring) => <Select {...rest} {...wiring} state={state} />}
    </Field>
  )
}

type BoxProps = Omit<ComponentProps<'input'>, 'type'> & {
  readonly label: ReactNode
  readonly hideLabel?: boolean
  readonly mixed?: boolean
  readonly hint?: ReactNode
}

/** A checkbox with a clickable label. `mixed` shows the indeterminate state. */
export function Checkbox({ label, hideLabel = false, mixed = false, hint, className, ...rest }: BoxProps) {
  return (
    <label className={cx('inline-flex items-start gap-2', rest.disabled && 'text-ink-3', className)}>
      <input
        {...rest}
        type="checkbox"
        ref={(box) => {
          if (box) box.indeterminate = mixed
        }}
        className="check mt-0.5"
      />
      {hideLabel ? <span className="sr-only">{label}</span> : <LabelText label={label} hint={hint} />}
    </label>
  )
}

function LabelText({ label, hint }: { readonly label: ReactNode; readonly hint?: ReactNode }) {
  return (
    <span className="min-w-0">
      {label}
      {hint && <span className="block text-12 text-ink-3">{hint}</span>}
    </span>
  )
}

import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react'
import { cx } from '#lib/cx.ts'

/** On phones, the options share the page width. */
const frame = 'inline-flex rounded-md bg-n4 p-0.5 max-md:flex dark:bg-n3'
const optionClass =
  'inline-flex h-7 items-center gap-1.5 rounded-sm px-[11px] font-medium whitespace-nowrap text-ink-2 hover:text-ink max-md:flex-1 max-md:justify-center'
const selectedClass = 'bg-surface text-ink! shadow-xs ring-1 ring-line dark:bg-n5 dark:ring-n6'

/** A few exclusive options side by side. */
export function SegmentedControl<Value extends string>({
  label,
  options,
  value,
  onChange,
}: {
  readonly label: string
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}) {
  return (
    <fieldset aria-label={label} className={frame}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className={cx(optionClass, option.value === value && selectedClass)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}

/** The same as links, for a choice in the URL. Children are `SegmentLink`s. */
export function SegmentedLinks({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <nav aria-label={label} className={frame}>
      {children}
    </nav>
  )
}

function SegmentAnchor({
  on = false,
  children,
  ...rest
}: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly on?: boolean; readonly ref?: Ref<HTMLAnchorElement> }) {
  return (
    <a {...rest} aria-current={on ? 'true' : undefined} className={cx(optionClass, on && selectedClass)}>
      {children}
    </a>
  )
}
/** An option of `SegmentedLinks`. */
export const SegmentLink = createLink(SegmentAnchor)

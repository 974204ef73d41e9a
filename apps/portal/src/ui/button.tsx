import type { CallName } from '@glacis/contract/permissions'
import { createLink } from '@tanstack/react-router'
import {
  type AnchorHTMLAttributes,
  type ButtonHTMLAttributes,
  type ReactNode,
  type Ref,
  useLayoutEffect,
  useRef,
} from 'react'
import { cx } from '#lib/cx.ts'
import { isFocusLost } from '#lib/focus.ts'
import { useDenial } from '#lib/role.ts'
import { Spinner } from '#ui/spinner.tsx'
import { Tooltip } from '#ui/tooltip.tsx'

export type ButtonVariant = 'primary' | 'secondary' | 'danger' | 'ghost' | 'link'
export type ButtonSize = 'md' | 'sm' | 'xs'
interface Appearance {
  readonly variant?: ButtonVariant | undefined
  readonly size?: ButtonSize | undefined
  /** Square, for an icon only. */
  readonly square?: boolean | undefined
  /** Full width. */
  readonly block?: boolean | undefined
}

/** Button classes, for links that look like buttons. */
export function buttonClass({ variant = 'secondary', size = 'md', square, block }: Appearance = {}): string {
  if (variant === 'link') return cx(base, 'text-link inline-link', linkSizes[size])
  return cx(base, variants[variant], sizes[size], square ? squares[size] : paddings[size], block && 'w-full')
}

const base = cx(
  'inline-flex flex-none items-center justify-center font-medium whitespace-nowrap',
  'transition-[background-color,border-color,color] duration-(--gl-dur-fast)',
  'disabled:cursor-not-allowed aria-busy:cursor-progress',
)
const quietWhenOff =
  'disabled:not-aria-busy:border-transparent! disabled:not-aria-busy:bg-active! disabled:not-aria-busy:text-ink-3! disabled:not-aria-busy:shadow-none!'
const variants: Readonly<Record<Exclude<ButtonVariant, 'link'>, string>> = {
  primary: cx(
    'border border-transparent bg-accent text-on-solid hover:bg-accent-hover active:bg-accent-active',
    quietWhenOff,
  ),
  secondary: cx(
    'border border-line-strong bg-surface text-ink shadow-xs hover:border-n7 hover:bg-hover',
    'dark:border-n6 dark:bg-n4 dark:hover:border-n7 dark:hover:bg-n5',
    quietWhenOff,
  ),
  danger: cx('border border-transparent bg-red-solid text-on-solid hover:bg-danger-hover', quietWhenOff),
  ghost: cx('border border-transparent text-ink-2 hover:bg-active hover:text-ink', quietWhenOff),
}
const sizes: Readonly<Record<ButtonSize, string>> = {
  md: 'h-9 gap-[7px] rounded-md text-14/5 [&_.lucide]:size-4',
  sm: 'h-8 gap-1.5 rounded-[6px] text-13 [&_.lucide]:size-4',
  xs: 'h-6.5 gap-[5px] rounded-sm text-12 [&_.lucide]:size-3.5',
}
const paddings: Readonly<Record<ButtonSize, string>> = { md: 'px-3.5', sm: 'px-[11px]', xs: 'px-2' }
const squares: Readonly<Record<ButtonSize, string>> = { md: 'w-9', sm: 'w-8', xs: 'w-6.5' }
const linkSizes: Readonly<Record<ButtonSize, string>> = { md: 'text-14/5', sm: 'text-13', xs: 'text-12' }

interface Restricted {
  /** The call that the control makes or leads to. A role that doesn't allow it disables the control, with the reason. */
  readonly call?: CallName | undefined
}

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement>, Restricted {
  readonly variant?: ButtonVariant
  readonly size?: ButtonSize
  readonly block?: boolean
  /** Shows a spinner and ignores clicks, keeping color and label. */
  readonly loading?: boolean
  /** Shown before the label. */
  readonly icon?: ReactNode
  readonly ref?: Ref<HTMLButtonElement>
}

/** A button of type `button` by default, so that it doesn't submit a form by accident. */
export function Button({
  variant,
  size,
  block,
  loading = false,
  icon,
  call,
  className,
  disabled = false,
  type = 'button',
  children,
  ...rest
}: ButtonProps) {
  const denial = useDenial(call)
  if (denial) {
    return (
      <DeniedButton
        {...rest}
        type={type}
        reason={denial}
        className={cx(deniedClass({ variant, size, block }), className)}
      >
        {icon}
        {children}
      </DeniedButton>
    )
  }
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled || loading}
      aria-busy={loading || undefined}
      className={cx(buttonClass({ variant, size, block }), className)}
    >
      {loading ? <Busy /> : icon}
      {children}
    </button>
  )
}

/** Looks disabled, but takes the focus, so that keyboard and screen reader users learn the reason too. */
export function deniedClass({ variant, ...appearance }: Appearance): string {
  const isFlat = variant === 'link' || variant === 'ghost'
  return cx(
    buttonClass({ ...appearance, variant: isFlat ? variant : 'secondary' }),
    'cursor-not-allowed! text-ink-3!',
    isFlat ? 'bg-transparent!' : 'border-transparent! bg-active! shadow-none!',
  )
}

interface DeniedButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  /** A sentence. */
  readonly reason: string
  readonly ref?: Ref<HTMLButtonElement>
}

/** A button that does nothing but explain why. As the default button of a form, it also blocks submission by Enter. */
export function DeniedButton({ reason, ...rest }: DeniedButtonProps) {
  return (
    <Tooltip label={reason} describes>
      <button {...rest} aria-disabled="true" onClick={(event) => event.preventDefault()} />
    </Tooltip>
  )
}

/**
 * Marks a disabled busy button. Browsers drop focus from a disabled button; it is restored when the button is enabled.
 */
function Busy() {
  const place = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const button = place.current?.closest('button')
    if (!button || document.activeElement !== button) return
    return () => queueMicrotask(() => isFocusLost() && button.focus({ preventScroll: true }))
  }, [])
  return (
    <span ref={place} className="contents">
      <Spinner />
    </span>
  )
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'block' | 'aria-label'> {
  /** Accessible name and tooltip. */
  readonly label: string
  readonly icon: ReactNode
}

/** A button with only an icon. */
export function IconButton({
  label,
  icon,
  variant = 'ghost',
  size,
  loading = false,
  call,
  className,
  disabled,
  ...rest
}: IconButtonProps) {
  const denial = useDenial(call)
  if (denial) {
    return (
      <DeniedButton
        type="button"
        {...rest}
        aria-label={label}
        reason={`${label}. ${denial}`}
        className={cx(deniedClass({ variant, size, square: true }), className)}
      >
        {icon}
      </DeniedButton>
    )
  }
  return (
    <Tooltip label={label}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        disabled={disabled || loading}
        aria-busy={loading || undefined}
        className={cx(buttonClass({ variant, size, square: true }), className)}
      >
        {loading ? <Busy /> : icon}
      </button>
    </Tooltip>
  )
}

interface ButtonAnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement>, Restricted {
  readonly variant?: ButtonVariant
  readonly size?: ButtonSize
  readonly block?: boolean
  readonly icon?: ReactNode
  readonly ref?: Ref<HTMLAnchorElement>
}

/** A button-styled link to another site or a file. */
export function ButtonAnchor({ variant, size, block, icon, call, className, children, ...rest }: ButtonAnchorProps) {
  const denial = useDenial(call)
  if (denial) {
    return (
      <DeniedButton type="button" reason={denial} className={cx(deniedClass({ variant, size, block }), className)}>
        {icon}
        {children}
      </DeniedButton>
    )
  }
  return (
    <a {...rest} className={cx(buttonClass({ variant, size, block }), className)}>
      {icon}
      {children}
    </a>
  )
}

/** A button-styled link inside the portal. */
export const ButtonLink = createLink(ButtonAnchor)

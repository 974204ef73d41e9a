import type { ReactNode } from 'react'
import { cx } from '#lib/cx.ts'

/** `Tag.color` is an index into this list, modulo ten. */
export const badgeVariants = [
  'main',
  'gray',
  'orange',
  'yellow',
  'pink',
  'teal',
  'purple',
  'blue',
  'green',
  'red',
] as const
export type BadgeVariant = (typeof badgeVariants)[number]

const variantClasses: Readonly<Record<BadgeVariant, string>> = {
  main: 'bg-main-tint text-main-ink inset-ring-main-edge',
  gray: 'bg-gray-tint text-gray-ink inset-ring-gray-edge',
  orange: 'bg-orange-tint text-orange-ink inset-ring-orange-edge',
  yellow: 'bg-yellow-tint text-yellow-ink inset-ring-yellow-edge',
  pink: 'bg-pink-tint text-pink-ink inset-ring-pink-edge',
  teal: 'bg-teal-tint text-teal-ink inset-ring-teal-edge',
  purple: 'bg-purple-tint text-purple-ink inset-ring-purple-edge',
  blue: 'bg-blue-tint text-blue-ink inset-ring-blue-edge',
  green: 'bg-green-tint text-green-ink inset-ring-green-edge',
  red: 'bg-red-tint text-red-ink inset-ring-red-edge',
}

/** The variant of a tag's color number. */
export function tagColor(color: number): BadgeVariant {
  return badgeVariants[((color % 10) + 10) % 10] ?? 'gray'
}

/** A short label on a tinted background. `small` is for labels beside a name, such as KEV. */
export function Badge({
  variant = 'gray',
  small = false,
  className,
  title,
  children,
}: {
  readonly variant?: BadgeVariant
  readonly small?: boolean
  readonly className?: string
  readonly title?: string
  readonly children: ReactNode
}) {
  return (
    <span
      title={title}
      className={cx(
        'inline-flex flex-none items-center gap-[5px] align-middle whitespace-nowrap inset-ring',
        small
          ? 'h-4.5 rounded-[4px] px-[5px] text-[11px]/4 font-semibold tracking-[.02em]'
          : 'h-5 rounded-sm px-[7px] text-12 font-medium',
        variantClasses[variant],
        className,
      )}
    >
      {children}
    </span>
  )
}

/** Background, text, and border of a variant, for notes and tinted rows. */
export function tint(variant: BadgeVariant): string {
  return variantClasses[variant]
}

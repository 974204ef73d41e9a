import { CircleAlert, CircleCheck, Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '#lib/cx.ts'
import { type BadgeVariant, tint } from '#ui/badge.tsx'

const icons: Partial<Record<BadgeVariant, ReactNode>> = {
  red: <CircleAlert className="mt-0.5 size-4" aria-hidden="true" />,
  green: <CircleCheck className="mt-0.5 size-4" aria-hidden="true" />,
}

/** A tinted note: explains the situation and, if needed, what to do. Errors are announced to screen readers. */
export function Note({
  variant = 'main',
  icon,
  className,
  children,
}: {
  readonly variant?: BadgeVariant
  readonly icon?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}) {
  return (
    <div
      role={variant === 'red' ? 'alert' : 'status'}
      className={cx(
        'flex gap-2.5 rounded-md px-3 py-2.5 inset-ring [&_.lucide]:mt-0.5 [&_.lucide]:size-4',
        tint(variant),
        className,
      )}
    >
      {icon ?? icons[variant] ?? <Info className="mt-0.5 size-4" aria-hidden="true" />}
      <div className="min-w-0">{children}</div>
    </div>
  )
}

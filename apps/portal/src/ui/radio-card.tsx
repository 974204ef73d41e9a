import type { ComponentProps, ReactNode } from 'react'
import { cx } from '#lib/cx.ts'

type RadioCardProps = Omit<ComponentProps<'input'>, 'type' | 'className'> & {
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** Larger spacing, for a page with a single question. */
  readonly roomy?: boolean
}

/** A framed radio button, tinted while selected. */
export function RadioCard({ label, hint, roomy = false, ...rest }: RadioCardProps) {
  return (
    <label
      className={cx(
        'flex items-start rounded-md border border-line-strong has-checked:border-accent has-checked:bg-selected has-checked:inset-ring has-checked:inset-ring-accent',
        roomy ? 'gap-3 px-4 py-3.5' : 'gap-2.5 px-3 py-[9px]',
      )}
    >
      <input {...rest} type="radio" className="check round mt-0.5" />
      <span className="min-w-0 wrap-anywhere">
        <span className={roomy ? 'font-medium' : undefined}>{label}</span>
        {hint && <span className={cx('block', roomy ? 'text-ink-2' : 'text-12 text-ink-3')}>{hint}</span>}
      </span>
    </label>
  )
}

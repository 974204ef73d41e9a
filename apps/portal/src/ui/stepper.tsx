import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '#lib/cx.ts'

export interface Step {
  readonly title: string
  readonly detail?: ReactNode
  readonly state: 'done' | 'current' | 'open'
}

/**
 * Steps on a line, one after the other; the present one carries `aria-current="step"`. On a phone they stand side
 * by side and only the present one shows its name, so that what is to be done now has the page.
 */
export function Stepper({ label, steps }: { readonly label: string; readonly steps: readonly Step[] }) {
  return (
    <ol aria-label={label} className="max-md:flex max-md:items-center max-md:gap-2">
      {steps.map(({ title, detail, state }, index) => (
        <li
          key={title}
          aria-current={state === 'current' ? 'step' : undefined}
          className="relative grid grid-cols-[24px_minmax(0,1fr)] gap-3 pb-6 not-last:before:absolute max-md:flex max-md:min-w-0 max-md:items-center max-md:gap-2 max-md:pb-0 max-md:before:hidden not-last:before:top-7 not-last:before:bottom-1 not-last:before:left-[11.5px] not-last:before:w-px not-last:before:bg-line-strong"
        >
          <span
            aria-hidden="true"
            className={cx(
              'grid size-6 flex-none place-items-center rounded-full text-12 font-semibold tabular-nums',
              state === 'done' && 'bg-green-tint text-green-ink inset-ring inset-ring-green-edge',
              state === 'current' && 'bg-accent text-on-solid',
              state === 'open' && 'text-ink-3 inset-ring inset-ring-line-strong',
            )}
          >
            {state === 'done' ? <Check className="size-3.5" /> : index + 1}
          </span>
          <div className={cx('min-w-0 pt-0.5 max-md:pt-0', state !== 'current' && 'max-md:sr-only')}>
            <p className={cx('font-medium', state === 'open' && 'text-ink-2')}>
              {title}
              {state === 'done' && <span className="sr-only">, done</span>}
            </p>
            {detail && <div className="text-12 text-ink-3 max-md:hidden">{detail}</div>}
          </div>
        </li>
      ))}
    </ol>
  )
}

import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '#lib/cx.ts'

export interface Step {
  readonly title: string
  readonly detail?: ReactNode
  readonly state: 'done' | 'current' | 'open'
}

/**
 * Steps in a vertical line; the current one has `aria-current="step"`. On phones they are side by side and only the
 * current one shows its name, to leave space for the page.
 */
export function Stepper({ label, steps }: { readonly label: string; readonly steps: readonly Step[] }) {
  return (
    <ol aria-label={label} className="max-md:flex max-md:items-center max-md:gap-2">
      {steps.map(({ title, detail, state }, index) => (
        <li
          key={title}
          aria-current={state === 'current' ? 'step' : undefined}
          className={cx(
            'relative grid grid-cols-[24px_minmax(0,1fr)] gap-3 not-last:pb-[22px]',
            'max-md:flex max-md:min-w-0 max-md:items-center max-md:gap-2 max-md:not-last:pb-0',
            // The line to the next step.
            'not-last:before:absolute not-last:before:top-7 not-last:before:bottom-1 not-last:before:left-[11.5px] not-last:before:w-px max-md:before:hidden',
            state === 'done' ? 'not-last:before:bg-accent' : 'not-last:before:bg-line-strong',
          )}
        >
          <span
            aria-hidden="true"
            className={cx(
              'grid size-6 flex-none place-items-center rounded-full text-12 font-semibold tabular-nums',
              state === 'done' && 'bg-accent text-on-solid',
              state === 'current' && 'text-link inset-ring-2 inset-ring-accent',
              state === 'open' && 'text-ink-3 inset-ring inset-ring-control',
            )}
          >
            {state === 'done' ? <Check className="size-3.5" /> : index + 1}
          </span>
          <div className={cx('min-w-0', state !== 'current' && 'max-md:sr-only')}>
            <p className={cx('leading-6 font-medium', state === 'open' && 'text-ink-2')}>
              {title}
              {state === 'done' && <span className="sr-only">, done</span>}
            </p>
            {detail && (
              <div
                className="truncate text-12 text-ink-3 max-md:hidden"
                title={typeof detail === 'string' ? detail : undefined}
              >
                {detail}
              </div>
            )}
          </div>
        </li>
      ))}
    </ol>
  )
}

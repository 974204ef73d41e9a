import type { Plan, Subscription } from '@glacis/contract/account'
import type { ReactNode } from 'react'
import { countOf, isBoundless } from '#billing/rules.ts'
import { formatDate, formatNumber } from '#lib/format.ts'
import { Block } from '#ui/card.tsx'
import { Meter } from '#ui/meter.tsx'

/** What of the plan in force is used. */
export function Usage({ subscription, plan }: { readonly subscription: Subscription; readonly plan: Plan }) {
  const { targets, manualScans } = subscription.quota
  return (
    <Block title="Usage">
      <div className="grid grid-cols-2 gap-x-10 gap-y-5 max-md:grid-cols-1">
        <Quota name="Targets" {...targets} isOpen={isBoundless(plan)}>
          {targetWords(targets)}
        </Quota>
        <Quota name="Manual scans this month" {...manualScans} isOpen={plan.manualScansPerMonth === undefined}>
          {scanWords(manualScans, subscription.periodEndTime)}
        </Quota>
      </div>
    </Block>
  )
}

interface Figures {
  readonly used: number
  readonly total: number
}
interface QuotaProps extends Figures {
  readonly name: string
  /** Without a limit there is nothing to measure. */
  readonly isOpen: boolean
  readonly children: ReactNode
}
function Quota({ name, used, total, isOpen, children }: QuotaProps) {
  return (
    <div>
      <p className="flex justify-between gap-3">
        <span>{name}</span>
        <span className="tabular-nums">
          <b className="font-medium">{formatNumber(used)}</b>{' '}
          <span className="text-ink-3">{isOpen ? 'used' : `of ${formatNumber(total)}`}</span>
        </span>
      </p>
      {!isOpen && (
        <div className="mt-2">
          <Meter label={name} value={used} max={total} />
        </div>
      )}
      <p className="mt-1.5 text-12 text-ink-3">{isOpen ? 'Your plan sets no limit.' : children}</p>
    </div>
  )
}

/** What the figures of the targets mean, in a sentence. */
export function targetWords({ used, total }: Figures): string {
  const left = total - used
  if (left > 0) return `${formatNumber(left)} more ${left === 1 ? 'target fits' : 'targets fit'} in your plan.`
  if (left === 0) return 'Your plan is full. Delete a target, or choose a larger plan.'
  return `${countOf(-left, 'target')} more than your plan holds. No target can be added.`
}

/** The same for manual scans; `resetTime` is when the count starts again. */
export function scanWords({ used, total }: Figures, resetTime: string | undefined): string {
  const until = resetTime ? ` until ${formatDate(resetTime)}` : ''
  const left = Math.max(0, total - used)
  return `${left === 0 ? 'None' : formatNumber(left)} left${until}. Scheduled scans are not counted.`
}

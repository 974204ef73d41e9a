import type { Plan, Subscription } from '@glacis/contract/subscription'
import type { ReactNode } from 'react'
import { pluralize, isUnlimited } from '#billing/rules.ts'
import { formatDate, formatNumber } from '#lib/format.ts'
import { Block } from '#ui/card.tsx'
import { Meter } from '#ui/meter.tsx'

/** Quota usage of the current plan. */
export function Usage({ subscription, plan }: { readonly subscription: Subscription; readonly plan: Plan }) {
  const { targets, manualScans } = subscription.quota
  return (
    <Block title="Usage">
      <div className="grid grid-cols-2 gap-x-10 gap-y-5 max-md:grid-cols-1">
        <Quota name="Targets" {...targets} isUnlimited={isUnlimited(plan)}>
          {remainingTargets(targets)}
        </Quota>
        <Quota name="Manual scans this month" {...manualScans} isUnlimited={plan.manualScansPerMonth === undefined}>
          {remainingScans(manualScans, subscription.periodEndTime)}
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
  /** True if the quota has no limit, which hides the meter. */
  readonly isUnlimited: boolean
  readonly children: ReactNode
}
function Quota({ name, used, total, isUnlimited: isOpen, children }: QuotaProps) {
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
      <p className="mt-1.5 text-12 text-ink-3">{isOpen ? 'Unlimited in your plan.' : children}</p>
    </div>
  )
}

/** Describes the remaining target quota. */
export function remainingTargets({ used, total }: Figures): string {
  const left = total - used
  if (left > 0) return `You can add ${formatNumber(left)} more ${left === 1 ? 'target' : 'targets'}.`
  if (left === 0) return "You've reached your plan's limit. Delete a target or choose a larger plan."
  return `You're ${pluralize(-left, 'target')} over your plan's limit. Delete some or choose a larger plan.`
}

/** Describes the remaining manual scans. `resetTime` is when the quota resets. */
export function remainingScans({ used, total }: Figures, resetTime: string | undefined): string {
  const until = resetTime ? ` until ${formatDate(resetTime)}` : ''
  const left = Math.max(0, total - used)
  return `${left === 0 ? 'None' : formatNumber(left)} left${until}. Scheduled scans don't count.`
}

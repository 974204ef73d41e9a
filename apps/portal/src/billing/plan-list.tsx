import type { Plan } from '@glacis/contract/subscription'
import { useId } from 'react'
import { formatLimits, isOnRequest, type Period, priceIn } from '#billing/rules.ts'
import { formatCurrency } from '#lib/format.ts'
import { Badge } from '#ui/badge.tsx'

/** Radio group of the plans with their limits and prices. */
export function PlanList({
  plans,
  current,
  chosen,
  period,
  onChoose,
}: {
  readonly plans: readonly Plan[]
  /** ID of the current plan. */
  readonly current: Plan['id']
  readonly chosen: Plan['id']
  readonly period: Period
  readonly onChoose: (id: Plan['id']) => void
}) {
  return (
    <fieldset className="divide-y divide-line overflow-hidden rounded-lg border border-line">
      <legend className="sr-only">Plan</legend>
      {plans.map((plan) => (
        <PlanRow
          key={plan.id}
          plan={plan}
          period={period}
          isCurrent={plan.id === current}
          isChosen={plan.id === chosen}
          onChoose={() => onChoose(plan.id)}
        />
      ))}
    </fieldset>
  )
}

interface PlanRowProps {
  readonly plan: Plan
  readonly period: Period
  readonly isCurrent: boolean
  readonly isChosen: boolean
  readonly onChoose: () => void
}
function PlanRow({ plan, period, isCurrent, isChosen, onChoose }: PlanRowProps) {
  const id = useId()
  return (
    <label className="grid min-h-15 cursor-pointer grid-cols-[16px_132px_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1.5 px-4 py-2 -outline-offset-2 outline-focus hover:bg-hover has-checked:bg-selected has-focus-visible:outline-2 max-md:grid-cols-[16px_minmax(0,1fr)_auto] max-md:items-start max-md:py-3">
      <input
        type="radio"
        name="plan"
        value={plan.id}
        checked={isChosen}
        onChange={onChoose}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-limits ${id}-price`}
        className="check round outline-none! max-md:mt-0.5"
      />
      <span id={`${id}-name`} className="flex items-center gap-2">
        <b className="font-medium">{plan.name}</b> {isCurrent && <Badge variant="main">Current</Badge>}
      </span>
      <span id={`${id}-limits`} className="min-w-0 max-md:order-last max-md:col-span-2 max-md:col-start-2">
        <span className="block">{formatLimits(plan)}</span>{' '}
        <span className="block text-12 text-ink-2">{plan.features.join(' · ')}</span>
      </span>
      <Price id={`${id}-price`} plan={plan} period={period} />
    </label>
  )
}

function Price({ id, plan, period }: { readonly id: string; readonly plan: Plan; readonly period: Period }) {
  const extra = plan.pricePerExtraTarget
  const amount = priceIn(plan.basePrice, period)
  if (isOnRequest(plan)) {
    return (
      <span id={id} className="text-right text-ink-2">
        On request
      </span>
    )
  }
  return (
    <span id={id} className="text-right tabular-nums">
      <b className="font-medium">{formatCurrency(amount)}</b>{' '}
      {amount > 0 && <span className="text-ink-2">{periodLabels[period]}</span>}
      {extra && (
        <>
          {' '}
          <span className="block text-12 text-ink-2">
            {formatCurrency(priceIn(extra, period))} per additional target
          </span>
        </>
      )}
    </span>
  )
}

const periodLabels: Readonly<Record<Period, string>> = { PERIOD_MONTHLY: 'per month', PERIOD_YEARLY: 'per year' }

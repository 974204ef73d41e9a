/** `/subscription` */
import type { Plan, Subscription } from '@glacis/contract/subscription'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { errorAdvice, fieldProblem } from '#api/advice.ts'
import { ApiFailure } from '#api/failure.ts'
import { ChangeRail } from '#billing/change-rail.tsx'
import { PlanList } from '#billing/plan-list.tsx'
import { change, plans as plansQuery, subscription as subscriptionQuery } from '#billing/queries.ts'
import {
  boundsOf,
  type Choice,
  pluralize,
  isUnlimited,
  type Period,
  currentChoice,
  formatScanLimit,
  clampTargets,
  sliderMax,
  yearlyDiscount,
} from '#billing/rules.ts'
import { TargetSlider } from '#billing/target-slider.tsx'
import { Usage } from '#billing/usage.tsx'
import { formatDate, formatNumber, formatWholePercent } from '#lib/format.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { Card, Detail, SectionHead } from '#ui/card.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { SegmentedControl } from '#ui/segmented-control.tsx'

/** Current plan, usage, and available plans, or a notice if billing is disabled. */
export function SubscriptionPage() {
  return portalConfig().billing ? <Plans /> : <BillingDisabled />
}

function BillingDisabled() {
  return (
    <div className="pb-14">
      <PageHead title="Subscription" />
      <div className="px-(--gl-gutter) pt-5">
        <Card className="max-w-[640px] px-4 py-3.5">
          <h2 className="font-semibold">Self-hosted, no plans</h2>
          <p className="mt-1 text-ink-2">
            Your administrator has turned plans off for this installation. Targets and scans are unlimited and nothing
            is billed.
          </p>
        </Card>
      </div>
    </div>
  )
}

function Plans() {
  const { subscription } = useSuspenseQuery(subscriptionQuery()).data
  const { plans } = useSuspenseQuery(plansQuery()).data
  const current = currentChoice(subscription, plans)
  if (!current) throw new Error(`The current plan ${subscription.plan.name} is not in the list of plans`)
  return (
    <div className="pg flex grow flex-col">
      <PageHead title="Subscription" description={planSummary(current, subscription.cancelTime)} />
      <ChangeForm subscription={subscription} plans={plans} current={current} />
    </div>
  )
}

/** "You're on the Free plan: 25 targets, 100 manual scans per month." */
export function planSummary({ plan, targets }: Choice, cancelTime: string | undefined): string {
  const ends = cancelTime ? ` It ends on ${formatDate(cancelTime)}.` : ''
  const size = isUnlimited(plan) ? 'unlimited targets' : pluralize(targets, 'target')
  return `You're on the ${plan.name} plan: ${size}, ${formatScanLimit(plan)}.${ends}`
}

interface Draft {
  readonly planId?: Plan['id']
  readonly targets?: number | undefined
  readonly period?: Period
}
interface ChangeFormProps {
  readonly subscription: Subscription
  readonly plans: readonly Plan[]
  readonly current: Choice
}

function ChangeForm({ subscription, plans, current }: ChangeFormProps) {
  const [draft, setDraft] = useState<Draft>({})
  const changePlan = useMutation(change)
  const { used } = subscription.quota.targets
  const chosen = mergeDraft(draft, { plans, current, used })
  const bounds = boundsOf(chosen.plan, used)
  const errors = splitError(changePlan.error, bounds !== undefined)
  function choose(more: Draft): void {
    if (changePlan.isPending) return
    changePlan.reset()
    setDraft({ ...draft, ...more })
  }
  function apply(): void {
    const { plan, targets, period } = chosen
    changePlan.mutate({ planId: plan.id, numTargets: targets, period }, { onSuccess: () => setDraft({}) })
  }
  return (
    <Detail
      rail={
        <ChangeRail
          {...{ current, chosen, used }}
          isPending={changePlan.isPending}
          serverError={errors.rail}
          onApply={apply}
        />
      }
    >
      <Usage subscription={subscription} plan={current.plan} />
      <section className="blk">
        <div className="mb-3.5">
          <SectionHead title="Plan">
            <PeriodSwitch plans={plans} value={chosen.period} onChange={(period) => choose({ period })} />
          </SectionHead>
        </div>
        <PlanList
          plans={plans}
          current={current.plan.id}
          chosen={chosen.plan.id}
          period={chosen.period}
          // The number of targets isn't carried over to another plan, which starts with its included number.
          onChoose={(planId) => choose({ planId, ...(planId !== chosen.plan.id && { targets: undefined }) })}
        />
      </section>
      {bounds && (
        <TargetSlider
          value={chosen.targets}
          bounds={bounds}
          trackEnd={sliderMax(chosen.plan, chosen.targets)}
          hint={rangeHint(chosen.plan, used)}
          problem={errors.targets}
          onChange={(targets) => choose({ targets })}
        />
      )}
    </Detail>
  )
}

/** The draft merged over the current subscription. */
export function mergeDraft(
  draft: Draft,
  { plans, current, used }: { readonly plans: readonly Plan[]; readonly current: Choice; readonly used: number },
): Choice {
  const plan = plans.find(({ id }) => id === draft.planId) ?? current.plan
  const isCurrent = plan.id === current.plan.id
  const wanted = draft.targets ?? (isCurrent ? current.targets : plan.includedTargets)
  const isUntouched = isCurrent && draft.targets === undefined
  return {
    plan,
    targets: isUntouched ? current.targets : clampTargets(plan, used, wanted),
    period: draft.period ?? current.period,
  }
}

/** Where to show an error: next to the number of targets if it concerns that field, else next to the button. */
function splitError(error: Error | null, hasField: boolean): { readonly targets?: string; readonly rail?: string } {
  if (!error) return {}
  if (!(error instanceof ApiFailure)) return { rail: error.message }
  const targets = hasField ? fieldProblem(error, 'numTargets') : undefined
  if (targets !== undefined) return { targets }
  // The server's message is more specific than generic advice for the status.
  return { rail: (error.serverMessage ? undefined : errorAdvice(error)) ?? error.detail }
}

/** Describes the range of the number of targets. */
export function rangeHint({ name, includedTargets, maximumTargets }: Plan, used: number): string {
  const includes = `${name} includes ${pluralize(includedTargets, 'target')}`
  const most =
    maximumTargets === undefined ? ' and has no maximum' : ` and allows up to ${formatNumber(maximumTargets)}`
  const floor = used > includedTargets ? ", so you can't choose fewer." : '.'
  return `${includes}${most}. You use ${formatNumber(used)}${floor}`
}

interface PeriodSwitchProps {
  readonly plans: readonly Plan[]
  readonly value: Period
  readonly onChange: (period: Period) => void
}
function PeriodSwitch({ plans, value, onChange }: PeriodSwitchProps) {
  const saving = yearlyDiscount(plans)
  const options = [
    { value: 'PERIOD_MONTHLY', label: 'Monthly' },
    {
      value: 'PERIOD_YEARLY',
      label: <>Yearly {saving > 0 && <span className="text-green-ink">{formatWholePercent(saving)} off</span>}</>,
    },
  ] as const
  return <SegmentedControl label="Period" options={options} value={value} onChange={onChange} />
}

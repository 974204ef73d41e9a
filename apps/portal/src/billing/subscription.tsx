/** `/subscription` */
import type { Plan, Subscription } from '@glacis/contract/account'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { adviceOf } from '#api/advice.ts'
import { ApiFailure } from '#api/failure.ts'
import { ChangeRail } from '#billing/change-rail.tsx'
import { PlanList } from '#billing/plan-list.tsx'
import { change, plans as plansQuery, subscription as subscriptionQuery } from '#billing/queries.ts'
import {
  boundsOf,
  type Choice,
  countOf,
  isBoundless,
  type Period,
  presentChoice,
  scanWords,
  targetsOf,
  trackEnd,
  yearlySaving,
} from '#billing/rules.ts'
import { TargetSlider } from '#billing/target-slider.tsx'
import { Usage } from '#billing/usage.tsx'
import { formatDate, formatNumber, formatWholePercent } from '#lib/format.ts'
import { pageWords } from '#lib/page-words.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { Card, Detail, SectionHead } from '#ui/card.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { SegmentedControl } from '#ui/segmented-control.tsx'

/** The plan, what of it is used, and what else there is; a single card where this installation has no plans. */
export function SubscriptionPage() {
  return portalConfig().billing ? <Plans /> : <WithoutPlans />
}

function WithoutPlans() {
  return (
    <div className="pb-14">
      <PageHead title={pageWords.subscription.title} />
      <div className="px-(--gl-gutter) pt-5">
        <Card className="max-w-[640px] px-4 py-3.5">
          <h2 className="font-semibold">Self-hosted without plans</h2>
          <p className="mt-1 text-ink-2">
            This installation sets no limit on targets or scans, and nothing is billed. Whoever operates it turned plans
            off.
          </p>
        </Card>
      </div>
    </div>
  )
}

function Plans() {
  const { subscription } = useSuspenseQuery(subscriptionQuery()).data
  const { plans } = useSuspenseQuery(plansQuery()).data
  const present = presentChoice(subscription, plans)
  if (!present) throw new Error(`The plan ${subscription.plan.name} is not on offer`)
  return (
    <div className="pg flex grow flex-col">
      <PageHead title="Subscription" description={lede(present, subscription.cancelTime)} />
      <ChangeForm subscription={subscription} plans={plans} present={present} />
    </div>
  )
}

/** What is in force, and when it ends if it does. */
export function lede({ plan, targets }: Choice, cancelTime: string | undefined): string {
  const ends = cancelTime ? ` It ends on ${formatDate(cancelTime)}.` : ''
  const size = isBoundless(plan) ? 'any number of targets' : countOf(targets, 'target')
  return `You are on the ${plan.name} plan: ${size}, ${scanWords(plan)}.${ends}`
}

interface Draft {
  readonly planId?: Plan['id']
  readonly targets?: number | undefined
  readonly period?: Period
}
interface ChangeFormProps {
  readonly subscription: Subscription
  readonly plans: readonly Plan[]
  readonly present: Choice
}

function ChangeForm({ subscription, plans, present }: ChangeFormProps) {
  const [draft, setDraft] = useState<Draft>({})
  const changing = useMutation(change(useQueryClient()))
  const { used } = subscription.quota.targets
  const chosen = chosenOf(draft, { plans, present, used })
  const bounds = boundsOf(chosen.plan, used)
  const refusal = refusalOf(changing.error, bounds !== undefined)
  function choose(more: Draft): void {
    if (changing.isPending) return
    changing.reset()
    setDraft({ ...draft, ...more })
  }
  function apply(): void {
    const { plan, targets, period } = chosen
    changing.mutate({ planId: plan.id, numTargets: targets, period }, { onSuccess: () => setDraft({}) })
  }
  return (
    <Detail
      rail={
        <ChangeRail
          {...{ present, chosen, used }}
          isUnderWay={changing.isPending}
          refusal={refusal.rail}
          onApply={apply}
        />
      }
    >
      <Usage subscription={subscription} plan={present.plan} />
      <section className="blk">
        <div className="mb-3.5">
          <SectionHead title="Plan">
            <PeriodSwitch plans={plans} value={chosen.period} onChange={(period) => choose({ period })} />
          </SectionHead>
        </div>
        <PlanList
          plans={plans}
          present={present.plan.id}
          chosen={chosen.plan.id}
          period={chosen.period}
          // A number that was meant for one plan is none for another: each starts with what it includes.
          onChoose={(planId) => choose({ planId, ...(planId !== chosen.plan.id && { targets: undefined }) })}
        />
      </section>
      {bounds && (
        <TargetSlider
          value={chosen.targets}
          bounds={bounds}
          trackEnd={trackEnd(chosen.plan, chosen.targets)}
          hint={boundWords(chosen.plan, used)}
          problem={refusal.targets}
          onChange={(targets) => choose({ targets })}
        />
      )}
    </Detail>
  )
}

/** What stands chosen: the draft where there is one, what is in force elsewhere. */
export function chosenOf(
  draft: Draft,
  { plans, present, used }: { readonly plans: readonly Plan[]; readonly present: Choice; readonly used: number },
): Choice {
  const plan = plans.find(({ id }) => id === draft.planId) ?? present.plan
  const isPresent = plan.id === present.plan.id
  const wanted = draft.targets ?? (isPresent ? present.targets : plan.includedTargets)
  const isUntouched = isPresent && draft.targets === undefined
  return {
    plan,
    targets: isUntouched ? present.targets : targetsOf(plan, used, wanted),
    period: draft.period ?? present.period,
  }
}

/** Where a refusal is shown: a word about the number beside the number, everything else beside the button. */
function refusalOf(error: Error | null, hasField: boolean): { readonly targets?: string; readonly rail?: string } {
  if (!error) return {}
  if (!(error instanceof ApiFailure)) return { rail: error.message }
  const targets = hasField ? error.fieldErrors.get('numTargets') : undefined
  if (targets !== undefined) return { targets }
  // What the server says of a plan is more than what can be said of a status.
  return { rail: (error.said ? undefined : adviceOf(error)) ?? error.detail }
}

/** From where to where the number can go, in words. */
export function boundWords({ name, includedTargets, maximumTargets }: Plan, used: number): string {
  const includes = `${name} includes ${countOf(includedTargets, 'target')}`
  const most =
    maximumTargets === undefined
      ? '. The field takes any number above'
      : ` and holds at most ${formatNumber(maximumTargets)}`
  const floor = used > includedTargets ? '; the number cannot go below that.' : '.'
  return `${includes}${most}. You use ${formatNumber(used)}${floor}`
}

interface PeriodSwitchProps {
  readonly plans: readonly Plan[]
  readonly value: Period
  readonly onChange: (period: Period) => void
}
function PeriodSwitch({ plans, value, onChange }: PeriodSwitchProps) {
  const saving = yearlySaving(plans)
  const options = [
    { value: 'PERIOD_MONTHLY', label: 'Monthly' },
    {
      value: 'PERIOD_YEARLY',
      label: <>Yearly {saving > 0 && <span className="text-green-ink">{formatWholePercent(saving)} off</span>}</>,
    },
  ] as const
  return <SegmentedControl label="Period" options={options} value={value} onChange={onChange} />
}

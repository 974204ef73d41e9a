import type { ReactNode } from 'react'
import {
  type Choice,
  isUnlimited,
  isChange,
  isOnRequest,
  submitState,
  planError,
  type Period,
  totalOf,
} from '#billing/rules.ts'
import { formatCurrency, formatNumber } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Fact, Facts } from '#ui/card.tsx'
import { Note } from '#ui/note.tsx'

/** Summary of the plan change, its price, and the button that applies it. */
export function ChangeRail({
  current,
  chosen,
  used,
  isPending,
  serverError,
  onApply,
}: {
  readonly current: Choice
  readonly chosen: Choice
  /** Number of existing targets. */
  readonly used: number
  readonly isPending: boolean
  /** The server's error for the last attempt. */
  readonly serverError: string | undefined
  readonly onApply: () => void
}) {
  const { label, isReady } = submitState(current, chosen, used)
  const planProblem = planError(chosen.plan, used)
  return (
    <section>
      <h2>Change</h2>
      <Facts>
        <ChangeFact name="Plan" from={current.plan.name} to={chosen.plan.name} />
        <ChangeFact name="Targets" from={targetCount(current)} to={targetCount(chosen)} />
        <ChangeFact name="Manual scans" from={scanCount(current)} to={scanCount(chosen)} />
        {totalOf(chosen) > 0 && (
          <ChangeFact
            name="Period"
            from={totalOf(current) > 0 ? periodLabels[current.period] : undefined}
            to={periodLabels[chosen.period]}
          />
        )}
      </Facts>
      <Totals current={current} chosen={chosen} />
      <div className="mt-4 grid gap-3">
        {planProblem && <Note variant="yellow">{planProblem}</Note>}
        {serverError && <Note variant="red">{serverError}</Note>}
        <Button
          block
          call="changeSubscription"
          variant="primary"
          loading={isPending}
          disabled={!isReady}
          onClick={onApply}
        >
          {label}
        </Button>
      </div>
    </section>
  )
}

function Totals({ current, chosen }: { readonly current: Choice; readonly chosen: Choice }) {
  const isNew = isChange(current, chosen)
  return (
    <div className="mt-1 border-t border-line pt-3.5">
      {isNew && (
        <p className="mb-1.5 flex justify-between gap-3 text-ink-2">
          <span>Now</span>
          <span className="tabular-nums">{formatPrice(current)}</span>
        </p>
      )}
      <p className="flex items-baseline justify-between gap-3">
        <span>{`${isNew ? 'New' : 'Current'} ${totalOf(chosen) > 0 ? `${totalLabels[chosen.period]} ` : ''}total`}</span>
        <output className="text-20 font-medium tracking-title tabular-nums">{formatTotal(chosen)}</output>
      </p>
      <p className="mt-1 text-12 text-ink-3">
        Self-hosted installations aren't charged. Prices are for comparison only; changes apply immediately.
      </p>
    </div>
  )
}

/** One row of the summary: "from → to", or only the value if it doesn't change. */
function ChangeFact({
  name,
  from,
  to,
}: {
  readonly name: string
  readonly from: string | undefined
  readonly to: string
}) {
  let content: ReactNode = to
  if (from !== undefined && from !== to) {
    content = (
      <>
        <span className="text-ink-3">{from}</span> <span aria-hidden="true">→</span>
        <span className="sr-only">becomes</span> {to}
      </>
    )
  }
  return (
    <Fact name={name}>
      <span className="tabular-nums">{content}</span>
    </Fact>
  )
}

const periodLabels: Readonly<Record<Period, string>> = { PERIOD_MONTHLY: 'Monthly', PERIOD_YEARLY: 'Yearly' }
const totalLabels: Readonly<Record<Period, string>> = { PERIOD_MONTHLY: 'monthly', PERIOD_YEARLY: 'yearly' }

function formatTotal(choice: Choice): string {
  return isOnRequest(choice.plan) ? 'On request' : formatCurrency(totalOf(choice))
}

function formatPrice(choice: Choice): string {
  const total = totalOf(choice)
  if (total === 0) return formatTotal(choice)
  return `${formatCurrency(total)} per ${choice.period === 'PERIOD_YEARLY' ? 'year' : 'month'}`
}

function targetCount({ plan, targets }: Choice): string {
  return isUnlimited(plan) ? 'Unlimited' : formatNumber(targets)
}

function scanCount({ plan: { manualScansPerMonth } }: Choice): string {
  return manualScansPerMonth === undefined ? 'Unlimited' : formatNumber(manualScansPerMonth)
}

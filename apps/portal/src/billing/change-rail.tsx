import type { ReactNode } from 'react'
import {
  type Choice,
  isBoundless,
  isChange,
  isOnRequest,
  nextStep,
  obstacleOf,
  type Period,
  totalOf,
} from '#billing/rules.ts'
import { formatCurrency, formatNumber } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Fact, Facts } from '#ui/card.tsx'
import { Note } from '#ui/note.tsx'

/** What would change, what it comes to, and the button that does it. */
export function ChangeRail({
  present,
  chosen,
  used,
  isUnderWay,
  refusal,
  onApply,
}: {
  readonly present: Choice
  readonly chosen: Choice
  /** Targets that exist. */
  readonly used: number
  readonly isUnderWay: boolean
  /** What the server said against the last try. */
  readonly refusal: string | undefined
  readonly onApply: () => void
}) {
  const { label, isReady } = nextStep(present, chosen, used)
  const obstacle = obstacleOf(chosen.plan, used)
  return (
    <section>
      <h2>Change</h2>
      <Facts>
        <Turn name="Plan" from={present.plan.name} to={chosen.plan.name} />
        <Turn name="Targets" from={targetCount(present)} to={targetCount(chosen)} />
        <Turn name="Manual scans" from={scanCount(present)} to={scanCount(chosen)} />
        {totalOf(chosen) > 0 && (
          <Turn
            name="Period"
            from={totalOf(present) > 0 ? periodNames[present.period] : undefined}
            to={periodNames[chosen.period]}
          />
        )}
      </Facts>
      <Totals present={present} chosen={chosen} />
      <div className="mt-4 grid gap-3">
        {obstacle && <Note variant="yellow">{obstacle}</Note>}
        {refusal && <Note variant="red">{refusal}</Note>}
        <Button block variant="primary" loading={isUnderWay} disabled={!isReady} onClick={onApply}>
          {label}
        </Button>
      </div>
    </section>
  )
}

function Totals({ present, chosen }: { readonly present: Choice; readonly chosen: Choice }) {
  const isNew = isChange(present, chosen)
  return (
    <div className="mt-1 border-t border-line pt-3.5">
      {isNew && (
        <p className="mb-1.5 flex justify-between gap-3 text-ink-2">
          <span>Now</span>
          <span className="tabular-nums">{priceWords(present)}</span>
        </p>
      )}
      <p className="flex items-baseline justify-between gap-3">
        <span>{`${isNew ? 'New' : 'Current'} ${totalOf(chosen) > 0 ? `${totalNames[chosen.period]} ` : ''}total`}</span>
        <output className="text-20 font-medium tracking-title tabular-nums">{totalWords(chosen)}</output>
      </p>
      <p className="mt-1 text-12 text-ink-3">
        Nothing is charged on your own installation: the prices are for comparison, and a change applies at once.
      </p>
    </div>
  )
}

/** One line of the change; what stays the same is said once. */
function Turn({ name, from, to }: { readonly name: string; readonly from: string | undefined; readonly to: string }) {
  let words: ReactNode = to
  if (from !== undefined && from !== to) {
    words = (
      <>
        <span className="text-ink-3">{from}</span> <span aria-hidden="true">→</span>
        <span className="sr-only">becomes</span> {to}
      </>
    )
  }
  return (
    <Fact name={name}>
      <span className="tabular-nums">{words}</span>
    </Fact>
  )
}

const periodNames: Readonly<Record<Period, string>> = { PERIOD_MONTHLY: 'Monthly', PERIOD_YEARLY: 'Yearly' }
const totalNames: Readonly<Record<Period, string>> = { PERIOD_MONTHLY: 'monthly', PERIOD_YEARLY: 'yearly' }

function totalWords(choice: Choice): string {
  return isOnRequest(choice.plan) ? 'On request' : formatCurrency(totalOf(choice))
}

function priceWords(choice: Choice): string {
  const total = totalOf(choice)
  if (total === 0) return totalWords(choice)
  return `${formatCurrency(total)} a ${choice.period === 'PERIOD_YEARLY' ? 'year' : 'month'}`
}

function targetCount({ plan, targets }: Choice): string {
  return isBoundless(plan) ? 'No limit' : formatNumber(targets)
}

function scanCount({ plan: { manualScansPerMonth } }: Choice): string {
  return manualScansPerMonth === undefined ? 'No limit' : formatNumber(manualScansPerMonth)
}

/** Short lists on the overview: targets most at risk, software at end of life, and plan usage. Empty ones are hidden. */
import type { Product } from '@glacis/contract/product'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { subscription } from '#billing/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { formatDay } from '#lib/swiss-date.ts'
import { versionsLabel } from '#lib/versions-label.ts'
import { endOfLifeGroups, type NonEmpty } from '#overview/end-of-life.ts'
import { list as listProducts } from '#products/queries.ts'
import { list as listTargets } from '#targets/queries.ts'
import { Badge } from '#ui/badge.tsx'
import { SectionHead } from '#ui/card.tsx'
import { Meter } from '#ui/meter.tsx'
import { SeverityGlyph } from '#ui/severity.tsx'
import { SectionError } from '#ui/states.tsx'

const shownMax = 5

export function SummaryLists() {
  return (
    <div className="ruled grid-cols-[repeat(auto-fit,minmax(min(100%,17rem),1fr))] border-t-0! border-b border-line empty:hidden">
      <TargetsAtRisk />
      <EndOfLifeProducts />
      <PlanUsage />
    </div>
  )
}

function TargetsAtRisk() {
  const { data, isError, refetch } = useQuery(listTargets({ pageSize: shownMax, orderBy: 'ORDER_BY_SEVERITY' }))
  const worst = data?.targets.filter(({ issueCount }) => issueCount.critical + issueCount.high > 0) ?? []
  if (isError && !data) return <Failed title="Most at risk" what="Targets" onRetry={() => void refetch()} />
  if (worst.length === 0) return null
  return (
    <List title="Most at risk" hint="Critical and high, verified or potential" more={<More to="/scope">Scope</More>}>
      {worst.map(({ id, name, issueCount }) => (
        <Row key={id}>
          <Link to="/scope/$id" params={{ id }} title={name} className="min-w-0 truncate hover:underline">
            {name}
          </Link>
          <span className="flex flex-none gap-3 tabular-nums">
            <Count level="critical" count={issueCount.critical} />
            <Count level="high" count={issueCount.high} />
          </span>
        </Row>
      ))}
    </List>
  )
}

function Count({ level, count }: { readonly level: 'critical' | 'high'; readonly count: number }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <SeverityGlyph level={level} />
      {formatNumber(count)} <span className="sr-only">{level}</span>
    </span>
  )
}

function EndOfLifeProducts() {
  const { data, isError, refetch } = useQuery(
    listProducts({
      pageSize: 4 * shownMax,
      orderBy: 'ORDER_BY_END_OF_LIFE',
      filter: { endOfLife: ['STATE_PAST', 'STATE_SOON'] },
    }),
  )
  if (isError && !data) return <Failed title="End of life" what="Technologies" onRetry={() => void refetch()} />
  if (!data || data.products.length === 0) return null
  return (
    <List title="End of life" more={<More to="/technologies">Technologies</More>}>
      {endOfLifeGroups(data.products)
        .slice(0, shownMax)
        .map((versions) => (
          <EndOfLifeRow key={versions[0].id} versions={versions} />
        ))}
    </List>
  )
}

function EndOfLifeRow({ versions }: { readonly versions: NonEmpty<Product> }) {
  const [first] = versions
  const { name, wfn, endOfLife } = first
  const label = `${name} ${versionsLabel(versions)}`
  const search = {
    vendor: wfn.vendor,
    product: wfn.product,
    support: [endOfLife?.state === 'STATE_PAST' ? ('past' as const) : ('soon' as const)],
  }
  const look = { title: label, className: 'min-w-0 truncate hover:underline' }
  return (
    <Row>
      {versions.length === 1 ? (
        <Link to="/technologies/$id" params={{ id: first.id }} {...look}>
          {label}
        </Link>
      ) : (
        <Link to="/technologies" search={search} {...look}>
          {label}
        </Link>
      )}
      <EndDate product={first} />
    </Row>
  )
}

function EndDate({ product: { endOfLife } }: { readonly product: Product }) {
  const isPast = endOfLife?.state === 'STATE_PAST'
  return (
    <span className="flex flex-none items-center gap-2">
      {endOfLife?.date && <span className="text-12 text-ink-3">{formatDay(endOfLife.date)}</span>}
      <Badge small variant={isPast ? 'red' : 'yellow'}>
        {isPast ? 'Ended' : 'Ends'}
      </Badge>
    </span>
  )
}

/** Quotas from this size on mean "unlimited". */
const unlimitedFrom = 1_000_000

function PlanUsage() {
  const isBilled = portalConfig().billing
  const { data, isError, refetch } = useQuery({ ...subscription(), enabled: isBilled })
  if (!isBilled) return null
  if (isError && !data) return <Failed title="Plan" what="Plan usage" onRetry={() => void refetch()} />
  if (!data) return null
  const { plan, quota } = data.subscription
  const bounds = [
    { name: 'Targets', ...quota.targets },
    { name: 'Manual scans', ...quota.manualScans },
  ].filter(({ total }) => total < unlimitedFrom)
  if (bounds.length === 0) return null
  return (
    <List title="Plan" more={<More to="/subscription">{plan.name}</More>}>
      {bounds.map(({ name, used, total }) => (
        <li key={name} className="grid gap-2 border-b border-line py-2 last:border-b-0">
          <span className="flex justify-between gap-2">
            {name}
            <span className="tabular-nums">
              {formatNumber(used)} <span className="text-ink-3">of {formatNumber(total)}</span>
            </span>
          </span>
          <Meter label={name} value={used} max={total} />
        </li>
      ))}
    </List>
  )
}

interface ListProps {
  readonly title: string
  readonly hint?: string
  readonly more: ReactNode
  readonly children: ReactNode
}
function List({ title, hint, more, children }: ListProps) {
  return (
    <section aria-label={title}>
      <SectionHead title={title}>{more}</SectionHead>
      {hint && <p className="text-12 text-ink-3">{hint}</p>}
      <ul className="mt-1">{children}</ul>
    </section>
  )
}

function Row({ children }: { readonly children: ReactNode }) {
  return (
    <li className="flex min-h-9 items-center justify-between gap-3 border-b border-line py-1.5 last:border-b-0">
      {children}
    </li>
  )
}

interface MoreProps {
  readonly to: '/scope' | '/technologies' | '/subscription'
  readonly children: ReactNode
}
function More({ to, children }: MoreProps) {
  return (
    <Link to={to} className="inline-flex items-center gap-1 hover:text-ink">
      {children}
      <ArrowRight className="size-3.5" aria-hidden="true" />
    </Link>
  )
}

interface FailedProps {
  readonly title: string
  readonly what: string
  readonly onRetry: () => void
}
function Failed({ title, what, onRetry }: FailedProps) {
  return (
    <section aria-label={title}>
      <SectionHead title={title} />
      <SectionError what={what} onRetry={onRetry} />
    </section>
  )
}

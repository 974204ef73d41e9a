/** The risks to prioritize. */
import type { Issue } from '@glacis/contract/issue'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useNow } from '#lib/clock.ts'
import { formatAge, formatDateTime, formatNumber } from '#lib/format.ts'
import { selectForAttention, type AttentionReason, attentionReasons } from '#overview/attention.ts'
import { needingAttention } from '#overview/queries.ts'
import type { View } from '#overview/view.ts'
import { Badge } from '#ui/badge.tsx'
import { SectionHead } from '#ui/card.tsx'
import { Severity, severityLevel } from '#ui/severity.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'
import { SectionError } from '#ui/states.tsx'

export function NeedsAttention({ view }: { readonly view: View }) {
  const now = useNow()
  const { data, isError, refetch } = useQuery(needingAttention(view))
  const issues = data && selectForAttention(data.issues, now)
  return (
    <section aria-label="Needs attention">
      <SectionHead title={title}>
        <Link
          to={view.kind === 'potential' ? '/risks/potential' : '/risks/verified'}
          className="inline-flex items-center gap-1 hover:text-ink"
        >
          {view.kind === 'potential' ? 'All potential risks' : 'All verified risks'}
          <ArrowRight className="size-3.5" aria-hidden="true" />
        </Link>
      </SectionHead>
      {isError && !data && <SectionError what="Risks" onRetry={() => void refetch()} />}
      {issues?.length === 0 && <p className="mt-3 text-ink-2">No critical, new, regressed, or exploited risks.</p>}
      {(!data || (issues && issues.length > 0)) && !(isError && !data) && (
        <Rows>
          {issues?.map((issue) => (
            <Row key={issue.id} issue={issue} now={now} reasons={attentionReasons(issue, now)} />
          ))}
        </Rows>
      )}
    </section>
  )
}

const title = (
  <>
    Needs attention
    <span className="ml-2 text-13 font-normal tracking-normal text-ink-3 max-md:hidden">
      Critical, new, regressed, or exploited in the wild
    </span>
  </>
)

function Rows({ children }: { readonly children?: ReactNode }) {
  return (
    <Table label="Needs attention" fit="text" className="mt-1">
      <thead>
        <tr>
          <HeaderCell width={96}>Severity</HeaderCell>
          <HeaderCell>Risk</HeaderCell>
          <HeaderCell width={172} priority={1}>
            Affected
          </HeaderCell>
          <HeaderCell width={108} align="end">
            Open for
          </HeaderCell>
        </tr>
      </thead>
      <tbody>{children ?? <SkeletonRows rows={5} columns={heads} />}</tbody>
    </Table>
  )
}
const heads = [{}, {}, { priority: 'p1' }, {}]

const reasonBadges: Readonly<
  Record<AttentionReason, { readonly variant: 'main' | 'purple' | 'red'; readonly word: string }>
> = {
  new: { variant: 'main', word: 'New' },
  regressed: { variant: 'purple', word: 'Regressed' },
  exploited: { variant: 'red', word: 'KEV' },
}

interface RowProps {
  readonly issue: Issue
  readonly now: number
  readonly reasons: readonly AttentionReason[]
}
function Row({ issue, now, reasons }: RowProps) {
  const [first] = issue.affectedHosts
  const more = (issue.affectedHostCount ?? issue.affectedHosts.length) - 1
  return (
    <tr>
      <Cell label="Severity" className="graded">
        <Severity level={severityLevel(issue.threat.severity.category)} />
      </Cell>
      <Cell label="Risk" primary>
        <CellLink
          to="/risks/$id"
          params={{ id: issue.id }}
          title={issue.name}
          className="h-auto! flex-wrap gap-y-1! md:py-1"
        >
          <span className="ttl max-w-full truncate max-md:whitespace-normal">{issue.name}</span>
          {reasons.length > 0 && (
            <span className="flex gap-2">
              {reasons.map((reason) => (
                <Badge key={reason} small variant={reasonBadges[reason].variant}>
                  {reasonBadges[reason].word}
                </Badge>
              ))}
            </span>
          )}
        </CellLink>
      </Cell>
      <Cell label="Affected" priority={1} quiet>
        {first && (
          <span className="flex items-center gap-1.5">
            <span className="truncate font-mono" title={first.host.name ?? first.host.address}>
              {first.host.name ?? first.host.address}
            </span>
            {more > 0 && <span className="flex-none text-ink-3 tabular-nums">+{formatNumber(more)}</span>}
          </span>
        )}
      </Cell>
      <Cell label="Open for" align="end" quiet>
        <OpenFor since={issue.firstSeenTime} now={now} />
      </Cell>
    </tr>
  )
}

function OpenFor({ since, now }: { readonly since: string; readonly now: number }) {
  return (
    <time dateTime={since} title={formatDateTime(since)}>
      {formatAge(since, now)}
    </time>
  )
}

/** The first issues that match a filter, for other pages. */
import type { Issue, IssueFilter } from '@glacis/contract/issue'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { AffectedHosts, IssueName, SeverityWithScore } from '#issues/issue-cells.tsx'
import { list } from '#issues/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { SectionHead } from '#ui/card.tsx'
import { ListBody, totalOf } from '#ui/list.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { EmptyState } from '#ui/states.tsx'
import { IssueStatus } from '#ui/status.tsx'
import { Cell, HeaderCell, Table } from '#ui/table.tsx'

interface LatestIssuesProps {
  readonly title: string
  readonly filter: IssueFilter
  /** Maximum number of rows. */
  readonly rows?: number
  readonly shows?: 'host' | 'hostCount' | 'lastSeen'
  /** A link to the full list. */
  readonly more?: ReactNode
  readonly empty?: string
  /** Explains the empty state. */
  readonly emptyText?: ReactNode
}

/** Next to the number of hosts, "Last seen" is hidden first when space is short. */
const seenPriority = { hostCount: 2, lastSeen: 1 } as const

export function LatestIssues({
  title,
  filter,
  rows = 10,
  shows = 'host',
  more,
  empty = 'No risks.',
  emptyText,
}: LatestIssuesProps) {
  const query = useQuery(list({ pageSize: rows, filter, orderBy: 'ORDER_BY_PRIORITY' }))
  const issues = query.data?.issues
  const total = totalOf(query.data, issues?.length ?? 0)
  return (
    <section aria-label={title} className="pt-5">
      <div className="px-(--gl-gutter) pb-2">
        <SectionHead
          title={
            <>
              {title}
              {total !== undefined && (
                <span className="ml-2 font-normal text-ink-3 tabular-nums">{formatNumber(total)}</span>
              )}
              {total !== undefined && total > 1 && (
                <span className="ml-2 text-13 font-normal tracking-normal text-ink-3">by priority</span>
              )}
            </>
          }
        >
          {more}
        </SectionHead>
      </div>
      <ListBody
        what="Risks"
        query={query}
        count={issues?.length}
        empty={<EmptyState title={empty}>{emptyText}</EmptyState>}
      >
        <Table label={title}>
          <thead>
            <tr>
              <HeaderCell width={148}>Severity</HeaderCell>
              <HeaderCell>Risk</HeaderCell>
              {shows === 'host' && (
                <HeaderCell width={160} priority={1}>
                  Host
                </HeaderCell>
              )}
              {shows === 'hostCount' && (
                <HeaderCell width={72} align="end">
                  Hosts
                </HeaderCell>
              )}
              <HeaderCell width={130}>Status</HeaderCell>
              {shows !== 'host' && (
                <HeaderCell width={140} priority={seenPriority[shows]}>
                  Last seen
                </HeaderCell>
              )}
            </tr>
          </thead>
          <tbody>
            {!issues && <SkeletonRows rows={5} columns={4} />}
            {issues?.map((issue) => (
              <Row key={issue.id} issue={issue} shows={shows} />
            ))}
          </tbody>
        </Table>
      </ListBody>
    </section>
  )
}

function Row({ issue, shows }: { readonly issue: Issue; readonly shows: NonNullable<LatestIssuesProps['shows']> }) {
  return (
    <tr>
      <Cell label="Severity" className="graded">
        <SeverityWithScore severity={issue.threat.severity} />
      </Cell>
      <Cell label="Risk" primary className="md:py-1.5!">
        <IssueName issue={issue} isPotentialMarked />
      </Cell>
      {shows === 'host' && (
        <Cell label="Host" priority={1} className="max-md:flex-[1_1_calc(100%-100px)]!">
          <AffectedHosts issue={issue} />
        </Cell>
      )}
      {shows === 'hostCount' && (
        <Cell label="Hosts" align="end">
          {formatNumber(issue.affectedHostCount ?? issue.affectedHosts.length)}
        </Cell>
      )}
      <Cell label="Status">
        <IssueStatus status={issue.status} />
      </Cell>
      {shows !== 'host' && (
        <Cell label="Last seen" quiet priority={seenPriority[shows]}>
          <RelativeTime value={issue.lastSeenTime} />
        </Cell>
      )}
    </tr>
  )
}

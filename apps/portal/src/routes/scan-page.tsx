/** A scan with the risks it observed. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { LatestIssues } from '#issues/latest-issues.tsx'
import { list } from '#issues/queries.ts'
import { detail, isActive } from '#scans/queries.ts'
import { ScanDetailPage } from '#scans/scan-detail.tsx'
import { totalOf } from '#ui/list.tsx'
import { severityLevels, SeverityTally } from '#ui/severity.tsx'

const route = getRouteApi('/_auth/scans/$id')

/** Maximum rows on the page; the report contains all of them. */
const rows = 100

export function ScanScreen() {
  const { id } = route.useParams()
  const { scan } = useSuspenseQuery(detail(id)).data
  // The same query as the list below, so both share one response and one count.
  const { data } = useQuery(list({ pageSize: rows, filter: { scanId: id }, orderBy: 'ORDER_BY_PRIORITY' }))
  const more = (
    <span className="flex flex-wrap items-center gap-x-4">
      {severityLevels.map((level) => (
        <SeverityTally key={level} level={level} count={scan.issueCount[level]} />
      ))}
      <Link
        to="/risks/verified"
        search={{ scan: id, status: 'all' }}
        className="inline-flex items-center gap-1 hover:text-ink"
      >
        View verified
        <ArrowRight className="size-3.5" aria-hidden="true" />
      </Link>
    </span>
  )
  return (
    <ScanDetailPage
      found={totalOf(data, data?.issues.length ?? 0)}
      risks={
        <LatestIssues
          title="Risks in this scan"
          filter={{ scanId: id }}
          rows={rows}
          shows="hostCount"
          more={more}
          empty={isActive(scan) ? 'No risks found yet' : 'No risks found'}
          emptyText={isActive(scan) ? 'Risks appear here as hosts are scanned.' : undefined}
        />
      }
    />
  )
}

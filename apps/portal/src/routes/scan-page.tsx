/** A scan, with the risks it saw. */
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { LatestIssues } from '#issues/latest-issues.tsx'
import { ScanDetailPage } from '#scans/scan-detail.tsx'

const route = getRouteApi('/_auth/scans/$id')

/** Most rows shown on the page; the report has them all. */
const rows = 100

export function ScanScreen() {
  const { id } = route.useParams()
  const more = (
    <Link
      to="/risks/verified"
      search={{ scan: id, status: 'all' }}
      className="inline-flex items-center gap-1 hover:text-ink"
    >
      Verified ones
      <ArrowRight className="size-3.5" aria-hidden="true" />
    </Link>
  )
  return (
    <ScanDetailPage
      risks={
        <LatestIssues
          title="Risks in this scan"
          filter={{ scanId: id }}
          rows={rows}
          shows="hostCount"
          more={more}
          empty="No risks seen"
        />
      }
    />
  )
}

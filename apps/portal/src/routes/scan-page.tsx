/** A scan, with the risks it saw. */
import { getRouteApi } from '@tanstack/react-router'
import { LatestIssues } from '#issues/latest-issues.tsx'
import { ScanDetailPage } from '#scans/scan-detail.tsx'

const route = getRouteApi('/_auth/scans/$id')

/** Most rows shown on the page; the report has them all. */
const rows = 100

export function ScanScreen() {
  const { id } = route.useParams()
  return (
    <ScanDetailPage
      risks={
        <LatestIssues
          title="Risks in this scan"
          filter={{ scanId: id }}
          rows={rows}
          shows="hostCount"
          empty="No risks seen"
        />
      }
    />
  )
}

/** The first tab of a host, with its open risks. */
import { getRouteApi } from '@tanstack/react-router'
import { HostOverviewPage } from '#hosts/host-overview.tsx'
import { LatestIssues } from '#issues/latest-issues.tsx'

const route = getRouteApi('/_auth/assets/$id')

export function HostOverviewScreen() {
  const { id } = route.useParams()
  return (
    <HostOverviewPage
      latestRisks={
        <LatestIssues
          title="Top risks"
          filter={{ affectedHostId: id, status: ['STATUS_FILTER_OPEN'] }}
          shows="lastSeen"
          empty="No open risks"
          emptyText="Risks that scans find on this host appear here."
        />
      }
    />
  )
}

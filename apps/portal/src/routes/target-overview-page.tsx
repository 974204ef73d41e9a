/** The first tab of a target, with its latest risks. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { LatestIssues } from '#issues/latest-issues.tsx'
import { detail } from '#targets/queries.ts'
import { TargetOverviewPage } from '#targets/target-overview.tsx'
import { noRisksMessage } from '#targets/labels.ts'

const route = getRouteApi('/_auth/scope/$id')

export function TargetOverviewScreen() {
  const { id } = route.useParams()
  const { title, text } = noRisksMessage(useSuspenseQuery(detail(id)).data.target)
  const more = (
    <Link to="/scope/$id/issues" params={{ id }} className="inline-flex items-center gap-1 hover:text-ink">
      All risks
      <ArrowRight className="size-3.5" aria-hidden="true" />
    </Link>
  )
  return (
    <TargetOverviewPage
      latestRisks={
        <LatestIssues
          title="Top risks"
          filter={{ affectedTargetId: id, status: ['STATUS_FILTER_OPEN'] }}
          more={more}
          empty={title}
          emptyText={text}
        />
      }
    />
  )
}

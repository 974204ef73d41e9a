/** A technology with its risks and the hosts that run it. */
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { HostsOfProduct } from '#hosts/child-lists.tsx'
import { LatestIssues } from '#issues/latest-issues.tsx'
import { useFeedGap } from '#onboarding/queries.ts'
import { ProductDetailPage } from '#products/product-detail.tsx'

const route = getRouteApi('/_auth/technologies/$id')

export function ProductScreen() {
  const { id } = route.useParams()
  // Vulnerabilities that Glacis can't know yet are explained once, below.
  const isIncomplete = useFeedGap('NVD') !== undefined
  const more = (
    <Link to="/assets" search={{ technology: id }} className="inline-flex items-center gap-1 hover:text-ink">
      All assets
      <ArrowRight className="size-3.5" aria-hidden="true" />
    </Link>
  )
  return (
    <ProductDetailPage
      risks={
        <LatestIssues
          title="Risks"
          filter={{ productId: id }}
          rows={25}
          shows="hostCount"
          empty={isIncomplete ? 'No risks found so far' : 'No known risks'}
        />
      }
      assets={<HostsOfProduct productId={id} more={more} />}
    />
  )
}

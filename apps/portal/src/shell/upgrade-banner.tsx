import { freePlanId } from '@glacis/contract/account'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Gauge, X } from 'lucide-react'
import * as billing from '#billing/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { useStoredFlag } from '#lib/storage.ts'
import { IconButton } from '#ui/button.tsx'

/** The route has just asked. */
const freshMs = 5000

/** What the free plan covers, until somebody dismisses it. Other plans never see it, nor does an unknown one. */
export function UpgradeBanner() {
  const [isDismissed, setIsDismissed] = useStoredFlag('upgradeBannerDismissed')
  const isOffered = portalConfig().billing && !isDismissed
  const { data } = useQuery({ ...billing.subscription(), enabled: isOffered, staleTime: freshMs })
  if (!isOffered || data?.subscription.plan.id !== freePlanId) return null
  const { plan, quota } = data.subscription
  return (
    <section
      aria-label="Upgrade"
      className="flex min-h-11 items-center gap-3 border-b border-main-edge bg-main-tint py-1.5 pr-5 pl-8 text-main-ink max-md:items-start max-md:py-2.5 max-md:pr-2 max-md:pl-4"
    >
      <Gauge aria-hidden="true" className="size-4 max-md:mt-0.5" />
      <p>
        <b className="font-semibold">You are on the {plan.name} plan.</b> It covers {formatNumber(quota.targets.total)}{' '}
        targets and {formatNumber(quota.manualScans.total)} manual scans a month.{' '}
        <Link to="/subscription" className="font-medium underline underline-offset-3">
          Compare plans
        </Link>
      </p>
      <span className="ml-auto">
        <IconButton
          size="xs"
          label="Dismiss"
          icon={<X />}
          className="text-inherit!"
          onClick={() => setIsDismissed(true)}
        />
      </span>
    </section>
  )
}

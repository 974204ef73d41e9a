import { freePlanId } from '@glacis/contract/subscription'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Gauge, X } from 'lucide-react'
import { useEffect } from 'react'
import * as billing from '#billing/queries.ts'
import { cx } from '#lib/cx.ts'
import { focusPageTitle } from '#lib/focus.ts'
import { formatNumber } from '#lib/format.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { readStored, useStoredFlag, writeStored } from '#lib/storage.ts'
import { IconButton } from '#ui/button.tsx'

const band =
  'flex min-h-11 items-center gap-3 border-b border-main-edge bg-main-tint py-1.5 pr-5 pl-8 text-main-ink max-md:items-start max-md:py-2.5 max-md:pr-2 max-md:pl-4'

/** Shows the limits of the free plan until dismissed. Hidden on other plans and while the plan is unknown. */
export function UpgradeBanner() {
  const [isDismissed, setIsDismissed] = useStoredFlag('upgradeBannerDismissed')
  const isBilled = portalConfig().billing
  const isOffered = isBilled && !isDismissed
  const { data, isLoading } = useQuery({ ...billing.subscription(), enabled: isOffered })
  const isFree = data?.subscription.plan.id === freePlanId
  useEffect(() => {
    // Reserves the banner's space on the next page load only if there was a banner.
    const place = isFree ? 'free' : 'none'
    if ((data || !isBilled) && readStored('planBanner') !== place) writeStored('planBanner', place)
  }, [data, isFree, isBilled])
  if (isOffered && isLoading && readStored('planBanner') !== 'none') return <BannerPlaceholder />
  if (!isOffered || !isFree) return null
  const { plan, quota } = data.subscription
  return (
    <section aria-label="Upgrade" className={band}>
      <Gauge aria-hidden="true" className="size-4 max-md:mt-0.5" />
      <p>
        <b className="font-semibold">You're on the {plan.name} plan.</b> It covers {formatNumber(quota.targets.total)}{' '}
        targets and {formatNumber(quota.manualScans.total)} manual scans per month.{' '}
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
          onClick={() => {
            focusPageTitle() // the focused button is removed with the banner
            setIsDismissed(true)
          }}
        />
      </span>
    </section>
  )
}

/** Reserves the banner's height, so that the page doesn't shift. */
function BannerPlaceholder() {
  return (
    <div aria-hidden="true" className={cx(band, 'invisible')}>
      <p className="mr-9 ml-7">
        You're on the Free plan. It covers 25 targets and 100 manual scans per month. Compare plans
      </p>
    </div>
  )
}

import { freePlanId } from '@glacis/contract/account'
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

/** The route has just asked. */
const freshMs = 5000

/** What the free plan covers, until somebody dismisses it. Other plans never see it, nor does an unknown one. */
export function UpgradeBanner() {
  const [isDismissed, setIsDismissed] = useStoredFlag('upgradeBannerDismissed')
  const isBilled = portalConfig().billing
  const isOffered = isBilled && !isDismissed
  const { data, isLoading } = useQuery({ ...billing.subscription(), enabled: isOffered, staleTime: freshMs })
  const isFree = data?.subscription.plan.id === freePlanId
  useEffect(() => {
    // The next page knows before it has asked whether to keep the place: see early.js.
    const place = isFree ? 'free' : 'none'
    if ((data || !isBilled) && readStored('planBanner') !== place) writeStored('planBanner', place)
  }, [data, isFree, isBilled])
  if (isOffered && isLoading && readStored('planBanner') !== 'none') return <Place />
  if (!isOffered || !isFree) return null
  const { plan, quota } = data.subscription
  return (
    <section aria-label="Upgrade" className={band}>
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
          onClick={() => {
            focusPageTitle() // the banner goes with what is pressed in it
            setIsDismissed(true)
          }}
        />
      </span>
    </section>
  )
}

/** As tall as what comes, so that the page does not move. */
function Place() {
  return (
    <div aria-hidden="true" className={cx(band, 'invisible')}>
      <p className="mr-9 ml-7">
        You are on the Free plan. It covers 25 targets and 100 manual scans a month. Compare plans
      </p>
    </div>
  )
}

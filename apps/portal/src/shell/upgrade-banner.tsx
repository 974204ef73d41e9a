import type { ResultOf } from '@glacis/contract/endpoint'
import { freePlanId, type getSubscription } from '@glacis/contract/subscription'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Gauge, X } from 'lucide-react'
import { useEffect } from 'react'
import { z } from 'zod/mini'
import * as billing from '#billing/queries.ts'
import { cx } from '#lib/cx.ts'
import { focusPageTitle } from '#lib/focus.ts'
import { formatNumber } from '#lib/format.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { readStored, useStoredFlag, writeStored } from '#lib/storage.ts'
import { chosenWorkspace } from '#lib/workspace.ts'
import { IconButton } from '#ui/button.tsx'

const band =
  'flex min-h-11 items-center gap-3 border-b border-main-edge bg-main-tint py-1.5 pr-5 pl-8 text-main-ink max-md:items-start max-md:py-2.5 max-md:pr-2 max-md:pl-4'

const FreePlan = z.object({ name: z.string(), targets: z.number(), manualScans: z.number() })
type FreePlan = z.infer<typeof FreePlan>

/**
 * Shows the limits of the free plan until dismissed. Hidden on other plans. While the plan is loading, shows that of the
 * last visit.
 */
export function UpgradeBanner() {
  const [isDismissed, setIsDismissed] = useStoredFlag('upgradeBannerDismissed')
  const isOffered = portalConfig().billing && !isDismissed
  const { data, isLoading } = useQuery({ ...billing.subscription(), enabled: isOffered })
  useEffect(() => {
    if (data) storePlan(freePlanOf(data))
  }, [data])
  if (!isOffered) return null
  const plan = data ? freePlanOf(data) : isLoading ? storedPlan() : null
  if (plan === 'unknown') return <BannerPlaceholder />
  if (!plan) return null
  return (
    <section aria-label="Upgrade" className={band}>
      <Gauge aria-hidden="true" className="size-4 max-md:mt-0.5" />
      <p>
        <b className="font-semibold">You're on the {plan.name} plan.</b> It covers {formatNumber(plan.targets)} targets
        and {formatNumber(plan.manualScans)} manual scans per month. Self-hosted installations aren't charged.{' '}
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

/** The plan and its limits; null if it isn't the free plan. */
function freePlanOf({ subscription: { plan, quota } }: ResultOf<typeof getSubscription>): FreePlan | null {
  if (plan.id !== freePlanId) return null
  return { name: plan.name, targets: quota.targets.total, manualScans: quota.manualScans.total }
}

const storedName = () => `planBanner.${chosenWorkspace() ?? ''}`

function storePlan(plan: FreePlan | null): void {
  writeStored(storedName(), JSON.stringify(plan))
}

/** The plan of the last visit; null if it wasn't the free plan. */
function storedPlan(): FreePlan | null | 'unknown' {
  try {
    return z.nullable(FreePlan).parse(JSON.parse(readStored(storedName()) ?? ''))
  } catch {
    return 'unknown'
  }
}

/** Reserves the banner's height, so that the page doesn't shift. */
function BannerPlaceholder() {
  return (
    <div aria-hidden="true" className={cx(band, 'invisible')}>
      <p className="mr-9 ml-7">
        You're on the Free plan. It covers 25 targets and 100 manual scans per month. Self-hosted installations aren't
        charged. Compare plans
      </p>
    </div>
  )
}

/**
 * The routes behind the session: paths and what their addresses may carry; those of risks and of the attack surface
 * have files of their own. Their screens are in `screens.tsx`, so that a screen can name its route without going round
 * in a circle.
 *
 * What a loader asks for is loaded with its screen: nobody waits at the start for the shapes of every answer.
 *
 * The ids begin with `/_auth`; the addresses do not, because the layout route has no path.
 */
import { createRoute } from '@tanstack/react-router'
import { openFlow } from '#identity/lifecycle.ts'
import { firstAnswers, soon } from '#lib/early.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { authRoute, begun, getParentRoute } from '#routes/auth.ts'
import { addressOf, idOf } from '#routes/guard.ts'
import * as risks from '#routes/risks.ts'
import { OnboardingSearch, OverviewSearch, ProfileSearch, ScanDetailSearch, ScanListSearch } from '#routes/search.ts'
import * as surface from '#routes/surface.ts'

export const overview = createRoute({
  getParentRoute,
  path: 'overview',
  validateSearch: OverviewSearch,
  loaderDeps: ({ search }) => search,
  // Whether there is anything to show a chart of decides what the page is.
  loader: async ({ context: { queryClient }, deps: search }) => {
    const [{ summary }, { statsInput, viewOf }] = await Promise.all([
      import('#overview/queries.ts'),
      import('#overview/view.ts'),
    ])
    await soon(queryClient.prefetchQuery(summary(statsInput(viewOf(search)))))
    await firstAnswers(async () => {
      const { steps } = await import('#onboarding/queries.ts')
      await queryClient.prefetchQuery(steps())
    })
  },
})
export const onboarding = createRoute({
  getParentRoute,
  path: 'onboarding',
  validateSearch: OnboardingSearch,
  loader: async ({ context }) => {
    const { steps } = await import('#onboarding/queries.ts')
    await context.queryClient.ensureQueryData(steps())
  },
})
export const profile = createRoute({
  getParentRoute,
  path: 'profile',
  validateSearch: ProfileSearch,
  loaderDeps: ({ search }) => search,
  // A link that is merely hovered must not start a flow.
  preload: false,
  loader: async ({ context, deps: search, location }) =>
    void (await openFlow(context.queryClient, {
      kind: 'settings',
      page: '/profile',
      search,
      newFlow: { return_to: addressOf('/profile') },
      here: addressOf(location.href),
    })),
})

export const subscription = createRoute({
  getParentRoute,
  path: 'subscription',
  loader: async ({ context: { queryClient } }) => {
    if (!portalConfig().billing) return
    const billing = await import('#billing/queries.ts')
    await Promise.all([
      queryClient.ensureQueryData(billing.subscription()),
      queryClient.ensureQueryData(billing.plans()),
    ])
  },
})

export const integrations = createRoute({
  getParentRoute,
  path: 'integrations',
  // While its channels are on their way the page says already what it is.
  loader: begun(async (client) => client.prefetchQuery((await import('#channels/queries.ts')).list())),
})

export const scans = createRoute({
  getParentRoute,
  path: 'scans',
  validateSearch: ScanListSearch,
  loader: begun(async (client) => client.prefetchQuery((await import('#scans/queries.ts')).first())),
})
export const scan = createRoute({
  getParentRoute,
  path: 'scans/$id',
  validateSearch: ScanDetailSearch,
  loader: async ({ context, params }) => {
    const id = idOf(params)
    const { one } = await import('#scans/queries.ts')
    await context.queryClient.ensureQueryData(one(id))
  },
})

/** Everything behind the session, as one branch of the tree. */
export const appBranch = authRoute.addChildren([
  overview,
  onboarding,
  profile,
  subscription,
  integrations,
  surface.technologies,
  surface.technology,
  surface.scope,
  surface.target.addChildren([surface.targetOverview, surface.targetScans, surface.targetIssues, surface.targetAssets]),
  surface.agents,
  surface.agent,
  surface.assets,
  surface.asset.addChildren([surface.assetOverview, surface.assetTechnologies, surface.assetIssues]),
  scans,
  scan,
  risks.risksVerified,
  risks.risksPotential,
  risks.risksVisual,
  risks.risk,
])

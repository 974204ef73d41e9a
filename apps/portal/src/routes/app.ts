/**
 * The routes that require a session: paths and search parameters. Routes of risks and of the attack surface have their
 * own files. The screens are in `screens.tsx`, so that a screen can import its route without a circular import.
 *
 * Route IDs start with `/_auth`; URLs don't, because the layout route has no path.
 */
import { createRoute } from '@tanstack/react-router'
import * as billingQueries from '#billing/queries.ts'
import * as channelQueries from '#channels/queries.ts'
import { openFlow } from '#identity/lifecycle.ts'
import * as installationQueries from '#installation/queries.ts'
import { portalConfig } from '#lib/portal-config.ts'
import * as onboardingQueries from '#onboarding/queries.ts'
import * as overviewQueries from '#overview/queries.ts'
import { authRoute, prefetching, getParentRoute } from '#routes/auth.ts'
import { absoluteUrl, validId } from '#routes/guard.ts'
import * as risks from '#routes/risks.ts'
import { OnboardingSearch, OverviewSearch, ProfileSearch } from '#routes/search.ts'
import * as workspaceQueries from '#workspaces/queries.ts'
import * as surface from '#routes/surface.ts'
import * as scanQueries from '#scans/queries.ts'
import { ScanPartSearch, ScanSearch } from '#scans/search.ts'

export const overview = createRoute({
  getParentRoute,
  path: 'overview',
  validateSearch: OverviewSearch,
  loader: prefetching((client) =>
    Promise.all([client.prefetchQuery(overviewQueries.ofView({})), client.prefetchQuery(onboardingQueries.steps())]),
  ),
})
export const onboarding = createRoute({
  getParentRoute,
  path: 'onboarding',
  validateSearch: OnboardingSearch,
  loader: ({ context }) => context.queryClient.ensureQueryData(onboardingQueries.steps()),
})
export const profile = createRoute({
  getParentRoute,
  path: 'profile',
  validateSearch: ProfileSearch,
  loaderDeps: ({ search }) => search,
  // Hovering a link must not start a flow.
  preload: false,
  loader: async ({ context, deps: search, location }) =>
    void (await openFlow(context.queryClient, {
      kind: 'settings',
      page: '/profile',
      search,
      newFlow: { return_to: absoluteUrl('/profile') },
      here: absoluteUrl(location.href),
    })),
})

export const subscription = createRoute({
  getParentRoute,
  path: 'subscription',
  loader: async ({ context: { queryClient } }) => {
    if (!portalConfig().billing) return
    await Promise.all([
      queryClient.ensureQueryData(billingQueries.subscription()),
      queryClient.ensureQueryData(billingQueries.plans()),
    ])
  },
})

export const integrations = createRoute({
  getParentRoute,
  path: 'integrations',
  loader: prefetching((client) => client.prefetchQuery(channelQueries.list())),
})

export const workspace = createRoute({
  getParentRoute,
  path: 'workspace',
  loader: ({ context }) => context.queryClient.ensureQueryData(workspaceQueries.current()),
})

export const installation = createRoute({
  getParentRoute,
  path: 'installation',
  loader: ({ context }) => context.queryClient.ensureQueryData(installationQueries.installation()),
})

export const scans = createRoute({
  getParentRoute,
  path: 'scans',
  validateSearch: ScanSearch,
  loader: prefetching((client) => client.prefetchQuery(scanQueries.first())),
})
export const scan = createRoute({
  getParentRoute,
  path: 'scans/$id',
  validateSearch: ScanPartSearch,
  loader: ({ context, params }) => context.queryClient.ensureQueryData(scanQueries.detail(validId(params))),
})

/** All routes that require a session. */
export const appBranch = authRoute.addChildren([
  overview,
  onboarding,
  profile,
  subscription,
  integrations,
  workspace,
  installation,
  surface.technologies,
  surface.technology,
  surface.scope,
  surface.target.addChildren([surface.targetOverview, surface.targetScans, surface.targetIssues, surface.targetAssets]),
  surface.agents,
  surface.agent,
  surface.assets,
  surface.asset.addChildren([
    surface.assetOverview,
    surface.assetTechnologies,
    surface.assetIssues,
    surface.assetSoftware,
  ]),
  scans,
  scan,
  risks.risksVerified,
  risks.risksPotential,
  risks.risksVisual,
  risks.risk,
])

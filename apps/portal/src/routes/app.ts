/**
 * The routes behind the session: ids, paths and what their addresses may carry. Their screens and
 * loaders are in `screens.tsx`, so that a screen can name its route without going round in a circle.
 *
 * The ids begin with `/_auth`; the addresses do not, because the layout route has no path.
 */
import { createRoute } from '@tanstack/react-router'
import * as agentQueries from '#agents/queries.ts'
import * as billing from '#billing/queries.ts'
import * as channels from '#channels/queries.ts'
import * as hosts from '#hosts/queries.ts'
import { openFlow } from '#identity/lifecycle.ts'
import * as issues from '#issues/queries.ts'
import { portalConfig } from '#lib/portal-config.ts'
import * as onboardingQueries from '#onboarding/queries.ts'
import * as products from '#products/queries.ts'
import { addressOf, idOf, requireSession } from '#routes/guard.ts'
import { rootRoute } from '#routes/root.tsx'
import {
  AssetListSearch,
  OnboardingSearch,
  ChildListSearch,
  CreateSearch,
  MapSearch,
  OverviewSearch,
  ProfileSearch,
  RiskListSearch,
  ScanDetailSearch,
  ScanListSearch,
  ScopeSearch,
  strictly,
  TechnologyListSearch,
} from '#routes/search.ts'
import * as scanQueries from '#scans/queries.ts'
import * as targetQueries from '#targets/queries.ts'

/** `/_auth`: the shell around everything that needs a session. */
export const authRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: '_auth',
  beforeLoad: ({ context, location }) => requireSession(context.queryClient, location.href),
})
const getParentRoute = () => authRoute

export const overview = createRoute({ getParentRoute, path: 'overview', validateSearch: OverviewSearch })
export const onboarding = createRoute({
  getParentRoute,
  path: 'onboarding',
  validateSearch: OnboardingSearch,
  loader: async ({ context }) => void (await context.queryClient.ensureQueryData(onboardingQueries.steps())),
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
    await Promise.all([
      queryClient.ensureQueryData(billing.subscription()),
      queryClient.ensureQueryData(billing.plans()),
    ])
  },
})

export const integrations = createRoute({
  getParentRoute,
  path: 'integrations',
  loader: ({ context }) => context.queryClient.prefetchQuery(channels.list()),
})

export const technologies = createRoute({ getParentRoute, path: 'technologies', validateSearch: TechnologyListSearch })
export const technology = createRoute({
  getParentRoute,
  path: 'technologies/$id',
  loader: async ({ context, params }) => void (await context.queryClient.ensureQueryData(products.one(idOf(params)))),
})

export const scope = createRoute({ getParentRoute, path: 'scope', validateSearch: strictly(ScopeSearch) })
/** `/scope/{id}`: the head and the tabs of a target around its four children. */
export const target = createRoute({
  getParentRoute,
  path: 'scope/$id',
  loader: async ({ context, params }) =>
    void (await context.queryClient.ensureQueryData(targetQueries.one(idOf(params)))),
})
export const targetOverview = createRoute({ getParentRoute: () => target, path: '/' })
export const targetScans = createRoute({ getParentRoute: () => target, path: 'scans', validateSearch: ChildListSearch })
export const targetIssues = createRoute({
  getParentRoute: () => target,
  path: 'issues',
  validateSearch: ChildListSearch,
})
export const targetAssets = createRoute({
  getParentRoute: () => target,
  path: 'assets',
  validateSearch: ChildListSearch,
})

export const agents = createRoute({ getParentRoute, path: 'agents', validateSearch: strictly(CreateSearch) })
export const agent = createRoute({
  getParentRoute,
  path: 'agents/$id',
  loader: async ({ context, params }) =>
    void (await context.queryClient.ensureQueryData(agentQueries.one(idOf(params)))),
})

export const assets = createRoute({ getParentRoute, path: 'assets', validateSearch: AssetListSearch })
/** `/assets/{id}`: the head and the tabs of a host around its three children. */
export const asset = createRoute({
  getParentRoute,
  path: 'assets/$id',
  loader: async ({ context, params }) => void (await context.queryClient.ensureQueryData(hosts.one(idOf(params)))),
})
export const assetOverview = createRoute({ getParentRoute: () => asset, path: '/' })
export const assetTechnologies = createRoute({
  getParentRoute: () => asset,
  path: 'technologies',
  validateSearch: ChildListSearch,
})
export const assetIssues = createRoute({ getParentRoute: () => asset, path: 'issues', validateSearch: ChildListSearch })

export const scans = createRoute({ getParentRoute, path: 'scans', validateSearch: ScanListSearch })
export const scan = createRoute({
  getParentRoute,
  path: 'scans/$id',
  validateSearch: ScanDetailSearch,
  loader: async ({ context, params }) =>
    void (await context.queryClient.ensureQueryData(scanQueries.one(idOf(params)))),
})

export const risksVerified = createRoute({ getParentRoute, path: 'risks/verified', validateSearch: RiskListSearch })
export const risksPotential = createRoute({ getParentRoute, path: 'risks/potential', validateSearch: RiskListSearch })
export const risksVisual = createRoute({ getParentRoute, path: 'risks/visual', validateSearch: MapSearch })
export const risk = createRoute({
  getParentRoute,
  path: 'risks/$id',
  loader: async ({ context, params }) => void (await context.queryClient.ensureQueryData(issues.one(idOf(params)))),
})

/** Everything behind the session, as one branch of the tree. */
export const appBranch = authRoute.addChildren([
  overview,
  onboarding,
  profile,
  subscription,
  integrations,
  technologies,
  technology,
  scope,
  target.addChildren([targetOverview, targetScans, targetIssues, targetAssets]),
  agents,
  agent,
  assets,
  asset.addChildren([assetOverview, assetTechnologies, assetIssues]),
  scans,
  scan,
  risksVerified,
  risksPotential,
  risksVisual,
  risk,
])

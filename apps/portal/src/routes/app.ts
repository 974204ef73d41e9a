/**
 * The routes behind the session: ids, paths and what their addresses may carry. Their screens and
 * loaders are in `screens.tsx`, so that a screen can name its route without going round in a circle.
 *
 * What a loader asks for is loaded with its screen: nobody waits at the start for the shapes of every answer.
 *
 * The ids begin with `/_auth`; the addresses do not, because the layout route has no path.
 */
import type { QueryClient } from '@tanstack/react-query'
import { createRoute } from '@tanstack/react-router'
import { openFlow } from '#identity/lifecycle.ts'
import { firstAnswers, soon } from '#lib/early.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { readStored } from '#lib/storage.ts'
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

/** `/_auth`: the shell around everything that needs a session. */
export const authRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: '_auth',
  beforeLoad: ({ context, location }) => requireSession(context.queryClient, location.href),
  loader: ({ context }) => planKnown(context.queryClient),
})
const getParentRoute = () => authRoute

interface LoaderInput {
  readonly context: { readonly queryClient: QueryClient }
}
/** The loader of a page that begins with what was asked for before there was a program. */
const begun =
  (load: (client: QueryClient) => Promise<unknown>) =>
  ({ context }: LoaderInput) =>
    firstAnswers(() => load(context.queryClient))

/** The plan's banner stands above the page and would move it. */
async function planKnown(client: QueryClient): Promise<void> {
  if (!portalConfig().billing || readStored('upgradeBannerDismissed') === 'true') return
  const { subscription } = await import('#billing/queries.ts')
  await soon(client.ensureQueryData(subscription()).catch(() => undefined)) // it has said so itself
}

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
  loader: async ({ context }) => {
    const { list } = await import('#channels/queries.ts')
    await context.queryClient.prefetchQuery(list())
  },
})

export const technologies = createRoute({
  getParentRoute,
  path: 'technologies',
  validateSearch: TechnologyListSearch,
  loader: begun(async (client) => client.prefetchQuery((await import('#products/queries.ts')).first())),
})
export const technology = createRoute({
  getParentRoute,
  path: 'technologies/$id',
  loader: async ({ context, params }) => {
    const id = idOf(params)
    const { one } = await import('#products/queries.ts')
    await context.queryClient.ensureQueryData(one(id))
  },
})

export const scope = createRoute({
  getParentRoute,
  path: 'scope',
  validateSearch: strictly(ScopeSearch),
  loader: begun(async (client) => client.prefetchQuery((await import('#targets/queries.ts')).first())),
})
/** `/scope/{id}`: the head and the tabs of a target around its four children. */
export const target = createRoute({
  getParentRoute,
  path: 'scope/$id',
  loader: async ({ context, params }) => {
    const id = idOf(params)
    const { one } = await import('#targets/queries.ts')
    await context.queryClient.ensureQueryData(one(id))
  },
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
  loader: async ({ context, params }) => {
    const id = idOf(params)
    const { one } = await import('#agents/queries.ts')
    await context.queryClient.ensureQueryData(one(id))
  },
})

export const assets = createRoute({
  getParentRoute,
  path: 'assets',
  validateSearch: AssetListSearch,
  loader: begun(async (client) => client.prefetchQuery((await import('#hosts/queries.ts')).first())),
})
/** `/assets/{id}`: the head and the tabs of a host around its three children. */
export const asset = createRoute({
  getParentRoute,
  path: 'assets/$id',
  loader: async ({ context, params }) => {
    const id = idOf(params)
    const { one } = await import('#hosts/queries.ts')
    await context.queryClient.ensureQueryData(one(id))
  },
})
export const assetOverview = createRoute({ getParentRoute: () => asset, path: '/' })
export const assetTechnologies = createRoute({
  getParentRoute: () => asset,
  path: 'technologies',
  validateSearch: ChildListSearch,
})
export const assetIssues = createRoute({ getParentRoute: () => asset, path: 'issues', validateSearch: ChildListSearch })

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

export const risksVerified = createRoute({
  getParentRoute,
  path: 'risks/verified',
  validateSearch: RiskListSearch,
  loader: begun(async (client) =>
    client.prefetchQuery((await import('#issues/queries.ts')).first('VERIFICATION_VERIFIED')),
  ),
})
export const risksPotential = createRoute({
  getParentRoute,
  path: 'risks/potential',
  validateSearch: RiskListSearch,
  loader: begun(async (client) =>
    client.prefetchQuery((await import('#issues/queries.ts')).first('VERIFICATION_UNVERIFIED')),
  ),
})
export const risksVisual = createRoute({
  getParentRoute,
  path: 'risks/visual',
  validateSearch: MapSearch,
  loader: begun(async (client) => client.prefetchQuery((await import('#graph/queries.ts')).first())),
})
export const risk = createRoute({
  getParentRoute,
  path: 'risks/$id',
  loader: async ({ context, params }) => {
    const id = idOf(params)
    const { one } = await import('#issues/queries.ts')
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

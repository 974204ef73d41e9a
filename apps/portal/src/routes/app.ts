/**
 * The routes behind the session: ids, paths and what their addresses may carry. Their screens and
 * loaders are in `screens.ts`, so that a screen can name its route without going round in a circle.
 *
 * The ids begin with `/_auth`; the addresses do not, because the layout route has no path.
 */
import { createRoute } from '@tanstack/react-router'
import { requireSession } from '#routes/guard.ts'
import { rootRoute } from '#routes/root.tsx'
import {
  AssetListSearch,
  ChildListSearch,
  OverviewSearch,
  ProfileSearch,
  RiskListSearch,
  ScanListSearch,
  ScopeSearch,
  TechnologyListSearch,
} from '#routes/search.ts'

/** `/_auth`: the shell around everything that needs a session. */
export const authRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: '_auth',
  beforeLoad: ({ context, location }) => requireSession(context.queryClient, location.href),
})
const getParentRoute = () => authRoute

export const overview = createRoute({ getParentRoute, path: 'overview', validateSearch: OverviewSearch })
export const profile = createRoute({ getParentRoute, path: 'profile', validateSearch: ProfileSearch })

export const technologies = createRoute({ getParentRoute, path: 'technologies', validateSearch: TechnologyListSearch })
export const technology = createRoute({ getParentRoute, path: 'technologies/$id' })

export const scope = createRoute({ getParentRoute, path: 'scope', validateSearch: ScopeSearch })
/** `/scope/{id}`: the head and the tabs of a target around its four children. */
export const target = createRoute({ getParentRoute, path: 'scope/$id' })
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

export const assets = createRoute({ getParentRoute, path: 'assets', validateSearch: AssetListSearch })
/** `/assets/{id}`: the head and the tabs of a host around its three children. */
export const asset = createRoute({ getParentRoute, path: 'assets/$id' })
export const assetOverview = createRoute({ getParentRoute: () => asset, path: '/' })
export const assetTechnologies = createRoute({
  getParentRoute: () => asset,
  path: 'technologies',
  validateSearch: ChildListSearch,
})
export const assetIssues = createRoute({ getParentRoute: () => asset, path: 'issues', validateSearch: ChildListSearch })

export const scans = createRoute({ getParentRoute, path: 'scans', validateSearch: ScanListSearch })
export const scan = createRoute({ getParentRoute, path: 'scans/$id' })

export const risksVerified = createRoute({ getParentRoute, path: 'risks/verified', validateSearch: RiskListSearch })
export const risksPotential = createRoute({ getParentRoute, path: 'risks/potential', validateSearch: RiskListSearch })
export const risk = createRoute({ getParentRoute, path: 'risks/$id' })

/** Everything behind the session, as one branch of the tree. */
export const appBranch = authRoute.addChildren([
  overview,
  profile,
  technologies,
  technology,
  scope,
  target.addChildren([targetOverview, targetScans, targetIssues, targetAssets]),
  assets,
  asset.addChildren([assetOverview, assetTechnologies, assetIssues]),
  scans,
  scan,
  risksVerified,
  risksPotential,
  risk,
])

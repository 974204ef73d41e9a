/** Routes of the attack surface: scope, agents, assets, and technologies. */
import { createRoute } from '@tanstack/react-router'
import * as agentQueries from '#agents/queries.ts'
import * as hostQueries from '#hosts/queries.ts'
import { HostSearch } from '#hosts/search.ts'
import * as productQueries from '#products/queries.ts'
import { ProductSearch } from '#products/search.ts'
import { prefetching, getParentRoute } from '#routes/auth.ts'
import { validId } from '#routes/guard.ts'
import { ChildListSearch, CreateSearch, strictSearch } from '#routes/search.ts'
import * as targetQueries from '#targets/queries.ts'
import { ScopeSearch } from '#targets/search.ts'

export const scope = createRoute({
  getParentRoute,
  path: 'scope',
  validateSearch: strictSearch(ScopeSearch),
  loader: prefetching((client) => client.prefetchQuery(targetQueries.first())),
})
/** `/scope/{id}`: header and tabs of a target around its child routes. */
export const target = createRoute({
  getParentRoute,
  path: 'scope/$id',
  loader: ({ context, params }) => context.queryClient.ensureQueryData(targetQueries.detail(validId(params))),
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

export const agents = createRoute({
  getParentRoute,
  path: 'agents',
  validateSearch: strictSearch(CreateSearch),
  loader: prefetching((client) => client.prefetchQuery(agentQueries.all())),
})
export const agent = createRoute({
  getParentRoute,
  path: 'agents/$id',
  loader: ({ context, params }) => context.queryClient.ensureQueryData(agentQueries.detail(validId(params))),
})

export const assets = createRoute({
  getParentRoute,
  path: 'assets',
  validateSearch: HostSearch,
  loader: prefetching((client) => client.prefetchQuery(hostQueries.first())),
})
/** `/assets/{id}`: header and tabs of a host around its child routes. */
export const asset = createRoute({
  getParentRoute,
  path: 'assets/$id',
  loader: ({ context, params }) => context.queryClient.ensureQueryData(hostQueries.detail(validId(params))),
})
export const assetOverview = createRoute({ getParentRoute: () => asset, path: '/' })
export const assetTechnologies = createRoute({
  getParentRoute: () => asset,
  path: 'technologies',
  validateSearch: ChildListSearch,
})
export const assetSoftware = createRoute({
  getParentRoute: () => asset,
  path: 'software',
  validateSearch: ChildListSearch,
})
export const assetIssues = createRoute({ getParentRoute: () => asset, path: 'issues', validateSearch: ChildListSearch })

export const technologies = createRoute({
  getParentRoute,
  path: 'technologies',
  validateSearch: ProductSearch,
  loader: prefetching((client) => client.prefetchQuery(productQueries.first())),
})
export const technology = createRoute({
  getParentRoute,
  path: 'technologies/$id',
  loader: ({ context, params }) => context.queryClient.ensureQueryData(productQueries.detail(validId(params))),
})

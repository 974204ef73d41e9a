/** The routes of the attack surface: scope, agents, assets and technologies. */
import type { QueryClient } from '@tanstack/react-query'
import { createRoute } from '@tanstack/react-router'
import { begun, getParentRoute } from '#routes/auth.ts'
import { idOf } from '#routes/guard.ts'
import {
  AssetListSearch,
  ChildListSearch,
  CreateSearch,
  ScopeSearch,
  strictly,
  TechnologyListSearch,
} from '#routes/search.ts'

/** What an empty list says of what was scanned. */
async function standing(client: QueryClient): Promise<void> {
  await client.prefetchQuery((await import('#issues/queries.ts')).summary())
}

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

export const agents = createRoute({
  getParentRoute,
  path: 'agents',
  validateSearch: strictly(CreateSearch),
  loader: begun(async (client) => client.prefetchQuery((await import('#agents/queries.ts')).all())),
})
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
  loader: begun(async (client) =>
    Promise.all([client.prefetchQuery((await import('#hosts/queries.ts')).first()), standing(client)]),
  ),
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

export const technologies = createRoute({
  getParentRoute,
  path: 'technologies',
  validateSearch: TechnologyListSearch,
  loader: begun(async (client) =>
    Promise.all([client.prefetchQuery((await import('#products/queries.ts')).first()), standing(client)]),
  ),
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

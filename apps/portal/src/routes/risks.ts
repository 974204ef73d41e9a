/** The routes of risks: both lists, the map and one risk. */
import type { Verification } from '@glacis/contract/issue'
import type { QueryClient } from '@tanstack/react-query'
import { createRoute } from '@tanstack/react-router'
import { begun, getParentRoute } from '#routes/auth.ts'
import { idOf } from '#routes/guard.ts'
import { MapSearch, RiskListSearch } from '#routes/search.ts'

/** With the list comes what an empty one says of what was scanned. */
async function firstRisks(client: QueryClient, verification: Verification): Promise<unknown> {
  const { first, summary } = await import('#issues/queries.ts')
  return Promise.all([client.prefetchQuery(first(verification)), client.prefetchQuery(summary())])
}

export const risksVerified = createRoute({
  getParentRoute,
  path: 'risks/verified',
  validateSearch: RiskListSearch,
  loader: begun((client) => firstRisks(client, 'VERIFICATION_VERIFIED')),
})
export const risksPotential = createRoute({
  getParentRoute,
  path: 'risks/potential',
  validateSearch: RiskListSearch,
  loader: begun((client) => firstRisks(client, 'VERIFICATION_UNVERIFIED')),
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

/** Routes of both risk lists, the visual map, and the risk page. */
import { createRoute } from '@tanstack/react-router'
import * as graphQueries from '#graph/queries.ts'
import { MapSearch } from '#graph/search.ts'
import * as issueQueries from '#issues/queries.ts'
import { RiskSearch } from '#issues/search.ts'
import { prefetching, getParentRoute } from '#routes/auth.ts'
import { validId } from '#routes/guard.ts'

export const risksVerified = createRoute({
  getParentRoute,
  path: 'risks/verified',
  validateSearch: RiskSearch,
  loader: prefetching((client) => client.prefetchQuery(issueQueries.first('VERIFICATION_VERIFIED'))),
})
export const risksPotential = createRoute({
  getParentRoute,
  path: 'risks/potential',
  validateSearch: RiskSearch,
  loader: prefetching((client) => client.prefetchQuery(issueQueries.first('VERIFICATION_UNVERIFIED'))),
})
export const risksVisual = createRoute({
  getParentRoute,
  path: 'risks/visual',
  validateSearch: MapSearch,
  loader: prefetching((client) => client.prefetchQuery(graphQueries.first())),
})
export const risk = createRoute({
  getParentRoute,
  path: 'risks/$id',
  loader: ({ context, params }) => context.queryClient.ensureQueryData(issueQueries.detail(validId(params))),
})

/** Maps the search params of the map to API filters. */
import type { InputOf } from '@glacis/contract/endpoint'
import type { getEcosystem } from '@glacis/contract/insights'
import type { StatusFilter, VerificationFilter } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import { Id } from '@glacis/contract/primitives'
import { z } from 'zod/mini'
import { countFilters, Flag, id, lenient, listOf, shortText } from '#lib/search-schema.ts'
import type { SeverityLevel } from '#ui/severity.tsx'

/** The search params of the map. */
export const MapSearch = z.object({
  target: id,
  tag: listOf(Id),
  severity: listOf(z.enum(['critical', 'high', 'medium', 'low', 'none'])),
  status: lenient(z.enum(['open', 'resolved', 'ignored', 'all'])),
  verification: lenient(z.enum(['verified', 'potential', 'all'])),
  kev: lenient(Flag),
  hide: listOf(z.enum(['product', 'host', 'threat', 'other'])),
  view: lenient(z.enum(['table'])),
  /** The ID of the selected node. */
  node: shortText,
})
export type MapSearch = z.infer<typeof MapSearch>

const statuses: Readonly<Record<NonNullable<MapSearch['status']>, StatusFilter>> = {
  open: 'STATUS_FILTER_OPEN',
  resolved: 'STATUS_FILTER_RESOLVED',
  ignored: 'STATUS_FILTER_IGNORED',
  all: 'STATUS_FILTER_ALL',
}
const verifications: Readonly<Record<NonNullable<MapSearch['verification']>, VerificationFilter>> = {
  verified: 'VERIFICATION_FILTER_VERIFIED',
  potential: 'VERIFICATION_FILTER_UNVERIFIED',
  all: 'VERIFICATION_FILTER_ALL',
}
const categories: Readonly<Record<SeverityLevel, SeverityCategory>> = {
  critical: 'CATEGORY_CRITICAL',
  high: 'CATEGORY_HIGH',
  medium: 'CATEGORY_MEDIUM',
  low: 'CATEGORY_LOW',
  none: 'CATEGORY_NONE',
}

/** Defaults to open, verified threats. */
export function ecosystemInput(search: MapSearch): InputOf<typeof getEcosystem> {
  const { target, tag, severity, status = 'open', verification = 'verified', kev } = search
  return {
    filter: {
      targetId: target,
      tagIds: tag && [...tag],
      severities: severity?.map((level) => categories[level]),
      status: [statuses[status]],
      verification: verifications[verification],
      kev: kev || undefined,
    },
  }
}

/** The number of active filters. Hidden kinds don't count. */
export function activeFilterCount(search: MapSearch): number {
  return countFilters(search, ['hide', 'view', 'node'])
}

/** Maps the search params of the map to API filters. */
import type { InputOf } from '@glacis/contract/endpoint'
import type { getEcosystem } from '@glacis/contract/insights'
import type { StatusFilter, VerificationFilter } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import type { Kind } from '#graph/model.ts'
import type { SeverityLevel } from '#ui/severity.tsx'

/** The search params of the map. */
export interface MapSearch {
  readonly target?: string | undefined
  readonly tag?: readonly string[] | undefined
  readonly severity?: readonly SeverityLevel[] | undefined
  readonly status?: 'open' | 'resolved' | 'ignored' | 'all' | undefined
  readonly verification?: 'verified' | 'potential' | 'all' | undefined
  readonly kev?: boolean | undefined
  readonly hide?: readonly Kind[] | undefined
  readonly view?: 'table' | undefined
  /** The ID of the selected node. */
  readonly node?: string | undefined
}

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
export function activeFilterCount({ target, tag, severity, status, verification, kev }: MapSearch): number {
  return [target, tag?.length, severity?.length, status, verification, kev].filter(Boolean).length
}

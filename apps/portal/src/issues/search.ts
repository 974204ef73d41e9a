/** Between the address of a risk list and what the API is asked for. */
import type { InputOf } from '@glacis/contract/endpoint'
import type { listIssues, StatusFilter, Verification } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import type { SeverityLevel } from '#ui/severity.tsx'

/** What the address of a risk list may carry. */
export interface RiskSearch {
  readonly status?: RiskTab | undefined
  readonly severity?: readonly SeverityLevel[] | undefined
  readonly target?: string | undefined
  readonly asset?: string | undefined
  readonly scan?: string | undefined
  readonly technology?: string | undefined
  readonly kev?: boolean | undefined
  readonly q?: string | undefined
  readonly sort?: RiskSort | undefined
  readonly size?: 25 | 50 | 100 | undefined
  /** Tokens of the pages before and up to this one. */
  readonly after?: readonly string[] | undefined
}
export type RiskTab = 'open' | 'resolved' | 'ignored' | 'all'
export type RiskSort = 'recent' | 'priority' | 'severity'

export const riskTabs = ['open', 'resolved', 'ignored', 'all'] as const satisfies readonly RiskTab[]
export const riskSorts = ['recent', 'priority', 'severity'] as const satisfies readonly RiskSort[]
export const sortWords: Readonly<Record<RiskSort, string>> = {
  recent: 'Most recent',
  priority: 'Priority',
  severity: 'Severity',
}

const statuses: Readonly<Record<RiskTab, StatusFilter>> = {
  open: 'STATUS_FILTER_OPEN',
  resolved: 'STATUS_FILTER_RESOLVED',
  ignored: 'STATUS_FILTER_IGNORED',
  all: 'STATUS_FILTER_ALL',
}
const orders = {
  recent: 'ORDER_BY_MOST_RECENT',
  priority: 'ORDER_BY_PRIORITY',
  severity: 'ORDER_BY_SEVERITY',
} as const
const categories: Readonly<Record<SeverityLevel, readonly SeverityCategory[]>> = {
  critical: ['CATEGORY_CRITICAL'],
  high: ['CATEGORY_HIGH'],
  medium: ['CATEGORY_MEDIUM'],
  low: ['CATEGORY_LOW'],
  none: ['CATEGORY_NONE', 'CATEGORY_UNSPECIFIED'],
}
const verifications = {
  VERIFICATION_VERIFIED: 'VERIFICATION_FILTER_VERIFIED',
  VERIFICATION_UNVERIFIED: 'VERIFICATION_FILTER_UNVERIFIED',
} as const

/** The page of issues that an address stands for; `all` sends no status filter. */
export function issuesInput(search: RiskSearch, verification?: Verification): InputOf<typeof listIssues> {
  const status = search.status ?? 'open'
  return {
    pageSize: search.size ?? 25,
    pageToken: search.after?.at(-1),
    orderBy: orders[search.sort ?? 'recent'],
    filter: {
      verification: verification && verifications[verification],
      status: status === 'all' ? undefined : [statuses[status]],
      severities: search.severity?.flatMap((level) => categories[level]),
      affectedTargetId: search.target,
      affectedHostId: search.asset,
      scanId: search.scan,
      productId: search.technology,
      kev: search.kev,
      query: search.q || undefined,
    },
  }
}

/** The same address without its filters; tab, order and page size stay. */
export function withoutFilters({ status, sort, size }: RiskSearch): RiskSearch {
  return { status, sort, size }
}

/** True when the address asks for fewer than the tab holds. */
export function hasFilters({ severity, target, asset, scan, technology, kev, q }: RiskSearch): boolean {
  return Boolean(severity?.length || target || asset || scan || technology || kev || q)
}

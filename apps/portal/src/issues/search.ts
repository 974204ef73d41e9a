/** Maps the search params of a risk list to API filters. */
import type { InputOf } from '@glacis/contract/endpoint'
import type { IssueFilter, listIssues, StatusFilter, Verification } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import { Id } from '@glacis/contract/primitives'
import { z } from 'zod/mini'
import { countFilters, Flag, id, lenient, listOf, paging, shortText } from '#lib/search-schema.ts'
import type { SeverityLevel } from '#ui/severity.tsx'

export const riskTabs = ['open', 'resolved', 'ignored', 'all'] as const
export const RiskSort = z.enum(['recent', 'priority', 'severity', 'epss', 'hosts', 'oldest'])
export type RiskSort = z.infer<typeof RiskSort>

/** The search params of a risk list. */
export const RiskSearch = z.object({
  status: lenient(z.enum(riskTabs)),
  severity: listOf(z.enum(['critical', 'high', 'medium', 'low', 'none'])),
  target: id,
  asset: id,
  scan: id,
  technology: id,
  kev: lenient(Flag),
  regressed: lenient(Flag),
  fix: lenient(Flag),
  /** Assigned to the current user. */
  mine: lenient(Flag),
  unassigned: lenient(Flag),
  tag: listOf(Id),
  /** Minimum EPSS, in percent. */
  epss: lenient(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100))),
  since: lenient(z.enum(['day', 'week', 'month'])),
  cve: lenient(z.string().check(z.regex(/^CVE-\d{4}-\d{4,}$/i))),
  q: shortText,
  sort: lenient(RiskSort),
  ...paging,
})
export type RiskSearch = z.infer<typeof RiskSearch>
export type RiskTab = NonNullable<RiskSearch['status']>
export type RiskAge = NonNullable<RiskSearch['since']>

/** The severity of a potential risk says nothing about how likely it is. */
export function defaultSort(verification: Verification | undefined): RiskSort {
  return verification === 'VERIFICATION_UNVERIFIED' ? 'priority' : 'severity'
}
export const sortOptions: readonly { readonly value: RiskSort; readonly label: string }[] = [
  { value: 'recent', label: 'Most recent' },
  { value: 'priority', label: 'Priority' },
  { value: 'severity', label: 'Severity' },
  { value: 'epss', label: 'EPSS' },
  { value: 'hosts', label: 'Affected hosts' },
  { value: 'oldest', label: 'Oldest' },
]
export const ageLabels: Readonly<Record<RiskAge, string>> = {
  day: 'Last 24 hours',
  week: 'Last 7 days',
  month: 'Last 30 days',
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
  epss: 'ORDER_BY_EPSS',
  hosts: 'ORDER_BY_AFFECTED_HOSTS',
  oldest: 'ORDER_BY_OLDEST',
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

/** The input of the workspace's totals. */
export const summaryInput = { period: 'PERIOD_QUARTER' } as const

/** The list query for the search params; the tab `all` sends no status filter. */
export function issuesInput(
  search: RiskSearch,
  verification?: Verification,
  person?: string,
): InputOf<typeof listIssues> {
  return {
    pageSize: search.size ?? 25,
    pageToken: search.after?.at(-1),
    orderBy: orders[search.sort ?? defaultSort(verification)],
    filter: issueFilter(search, verification, person),
  }
}

/** The filter alone, as sent by lists, bulk changes, and exports. `person` is the identity that "mine" refers to. */
export function issueFilter(search: RiskSearch, verification?: Verification, person?: string): IssueFilter {
  const status = search.status ?? 'open'
  return {
    verification: verification && verifications[verification],
    status: status === 'all' ? undefined : [statuses[status]],
    severities: search.severity?.flatMap((level) => categories[level]),
    affectedTargetId: search.target,
    affectedHostId: search.asset,
    scanId: search.scan,
    productId: search.technology,
    kev: search.kev,
    regressive: search.regressed,
    fixAvailable: search.fix,
    assigneeId: search.mine ? person : undefined,
    isUnassigned: search.unassigned,
    tagIds: search.tag && [...search.tag],
    minEpss: search.epss && search.epss / 100,
    newSince: search.since && firstSeenSince(search.since),
    cve: search.cve,
    query: search.q || undefined,
  }
}

const ageDays: Readonly<Record<RiskAge, number>> = { day: 1, week: 7, month: 30 }
const hourMs = 3_600_000

/** Rounded down to the hour so that the query key, and with it the cache entry, stays stable. */
function firstSeenSince(age: RiskAge): string {
  const hour = Math.floor(Date.now() / hourMs) * hourMs
  return new Date(hour - ageDays[age] * 24 * hourMs).toISOString()
}

/** Removes the filters; keeps tab, sort order, and page size. */
export function withoutFilters({ status, sort, size }: RiskSearch): RiskSearch {
  return { status, sort, size }
}

/** The search of a tab, from its first page. Keeps filters and sort order, unless they belong to the view being left. */
export function tabSearch(tab: RiskTab, search: RiskSearch, isView: boolean): RiskSearch {
  const status = tab === 'open' ? undefined : tab
  return isView ? { status, size: search.size } : { ...search, status, after: undefined }
}

/** The number of active filters. */
export function filterCount(search: RiskSearch): number {
  return countFilters(search, ['status'])
}

export function hasFilters(search: RiskSearch): boolean {
  return filterCount(search) > 0
}

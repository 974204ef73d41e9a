/** Maps the search params of the scope list to the API's input. */
import type { InputOf } from '@glacis/contract/endpoint'
import type { listTargets, SchedulePeriod, Target, TargetOrder, TargetState } from '@glacis/contract/target'

export type ScheduleParam = 'daily' | 'weekly' | 'monthly'
export type ScopeSort = 'name' | 'risks' | 'scan'
export const stateLabels = {
  never: 'Never scanned',
  overdue: 'Overdue',
  failed: 'Last scan failed',
  paused: 'Paused',
  unresolved: "Name doesn't resolve",
} as const
export type StateParam = keyof typeof stateLabels

/** Search params of the scope list. */
export interface ScopeSearch {
  readonly create?: boolean | undefined
  readonly q?: string | undefined
  readonly tag?: readonly string[] | undefined
  readonly schedule?: readonly ScheduleParam[] | undefined
  /** `any`, `none`, or an agent's ID. */
  readonly agent?: string | undefined
  /** ID of the responsible member. */
  readonly owner?: string | undefined
  readonly state?: readonly StateParam[] | undefined
  readonly sort?: string | undefined
  readonly size?: 25 | 50 | 100 | 500 | undefined
  readonly after?: readonly string[] | undefined
}

const periods: Readonly<Record<ScheduleParam, SchedulePeriod>> = {
  daily: 'PERIOD_DAILY',
  weekly: 'PERIOD_WEEKLY',
  monthly: 'PERIOD_MONTHLY',
}

const states: Readonly<Record<StateParam, TargetState>> = {
  never: 'STATE_NEVER_SCANNED',
  overdue: 'STATE_OVERDUE',
  failed: 'STATE_FAILED',
  paused: 'STATE_PAUSED',
  unresolved: 'STATE_UNRESOLVED',
}
/** Orders the API supports. Other orders are sorted here, if the whole list is loaded. */
const orders: Readonly<Record<string, TargetOrder>> = { name: 'ORDER_BY_NAME', scan: 'ORDER_BY_LAST_SCAN' }
const agents = { any: 'AGENT_FILTER_ANY', none: 'AGENT_FILTER_NONE' } as const

export function targetsInput(search: ScopeSearch): InputOf<typeof listTargets> {
  const { q, tag, schedule, agent, owner, state, sort = '', size, after } = search
  const known = agent === 'any' || agent === 'none' ? agents[agent] : undefined
  return {
    pageSize: size ?? 25,
    pageToken: after?.at(-1),
    filter: {
      query: q || undefined,
      tagIds: tag && [...tag],
      periods: schedule?.map((word) => periods[word]),
      agent: known,
      agentId: known ? undefined : agent,
      ownerIds: owner ? [owner] : undefined,
      states: state?.map((word) => states[word]),
    },
    orderBy: orders[sort],
  }
}

export function isFiltered({ q, tag, schedule, agent, state }: ScopeSearch): boolean {
  return Boolean(q || tag?.length || schedule?.length || agent || state?.length)
}

/** Sorts a fully loaded list. An unknown order keeps the API's order, newest first. */
export function sortTargets(targets: readonly Target[], sort: string | undefined): Target[] {
  const compare = comparisons[sort as ScopeSort]
  return compare ? [...targets].sort(compare) : [...targets]
}

type Compare = (a: Target, b: Target) => number
const comparisons: Readonly<Partial<Record<ScopeSort, Compare>>> = {
  name: (a, b) => a.name.localeCompare(b.name, 'en-CH'),
  risks: (a, b) => severityWeight(b) - severityWeight(a),
  scan: (a, b) => lastScan(b) - lastScan(a),
}

/** Weights each severity above up to 999 risks of the next lower one. */
function severityWeight({ issueCount: { critical, high, medium, low } }: Target): number {
  return ((critical * 1000 + high) * 1000 + medium) * 1000 + low
}

function lastScan({ lastScan: scan }: Target): number {
  return scan ? Date.parse(scan.completeTime ?? scan.createTime) : 0
}

/** Maps the search params of the scope list to the API's input. */
import type { InputOf } from '@glacis/contract/endpoint'
import type { listTargets, SchedulePeriod, Target, TargetOrder, TargetState } from '@glacis/contract/target'
import { Id } from '@glacis/contract/primitives'
import { z } from 'zod/mini'
import { locale } from '#lib/format.ts'
import { Flag, lenient, listOf, paging, shortText } from '#lib/search-schema.ts'

export type ScopeSort = 'name' | 'risks' | 'scan'
export const stateLabels = {
  never: 'Never scanned',
  overdue: 'Overdue',
  failed: 'Last scan failed',
  paused: 'Paused',
  unresolved: "Name doesn't resolve",
} as const

/** Search params of the scope list. */
export const ScopeSearch = z.object({
  create: z.optional(Flag),
  q: shortText,
  tag: listOf(Id),
  schedule: listOf(z.enum(['daily', 'weekly', 'monthly'])),
  /** `any`, `none`, or an agent's ID. */
  agent: lenient(z.union([z.enum(['any', 'none']), Id])),
  /** ID of the responsible member. */
  owner: lenient(z.string().check(z.maxLength(200))),
  state: listOf(z.enum(['never', 'overdue', 'failed', 'paused', 'unresolved'])),
  sort: lenient(z.string().check(z.maxLength(40))),
  ...paging,
})
export type ScopeSearch = z.infer<typeof ScopeSearch>
export type ScheduleParam = NonNullable<ScopeSearch['schedule']>[number]
export type StateParam = NonNullable<ScopeSearch['state']>[number]

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

/** Sorts a fully loaded list. An unknown order keeps the API's order, newest first. */
export function sortTargets(targets: readonly Target[], sort: string | undefined): Target[] {
  const compare = comparisons[sort as ScopeSort]
  return compare ? [...targets].sort(compare) : [...targets]
}

type Compare = (a: Target, b: Target) => number
const comparisons: Readonly<Partial<Record<ScopeSort, Compare>>> = {
  name: (a, b) => a.name.localeCompare(b.name, locale),
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

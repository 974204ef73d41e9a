/** Figures over time, the dependency graph, and the small calls the shell lives on. */
import { z } from 'zod'
import { endpoint } from '#endpoint.ts'
import { IssueFilter } from '#issue.ts'
import { Duration, Timestamp } from '#primitives.ts'

export const StatsPeriod = z.enum(['PERIOD_WEEK', 'PERIOD_MONTH', 'PERIOD_QUARTER', 'PERIOD_YEAR'])
export type StatsPeriod = z.infer<typeof StatsPeriod>
const series = z.array(z.number())
const timestamps = z.array(Timestamp)

/** Active issues (open and regression) at the end of each interval; the last one is now. */
export const SeveritySeries = z.object({ timestamps, critical: series, high: series, medium: series, low: series })
export type SeveritySeries = z.infer<typeof SeveritySeries>
export const StatusSeries = z.object({
  timestamps,
  open: series,
  resolved: series,
  ignored: series,
  regressive: series,
})
export type StatusSeries = z.infer<typeof StatusSeries>
export const ValueSeries = z.object({ timestamps, values: series })
export type ValueSeries = z.infer<typeof ValueSeries>

const period = StatsPeriod.default('PERIOD_QUARTER')
const filter = IssueFilter.pick({ affectedTargetId: true, affectedHostId: true, verification: true }).optional()

export const issuesBySeverity = endpoint({
  method: 'GET',
  path: '/v1/stats/issues-by-severity',
  summary: 'Active issues by severity over the period.',
  input: z.object({ period, filter }),
  result: SeveritySeries,
})
export const issuesByStatus = endpoint({
  method: 'GET',
  path: '/v1/stats/issues-by-status',
  summary: 'Issues by status over the period.',
  input: z.object({ period, filter }),
  result: StatusSeries,
})
export const scansOverTime = endpoint({
  method: 'GET',
  path: '/v1/stats/scans',
  summary: 'Scans completed in each interval of the period.',
  input: z.object({ period }),
  result: ValueSeries,
})
export const affectedHostsOverTime = endpoint({
  method: 'GET',
  path: '/v1/stats/affected-hosts',
  summary: 'Hosts with at least one active issue over the period.',
  input: z.object({ period }),
  result: ValueSeries,
})
export const Summary = z.object({
  open: z.number().int(),
  regressive: z.number().int(),
  newCount: z.number().int(),
  resolvedCount: z.number().int(),
  meanTimeToResolve: Duration.optional(),
  targetCount: z.number().int(),
  hostCount: z.number().int(),
  lastScanTime: Timestamp.optional(),
})
export const statsSummary = endpoint({
  method: 'GET',
  path: '/v1/stats/summary',
  summary: 'The figures at the head of the overview.',
  input: z.object({ period, filter }),
  result: Summary,
})

export const NodeKind = z.enum(['KIND_PRODUCT', 'KIND_HOST', 'KIND_THREAT'])
export const GraphNode = z.object({ id: z.string(), name: z.string(), kind: z.string() })
export const GraphLink = z.object({ sourceNodeId: z.string(), targetNodeId: z.string() })
export const DependencyGraph = z.object({
  nodes: z.array(GraphNode),
  links: z.array(GraphLink),
  totalNodeCount: z.number().int().optional(),
})
export type DependencyGraph = z.infer<typeof DependencyGraph>

export const OnboardingStep = z.object({
  key: z.enum(['TARGET', 'AGENT', 'SCAN', 'NOTIFICATIONS']),
  state: z.enum(['STATE_OPEN', 'STATE_SKIPPED', 'STATE_DONE']),
})
export const Feed = z.object({
  name: z.string(),
  version: z.string(),
  records: z.number().int(),
  updateTime: Timestamp.optional(),
  state: z.enum(['STATE_READY', 'STATE_EMPTY', 'STATE_FAILED']),
})
export const listFeeds = endpoint({
  method: 'GET',
  path: '/v1/feeds',
  summary: 'What the product knows: checks, fingerprints and threat records, with version and size.',
  input: z.object({}),
  result: z.object({ feeds: z.array(Feed) }),
})

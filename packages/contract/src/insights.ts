/** Statistics, the dependency graph, feeds, and onboarding. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { IssueFilter, StatusFilter, VerificationFilter } from '#issue.ts'
import { Duration, Flag, Id, listOf, Timestamp } from '#primitives.ts'
import { SeverityCategory } from '#threat.ts'

export const StatsPeriod = z.enum(['PERIOD_WEEK', 'PERIOD_MONTH', 'PERIOD_QUARTER', 'PERIOD_YEAR'])
export type StatsPeriod = z.infer<typeof StatsPeriod>
const series = z.array(z.number())
const timestamps = z.array(Timestamp)

/** Active issues (open and regression) at the end of each interval; the last value is current. */
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

const period = z._default(StatsPeriod, 'PERIOD_QUARTER')
const filter = z.optional(z.pick(IssueFilter, { affectedTargetId: true, affectedHostId: true, verification: true }))

export const issuesBySeverity = endpoint({
  method: 'GET',
  path: '/v1/stats/issues-by-severity',
  summary: 'Get active issues by severity over time',
  description:
    'With a target or host filter, `filter.verification` applies to the occurrences there: an issue can be verified on one host and unverified on another.',
  input: z.object({ period, filter }),
  result: SeveritySeries,
})
export const issuesByStatus = endpoint({
  method: 'GET',
  path: '/v1/stats/issues-by-status',
  summary: 'Get issues by status over time',
  description:
    'With a target or host filter, `filter.verification` applies to the occurrences there: an issue can be verified on one host and unverified on another.',
  input: z.object({ period, filter }),
  result: StatusSeries,
})
export const scansOverTime = endpoint({
  method: 'GET',
  path: '/v1/stats/scans',
  summary: 'Get completed scans over time',
  input: z.object({ period, filter: z.optional(z.pick(IssueFilter, { affectedTargetId: true })) }),
  result: ValueSeries,
})
export const affectedHostsOverTime = endpoint({
  method: 'GET',
  path: '/v1/stats/affected-hosts',
  summary: 'Get affected hosts over time',
  description: 'Hosts with at least one active issue, per interval.',
  input: z.object({ period, filter: z.optional(z.pick(IssueFilter, { affectedTargetId: true, verification: true })) }),
  result: ValueSeries,
})
export const Summary = z.object({
  open: z.int(),
  regressive: z.int(),
  newCount: z.int(),
  resolvedCount: z.int(),
  meanTimeToResolve: z.optional(Duration),
  targetCount: z.int(),
  hostCount: z.int(),
  lastScanTime: z.optional(Timestamp),
})
export const statsSummary = endpoint({
  method: 'GET',
  path: '/v1/stats/summary',
  summary: 'Get summary statistics',
  description: 'The numbers at the top of the overview page.',
  input: z.object({ period, filter }),
  result: Summary,
})

export const NodeKind = z.enum(['KIND_PRODUCT', 'KIND_HOST', 'KIND_THREAT'])
/** Nodes of unknown types are rendered gray. The ID of a threat node is the ID of the workspace's issue. */
export const GraphNode = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  /** For threats. */
  severity: z.optional(SeverityCategory),
  /** For threats that are exploited in the wild. */
  knownExploited: z.optional(z.boolean()),
})
export type GraphNode = z.infer<typeof GraphNode>
export const GraphLink = z.object({ sourceNodeId: z.string(), targetNodeId: z.string() })
export const DependencyGraph = z.object({
  nodes: z.array(GraphNode),
  links: z.array(GraphLink),
  /** Number of nodes without the `maxNodes` limit. */
  totalNodeCount: z.optional(z.int()),
  /** If false, the number is a lower bound. */
  totalNodeCountIsExact: z.optional(z.boolean()),
})
export type DependencyGraph = z.infer<typeof DependencyGraph>
export const graphNodesMax = 2000
export const getEcosystem = endpoint({
  method: 'GET',
  path: '/v1/ecosystem',
  summary: 'Get the dependency graph',
  description: 'Software, hosts, and the threats that affect them, riskiest first. Defaults to open issues.',
  input: z.object({
    filter: z.optional(
      z.strictObject({
        targetId: z.optional(Id),
        tagIds: listOf(Id),
        severities: listOf(SeverityCategory),
        status: listOf(StatusFilter),
        verification: z.optional(VerificationFilter),
        kev: z.optional(Flag),
      }),
    ),
    maxNodes: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(graphNodesMax)), graphNodesMax),
  }),
  result: DependencyGraph,
})

export const OnboardingStep = z.object({
  key: z.enum(['TARGET', 'AGENT', 'SCAN', 'NOTIFICATIONS']),
  state: z.enum(['STATE_OPEN', 'STATE_SKIPPED', 'STATE_DONE']),
})
export const Feed = z.object({
  name: z.string(),
  version: z.string(),
  records: z.int(),
  /** Records rejected by the last import. */
  skipped: z.optional(z.int()),
  /** When it last changed. */
  updateTime: z.optional(Timestamp),
  /** When its source was last queried. */
  checkTime: z.optional(Timestamp),
  state: z.enum(['STATE_READY', 'STATE_EMPTY', 'STATE_FAILED']),
  /** Why the last import failed. */
  problem: z.optional(z.string()),
  /** The current activity, such as a download or an import. */
  progress: z.optional(z.string()),
  /** Whether `checkFeed` can query its source over the network. */
  checkable: z.optional(z.boolean()),
})
export type Feed = z.infer<typeof Feed>
export const listFeeds = endpoint({
  method: 'GET',
  path: '/v1/feeds',
  summary: 'List feeds',
  description: 'Checks, fingerprints, and threat records, with version and size.',
  input: z.object({}),
  result: z.object({ feeds: z.array(Feed) }),
})
export const checkFeed = endpoint({
  method: 'POST',
  path: '/v1/feeds/:name/check',
  summary: 'Check a feed for updates',
  description:
    'Queries the source of the feed immediately and imports new records. Rejected while an import is running, within a minute of the last check, and for feeds without a network source.',
  input: z.strictObject({ name: z.string().check(z.maxLength(100)) }),
  result: z.object({ feed: Feed }),
})

export const getOnboarding = endpoint({
  method: 'GET',
  path: '/v1/onboarding',
  summary: 'Get onboarding progress',
  description: "The state of each step is derived from the workspace's data.",
  input: z.object({}),
  result: z.object({ steps: z.array(OnboardingStep) }),
})

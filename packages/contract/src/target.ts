/** Targets ("Scope" in the portal): what a user asked us to monitor. */
import { z } from 'zod/mini'
import { Agent } from '#agent.ts'
import { endpoint } from '#endpoint.ts'
import {
  CheckPermission,
  Empty,
  Id,
  listOf,
  Name,
  NextPage,
  Page,
  ScanProfile,
  SeverityCount,
  Timestamp,
  UpdateMask,
} from '#primitives.ts'
import { Tag } from '#tag.ts'

export const SchedulePeriod = z.enum(['PERIOD_DAILY', 'PERIOD_WEEKLY', 'PERIOD_MONTHLY'])
export type SchedulePeriod = z.infer<typeof SchedulePeriod>

/** Monday is 1 (ISO 8601). */
const Weekday = z.int().check(z.minimum(1), z.maximum(7))
const TimeOfDay = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Expected a time of day such as 22:00'))
/** When scans may run. An end before the start is on the next day; `days` refers to the start. */
export const AllowedHours = z.strictObject({
  start: TimeOfDay,
  end: TimeOfDay,
  /** Default: every day. */
  days: z.optional(z.array(Weekday).check(z.minLength(1), z.maxLength(7))),
  /** IANA name, such as `Europe/Zurich`. */
  timeZone: z.string().check(z.minLength(1), z.maxLength(64)),
})
export type AllowedHours = z.infer<typeof AllowedHours>
const schedule = z.object({
  period: SchedulePeriod,
  /** Default: any time. */
  allowedHours: z.optional(AllowedHours),
})
const newSchedule = z.strictObject(schedule.shape)

/** Maximum connections and requests per second per host. */
export const ratePerHost = { min: 1, max: 1000 } as const
export const exclusionsMax = 200
/** Number of TCP ports that a scan tries unless a target has its own or the profile `deep`. */
export const defaultPortCount = 1100

export const Target = z.object({
  id: Id,
  name: z.string(),
  /** Normalized at creation: hostname, IPv4, IPv6, CIDR, range, or URL. */
  address: z.string(),
  /** The address with an internationalized name decoded; absent if identical or potentially deceptive. */
  readableAddress: z.optional(z.string()),
  tags: z.array(Tag),
  /** The member responsible for it. */
  owner: z.optional(z.object({ id: z.string(), name: z.string() })),
  schedule,
  issueCount: SeverityCount,
  agent: z.optional(Agent),
  /** Its agent was deleted. It isn't scanned until another agent or the server is selected. */
  formerAgent: z.optional(z.object({ name: z.string() })),
  createTime: Timestamp,
  updateTime: Timestamp,
  hostCount: z.optional(z.int()),
  lastScan: z.optional(
    z.object({
      id: Id,
      status: z.string(),
      createTime: Timestamp,
      completeTime: z.optional(Timestamp),
      /** Why it failed, was canceled, or is waiting. */
      reason: z.optional(z.string()),
    }),
  ),
  nextScanTime: z.optional(Timestamp),
  /** Exclusions: addresses, networks, ranges, `address:port`, or `*:port` for a port of every address. */
  exclusions: z.optional(z.array(z.string())),
  profile: z.optional(ScanProfile),
  /** Kinds of intrusive checks that may run; none by default. */
  permissions: z.optional(z.array(CheckPermission)),
  /** Ports such as `22,80,8000-8100`; empty for the 1,100 most common ports. */
  ports: z.optional(z.string()),
  /** Default: the profile's limits. */
  ratePerHost: z.optional(z.int()),
  /** Present while paused. Paused targets aren't scanned and don't count toward the plan. */
  pauseTime: z.optional(Timestamp),
  /** When its name stopped resolving; absent while it resolves. */
  unresolvedSinceTime: z.optional(Timestamp),
})
export type Target = z.infer<typeof Target>
/** Identity ID of a member. */
const owner = z.strictObject({ id: z.string().check(z.minLength(1), z.maxLength(200)) })
const tags = z.array(z.object({ id: Id }))

/** Scan settings other than the schedule. */
const settings = {
  exclusions: z.optional(z.array(z.string().check(z.minLength(1), z.maxLength(100))).check(z.maxLength(exclusionsMax))),
  profile: z.optional(ScanProfile),
  permissions: z.optional(z.array(CheckPermission).check(z.maxLength(3))),
  ports: z.optional(z.string().check(z.maxLength(2000))),
  ratePerHost: z.optional(z.nullable(z.int().check(z.minimum(ratePerHost.min), z.maximum(ratePerHost.max)))),
} as const
export const TargetCreate = z.object({
  name: Name,
  address: z.string().check(z.minLength(1), z.maxLength(2048)),
  schedule: newSchedule,
  agent: z.optional(z.object({ id: Id })),
  tags: z._default(tags, []),
  owner: z.optional(owner),
  ...settings,
  /** The user confirms being authorized to scan this address; recorded in the audit log. */
  isPermitted: z.optional(z.boolean()),
})
export const TargetChange = z.object({
  name: z.optional(Name),
  schedule: z.optional(newSchedule),
  agent: z.optional(z.nullable(z.object({ id: Id }))),
  tags: z.optional(tags),
  owner: z.optional(z.nullable(owner)),
  ...settings,
  paused: z.optional(z.boolean()),
})

export const TargetState = z.enum([
  'STATE_NEVER_SCANNED',
  /** No scan has completed within the scheduled period. */
  'STATE_OVERDUE',
  /** The last scan failed. */
  'STATE_FAILED',
  'STATE_PAUSED',
  'STATE_UNRESOLVED',
])
export type TargetState = z.infer<typeof TargetState>
export const TargetOrder = z.enum([
  'ORDER_BY_MOST_RECENT',
  'ORDER_BY_NAME',
  'ORDER_BY_LAST_SCAN',
  'ORDER_BY_NEXT_SCAN',
  /** Most open critical and high issues first. */
  'ORDER_BY_SEVERITY',
])
export type TargetOrder = z.infer<typeof TargetOrder>

export const listTargets = endpoint({
  method: 'GET',
  path: '/v1/targets',
  summary: 'List targets',
  description: 'Newest first unless `orderBy` is set.',
  input: z.object({
    ...Page,
    filter: z.optional(
      z.strictObject({
        query: z.optional(z.string().check(z.maxLength(200))),
        tagIds: listOf(Id),
        /** Identity IDs of members. */
        ownerIds: listOf(z.string().check(z.maxLength(200))),
        periods: listOf(SchedulePeriod),
        agentId: z.optional(Id),
        /** Targets with any agent, or without one. */
        agent: z.optional(z.enum(['AGENT_FILTER_ANY', 'AGENT_FILTER_NONE'])),
        states: listOf(TargetState),
      }),
    ),
    orderBy: z.optional(TargetOrder),
  }),
  result: z.object({ targets: z.array(Target), ...NextPage }),
})
export const getTarget = endpoint({
  method: 'GET',
  path: '/v1/targets/:id',
  summary: 'Get a target',
  input: z.object({ id: Id }),
  result: z.object({ target: Target }),
})
/** Fields are top-level; a body wrapped in `{target: {…}}` is also accepted. */
export const createTarget = endpoint({
  method: 'POST',
  path: '/v1/targets',
  summary: 'Create a target',
  description: 'The response contains the normalized address. The body can also be `{"target": {…}}`.',
  takesKey: true,
  input: z.strictObject(TargetCreate.shape),
  result: z.object({ target: Target }),
})
export const updateTarget = endpoint({
  method: 'PATCH',
  path: '/v1/targets/:id',
  summary: 'Update a target',
  description:
    'Changes only the fields named in `updateMask.paths`. The body can also be `{"target": {…}, "updateMask": {…}}`.',
  input: z.strictObject({ id: Id, ...TargetChange.shape, updateMask: UpdateMask }),
  result: z.object({ target: Target }),
})
export const deleteTarget = endpoint({
  method: 'DELETE',
  path: '/v1/targets/:id',
  summary: 'Delete a target',
  description: 'Its running scan is canceled. Its issues are resolved and kept as history.',
  input: z.object({ id: Id }),
  result: Empty,
})
/** Items skipped by a bulk change, each with the reason. */
export const Skipped = z.array(z.object({ id: Id, code: z.int(), message: z.string() }))
const ids = z.array(Id).check(z.minLength(1), z.maxLength(500))
export const changeTargets = endpoint({
  method: 'POST',
  path: '/v1/targets/batch/update',
  summary: 'Update several targets',
  description:
    'Adds and removes tags, sets the owner and scan period, and pauses or resumes targets. Other fields are unchanged.',
  input: z.strictObject({
    ids,
    addTags: z.optional(tags),
    removeTags: z.optional(tags),
    owner: z.optional(z.nullable(owner)),
    period: z.optional(SchedulePeriod),
    paused: z.optional(z.boolean()),
  }),
  result: z.object({ updatedCount: z.int(), skipped: Skipped }),
})
export const deleteTargets = endpoint({
  method: 'POST',
  path: '/v1/targets/batch/delete',
  summary: 'Delete several targets',
  description: 'Each is deleted as with `deleteTarget`.',
  input: z.strictObject({ ids }),
  result: z.object({ deletedCount: z.int(), skipped: Skipped }),
})
export const ParsedAddress = z.object({
  input: z.string(),
  normalized: z.optional(z.string()),
  /** See `readableAddress` of a target. */
  readable: z.optional(z.string()),
  kind: z.optional(z.string()),
  hostCount: z.optional(z.int()),
  private: z.optional(z.boolean()),
  /**
   * `GLACIS_SCAN_NETWORKS` contains none of its addresses: neither the server nor agents may scan it, or only agents.
   * Absent for names and large networks.
   */
  scanLimit: z.optional(z.enum(['LIMIT_FORBIDDEN', 'LIMIT_AGENTS_ONLY'])),
  /** The target that already has this address. */
  target: z.optional(z.object({ id: Id, name: z.string() })),
  error: z.optional(z.string()),
})
export const parseTargets = endpoint({
  method: 'POST',
  path: '/v1/targets/parse',
  summary: 'Parse target addresses',
  description:
    'Reports how each address is interpreted, which target already uses it, or why it is invalid. Nothing is stored.',
  input: z.strictObject({
    addresses: z.array(z.string().check(z.maxLength(2048))).check(z.minLength(1), z.maxLength(1000)),
  }),
  result: z.object({ results: z.array(ParsedAddress) }),
})

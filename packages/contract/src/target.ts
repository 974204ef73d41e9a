/** Targets ("scopes" in the portal): what a user asked us to monitor. */
import { z } from 'zod'
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
const Weekday = z.number().int().min(1).max(7)
const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Expected a time of day such as 22:00')
/** When scans may run. An end before the start is on the next day; `days` refers to the start. */
export const AllowedHours = z.strictObject({
  start: TimeOfDay,
  end: TimeOfDay,
  /** Default: every day. */
  days: z.array(Weekday).min(1).max(7).optional(),
  /** IANA name, such as `Europe/Zurich`. */
  timeZone: z.string().min(1).max(64),
})
export type AllowedHours = z.infer<typeof AllowedHours>
const schedule = z.object({
  period: SchedulePeriod,
  /** Default: any time. */
  allowedHours: AllowedHours.optional(),
})

/** Maximum connections and requests per second per host. */
export const ratePerHost = { min: 1, max: 1000 } as const
export const exclusionsMax = 200

export const Target = z.object({
  id: Id,
  name: z.string(),
  /** Normalized at creation: hostname, IPv4, IPv6, CIDR, range or URL. */
  address: z.string(),
  /** The address with an internationalized name decoded; absent if identical or potentially deceptive. */
  readableAddress: z.string().optional(),
  tags: z.array(Tag),
  schedule,
  issueCount: SeverityCount,
  agent: Agent.optional(),
  /** Its agent was deleted. It isn't scanned until another agent or the server is selected. */
  formerAgent: z.object({ name: z.string() }).optional(),
  createTime: Timestamp,
  updateTime: Timestamp,
  hostCount: z.number().int().optional(),
  lastScan: z
    .object({
      id: Id,
      status: z.string(),
      createTime: Timestamp,
      completeTime: Timestamp.optional(),
      /** Why it failed, was canceled or is waiting. */
      reason: z.string().optional(),
    })
    .optional(),
  nextScanTime: Timestamp.optional(),
  /** Exclusions: addresses, networks, ranges, `address:port`, or `*:port` for a port of every address. */
  exclusions: z.array(z.string()).optional(),
  profile: ScanProfile.optional(),
  /** Kinds of intrusive checks that may run; none by default. */
  permissions: z.array(CheckPermission).optional(),
  /** Ports such as `22,80,8000-8100`; empty for the 1,000 most common ports. */
  ports: z.string().optional(),
  /** Default: the profile's limits. */
  ratePerHost: z.number().int().optional(),
  /** Present while paused. Paused targets aren't scanned and don't count toward the plan. */
  pauseTime: Timestamp.optional(),
  /** Since when its name doesn't resolve; absent while it does. */
  unresolvedSinceTime: Timestamp.optional(),
})
export type Target = z.infer<typeof Target>
const tags = z.array(z.object({ id: Id }))

/** Scan settings other than the schedule. */
const settings = {
  exclusions: z.array(z.string().min(1).max(100)).max(exclusionsMax).optional(),
  profile: ScanProfile.optional(),
  permissions: z.array(CheckPermission).max(3).optional(),
  ports: z.string().max(2000).optional(),
  ratePerHost: z.number().int().min(ratePerHost.min).max(ratePerHost.max).nullable().optional(),
} as const
export const TargetCreate = z.object({
  name: Name,
  address: z.string().min(1).max(2048),
  schedule,
  agent: z.object({ id: Id }).optional(),
  tags: tags.default([]),
  ...settings,
  /** The user confirms being authorized to scan this address; recorded in the audit log. */
  isPermitted: z.boolean().optional(),
})
export const TargetChange = z.object({
  name: Name.optional(),
  schedule: schedule.optional(),
  agent: z.object({ id: Id }).nullable().optional(),
  tags: tags.optional(),
  ...settings,
  paused: z.boolean().optional(),
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
    filter: z
      .strictObject({
        query: z.string().max(200).optional(),
        tagIds: listOf(Id),
        periods: listOf(SchedulePeriod),
        agentId: Id.optional(),
        /** Targets with any agent, or without one. */
        agent: z.enum(['AGENT_FILTER_ANY', 'AGENT_FILTER_NONE']).optional(),
        states: listOf(TargetState),
      })
      .optional(),
    orderBy: TargetOrder.optional(),
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
  description: 'The response contains the normalized address. `{"target": {…}}` is accepted as the body too.',
  takesKey: true,
  input: z.strictObject(TargetCreate.shape),
  result: z.object({ target: Target }),
})
export const updateTarget = endpoint({
  method: 'PATCH',
  path: '/v1/targets/:id',
  summary: 'Update a target',
  description: 'Changes only the fields named in `updateMask.paths`.',
  input: z.strictObject({ id: Id, ...TargetChange.shape, updateMask: UpdateMask }),
  result: z.object({ target: Target }),
})
export const deleteTarget = endpoint({
  method: 'DELETE',
  path: '/v1/targets/:id',
  summary: 'Delete a target',
  description: 'Its running scan is canceled. Its issues are closed and kept as history.',
  input: z.object({ id: Id }),
  result: Empty,
})
/** Items skipped by a bulk change, each with the reason. */
export const Skipped = z.array(z.object({ id: Id, code: z.number().int(), message: z.string() }))
const ids = z.array(Id).min(1).max(500)
export const changeTargets = endpoint({
  method: 'POST',
  path: '/v1/targets/batch/update',
  summary: 'Update several targets',
  description: 'Adds and removes tags, sets the scan period, pauses and resumes. Other fields are unchanged.',
  input: z.strictObject({
    ids,
    addTags: tags.optional(),
    removeTags: tags.optional(),
    period: SchedulePeriod.optional(),
    paused: z.boolean().optional(),
  }),
  result: z.object({ updatedCount: z.number().int(), skipped: Skipped }),
})
export const deleteTargets = endpoint({
  method: 'POST',
  path: '/v1/targets/batch/delete',
  summary: 'Delete several targets',
  description: 'Each is deleted as by `deleteTarget`.',
  input: z.strictObject({ ids }),
  result: z.object({ deletedCount: z.number().int(), skipped: Skipped }),
})
export const ParsedAddress = z.object({
  input: z.string(),
  normalized: z.string().optional(),
  /** See `readableAddress` of a target. */
  readable: z.string().optional(),
  kind: z.string().optional(),
  hostCount: z.number().int().optional(),
  private: z.boolean().optional(),
  /** The target that already has this address. */
  target: z.object({ id: Id, name: z.string() }).optional(),
  error: z.string().optional(),
})
export const parseTargets = endpoint({
  method: 'POST',
  path: '/v1/targets/parse',
  summary: 'Parse target addresses',
  description:
    'Reports how each address is interpreted, which target already uses it, or why it is invalid. Nothing is stored.',
  input: z.strictObject({ addresses: z.array(z.string().max(2048)).min(1).max(1000) }),
  result: z.object({ results: z.array(ParsedAddress) }),
})

/** Targets ("scopes" on screen): what a person asked us to watch. */
import { z } from 'zod'
import { Agent } from '#agent.ts'
import { endpoint } from '#endpoint.ts'
import { Empty, Id, listOf, Name, NextPage, Page, SeverityCount, Timestamp, UpdateMask } from '#primitives.ts'

/** Colour is an index into the ten badge colours: main, gray, orange, yellow, pink, teal, purple, blue, green, red. */
export const Tag = z.object({ id: Id, name: z.string(), color: z.number().int() })
export type Tag = z.infer<typeof Tag>

export const SchedulePeriod = z.enum(['PERIOD_DAILY', 'PERIOD_WEEKLY', 'PERIOD_MONTHLY'])
export type SchedulePeriod = z.infer<typeof SchedulePeriod>

export const Target = z.object({
  id: Id,
  name: z.string(),
  /** As normalised at creation: host name, IPv4, IPv6, CIDR, range or URL. */
  address: z.string(),
  tags: z.array(Tag),
  schedule: z.object({ period: SchedulePeriod }),
  issueCount: SeverityCount,
  agent: Agent.optional(),
  createTime: Timestamp,
  updateTime: Timestamp,
  hostCount: z.number().int().optional(),
  lastScan: z
    .object({ id: Id, status: z.string(), createTime: Timestamp, completeTime: Timestamp.optional() })
    .optional(),
  nextScanTime: Timestamp.optional(),
})
export type Target = z.infer<typeof Target>
const schedule = z.object({ period: SchedulePeriod })
const tags = z.array(z.object({ id: Id }))

export const TargetCreate = z.object({
  name: Name,
  address: z.string().min(1).max(2048),
  schedule,
  agent: z.object({ id: Id }).optional(),
  tags: tags.default([]),
})
export const TargetChange = z.object({
  name: Name.optional(),
  schedule: schedule.optional(),
  agent: z.object({ id: Id }).nullable().optional(),
  tags: tags.optional(),
})

export const listTargets = endpoint({
  method: 'GET',
  path: '/v1/targets',
  summary: 'Lists the targets, newest first.',
  input: z.object({
    ...Page,
    filter: z
      .strictObject({
        query: z.string().max(200).optional(),
        tagIds: listOf(Id),
        periods: listOf(SchedulePeriod),
        agentId: Id.optional(),
      })
      .optional(),
  }),
  result: z.object({ targets: z.array(Target), ...NextPage }),
})
export const getTarget = endpoint({
  method: 'GET',
  path: '/v1/targets/:id',
  summary: 'One target.',
  input: z.object({ id: Id }),
  result: z.object({ target: Target }),
})
/** The members stand at the top of the body; `{target: {…}}` around them is understood too. */
export const createTarget = endpoint({
  method: 'POST',
  path: '/v1/targets',
  summary: 'Registers a target. The answer carries the address as it was understood.',
  input: z.strictObject(TargetCreate.shape),
  result: z.object({ target: Target }),
})
export const updateTarget = endpoint({
  method: 'PATCH',
  path: '/v1/targets/:id',
  summary: 'Changes the members of a target that updateMask.paths names, and no others.',
  input: z.strictObject({ id: Id, ...TargetChange.shape, updateMask: UpdateMask }),
  result: z.object({ target: Target }),
})
export const deleteTarget = endpoint({
  method: 'DELETE',
  path: '/v1/targets/:id',
  summary: 'Deletes a target: its running scan is cancelled, its issues close and stay as history.',
  input: z.object({ id: Id }),
  result: Empty,
})
export const ParsedAddress = z.object({
  input: z.string(),
  normalized: z.string().optional(),
  kind: z.string().optional(),
  hostCount: z.number().int().optional(),
  private: z.boolean().optional(),
  error: z.string().optional(),
})
export const parseTargets = endpoint({
  method: 'POST',
  path: '/v1/targets/parse',
  summary: 'Says how each address would be understood, or what is wrong with it. Nothing is stored.',
  input: z.strictObject({ addresses: z.array(z.string().max(2048)).min(1).max(1000) }),
  result: z.object({ results: z.array(ParsedAddress) }),
})
export const listTags = endpoint({
  method: 'GET',
  path: '/v1/tags',
  summary: 'Lists the tags of the account.',
  input: z.object({}),
  result: z.object({ tags: z.array(Tag) }),
})
export const createTag = endpoint({
  method: 'POST',
  path: '/v1/tags',
  summary: 'Makes a tag. A name that exists already gives back the tag of that name.',
  input: z.strictObject({
    tag: z.strictObject({ name: z.string().trim().min(1).max(40), color: z.number().int().min(0).max(9) }),
  }),
  result: z.object({ tag: Tag }),
})

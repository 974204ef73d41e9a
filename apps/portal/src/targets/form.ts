/** Draft, validation, and request bodies of the target form. */
import type { InputOf } from '@glacis/contract/endpoint'
import { type CheckPermission, nameLengthMax, type ScanProfile } from '@glacis/contract/primitives'
import type { Tag } from '@glacis/contract/tag'
import {
  type AllowedHours,
  type createTarget,
  ratePerHost,
  type SchedulePeriod,
  type Target,
  type updateTarget,
} from '@glacis/contract/target'
import type { ApiFailure } from '#api/failure.ts'

export interface TargetDraft {
  readonly name: string
  readonly address: string
  readonly period: SchedulePeriod
  /** Undefined if scans may run at any time. */
  readonly hours: AllowedHours | undefined
  /** ID of the agent; empty for none. */
  readonly agentId: string
  /** ID of the responsible member; empty for none. */
  readonly ownerId: string
  readonly tags: readonly Tag[]
  readonly profile: ScanProfile
  /** Kinds of intrusive checks that may run. */
  readonly permissions: readonly CheckPermission[]
  readonly ports: string
  /** As typed; empty for the profile's default. */
  readonly rate: string
  /** One per line. */
  readonly exclusions: string
  /** The user's confirmation that they may scan the address. Required for new targets on the internet. */
  readonly isPermitted: boolean
}
export type DraftField = keyof TargetDraft
export type FieldErrors = Readonly<Partial<Record<DraftField, string>>>

export const emptyDraft: TargetDraft = {
  name: '',
  address: '',
  period: 'PERIOD_WEEKLY',
  hours: undefined,
  agentId: '',
  ownerId: '',
  tags: [],
  profile: 'gentle',
  permissions: [],
  ports: '',
  rate: '',
  exclusions: '',
  isPermitted: false,
}

/** Option value for a deleted agent that hasn't been replaced. */
export const formerAgentId = 'former'

export function toDraft(target: Target): TargetDraft {
  const { name, address, schedule, agent, formerAgent, tags } = target
  return {
    ...emptyDraft,
    name,
    address,
    period: schedule.period,
    hours: schedule.allowedHours,
    agentId: agent?.id ?? (formerAgent ? formerAgentId : ''),
    ownerId: target.owner?.id ?? '',
    tags,
    profile: target.profile ?? 'gentle',
    permissions: target.permissions ?? [],
    ports: target.ports ?? '',
    rate: target.ratePerHost?.toString() ?? '',
    exclusions: target.exclusions?.join('\n') ?? '',
  }
}

/** Validation errors by field. */
export function validate({ name, address, hours, rate }: TargetDraft): FieldErrors {
  const problems: Partial<Record<DraftField, string>> = {}
  if (name.trim() === '') problems.name = 'Required'
  else if (name.trim().length > nameLengthMax)
    problems.name = `String must contain at most ${nameLengthMax} character(s)`
  if (address.trim() === '') problems.address = 'Required'
  else if (isList(address)) problems.address = listError
  if (hours && (hours.start === '' || hours.end === '')) problems.hours = 'Enter a start and an end time'
  if (hours?.days?.length === 0) problems.hours = 'Choose at least one day'
  if (rate.trim() !== '' && !isRate(Number(rate)))
    problems.rate = `Enter a whole number from ${ratePerHost.min} to ${ratePerHost.max}, or leave it empty`
  return problems
}

/** Shown for a list in the address field. The server's error would repeat the whole list. */
export const listError =
  'This looks like a list. A target has one hostname, address, range, network, or URL. Use “Paste a list” to add several.'

/** True for text that contains several addresses. */
export function isList(address: string): boolean {
  const parts = address.split(/[\s,;]+/).filter(Boolean)
  return parts.length > 1 && parts.filter((word) => /[.:]/.test(word)).length > 1
}

interface HostPort {
  readonly host: string
  readonly port: string
}

/** The parts of `HOST:PORT` or `[IPV6]:PORT`, which limits scans to this port. Undefined for all other addresses. */
export function splitPort(address: string): HostPort | undefined {
  const [, host, port] = /^(\[[^\]]+\]|[^:/\s]+):(\d{1,5})$/.exec(address.trim()) ?? []
  const isPort = Number(port) > 0 && Number(port) <= 65_535
  return host && port && isPort ? { host, port } : undefined
}

function isRate(value: number): boolean {
  return Number.isInteger(value) && value >= ratePerHost.min && value <= ratePerHost.max
}

const toTagRefs = (tags: readonly Tag[]) => tags.map(({ id }) => ({ id }))
const splitLines = (text: string) =>
  text
    .split(/[\n,;]+/)
    .map((line) => line.trim())
    .filter(Boolean)
const parseRate = ({ rate }: TargetDraft) => (rate.trim() === '' ? null : Number(rate))
const toSchedule = ({ period, hours }: TargetDraft) => ({ period, ...(hours && { allowedHours: hours }) })

/** The request body for creating a target. */
export function toCreateBody(draft: TargetDraft): InputOf<typeof createTarget> {
  const { name, agentId, ownerId, tags, profile, permissions, isPermitted } = draft
  const { host: address, port: ports } = splitPort(draft.address) ?? { host: draft.address, port: draft.ports }
  const exclusions = splitLines(draft.exclusions)
  const rate = parseRate(draft)
  return {
    name: name.trim(),
    address: address.trim(),
    schedule: toSchedule(draft),
    ...(agentId && { agent: { id: agentId } }),
    ...(ownerId && { owner: { id: ownerId } }),
    tags: toTagRefs(tags),
    ...(profile !== emptyDraft.profile && { profile }),
    ...(permissions.length > 0 && { permissions: [...permissions] }),
    ...(ports.trim() !== '' && { ports: ports.trim() }),
    ...(rate !== null && { ratePerHost: rate }),
    ...(exclusions.length > 0 && { exclusions }),
    ...(isPermitted && { isPermitted }),
  }
}

/** For each update mask path, whether two drafts differ there. */
const differences: Readonly<Record<string, (before: TargetDraft, after: TargetDraft) => boolean>> = {
  name: (before, after) => after.name.trim() !== before.name,
  'schedule.period': (before, after) => after.period !== before.period,
  'schedule.allowedHours': (before, after) => JSON.stringify(after.hours) !== JSON.stringify(before.hours),
  agent: (before, after) => after.agentId !== before.agentId,
  owner: (before, after) => after.ownerId !== before.ownerId,
  tags: (before, after) => tagKey(after) !== tagKey(before),
  profile: (before, after) => after.profile !== before.profile,
  permissions: (before, after) => after.permissions.toSorted().join() !== before.permissions.toSorted().join(),
  ports: (before, after) => after.ports.trim() !== before.ports,
  ratePerHost: (before, after) => parseRate(after) !== parseRate(before),
  exclusions: (before, after) => splitLines(after.exclusions).join() !== splitLines(before.exclusions).join(),
}

/** The request body for an update: only changed fields, but always the tags. Undefined if nothing changed. */
export function toUpdateBody(
  id: string,
  before: TargetDraft,
  after: TargetDraft,
): InputOf<typeof updateTarget> | undefined {
  const paths = Object.keys(differences).filter((path) => differences[path]?.(before, after))
  if (paths.length === 0) return undefined
  const has = (path: string) => paths.includes(path)
  return {
    id,
    ...(has('name') && { name: after.name.trim() }),
    ...((has('schedule.period') || has('schedule.allowedHours')) && { schedule: toSchedule(after) }),
    ...(has('agent') && { agent: after.agentId ? { id: after.agentId } : null }),
    ...(has('owner') && { owner: after.ownerId ? { id: after.ownerId } : null }),
    ...(has('profile') && { profile: after.profile }),
    ...(has('permissions') && { permissions: [...after.permissions] }),
    ...(has('ports') && { ports: after.ports.trim() }),
    ...(has('ratePerHost') && { ratePerHost: parseRate(after) }),
    ...(has('exclusions') && { exclusions: splitLines(after.exclusions) }),
    tags: toTagRefs(after.tags),
    updateMask: { paths },
  }
}

/** True if closing the form would lose input. */
export function isChanged(before: TargetDraft, after: TargetDraft): boolean {
  return toUpdateBody('', before, after) !== undefined || before.address !== after.address
}

function tagKey({ tags }: TargetDraft): string {
  return tags
    .map(({ id }) => id)
    .sort()
    .join(' ')
}

/** Form fields named differently than in the API. */
const fields: Readonly<Record<string, DraftField>> = {
  // The API strips the leading resource name from error paths, so the agent's ID arrives as `id`.
  agent: 'agentId',
  owner: 'ownerId',
  id: 'agentId',
  ratePerHost: 'rate',
}
const sameNamedFields = [
  'name',
  'address',
  'tags',
  'profile',
  'permissions',
  'ports',
  'exclusions',
  'isPermitted',
] as const

/** Maps a path in an API error to the form field. */
export function fieldForPath(path: string): DraftField | undefined {
  if (path.startsWith('schedule')) return path.startsWith('schedule.allowedHours') ? 'hours' : 'period'
  const [first = ''] = path.split(/[.[]/)
  return fields[first] ?? sameNamedFields.find((name) => name === first)
}

/** The errors of a failed call that belong to fields. */
export function toFieldErrors(failure: ApiFailure): FieldErrors {
  const problems: Partial<Record<DraftField, string>> = {}
  for (const [path, description] of failure.fieldErrors) {
    const field = fieldForPath(path)
    if (field) problems[field] = description
  }
  return problems
}

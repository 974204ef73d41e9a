/** The rules of the target form, without the form. */
import type { InputOf } from '@glacis/contract/endpoint'
import { nameLengthMax, type ScanProfile } from '@glacis/contract/primitives'
import type { Tag } from '@glacis/contract/tag'
import {
  type AllowedHours,
  type createTarget,
  ratePerHost,
  type SchedulePeriod,
  type Target,
  type updateTarget,
} from '@glacis/contract/target'

export interface TargetDraft {
  readonly name: string
  readonly address: string
  readonly period: SchedulePeriod
  /** Undefined: scans may run at any time. */
  readonly hours: AllowedHours | undefined
  /** Id of the agent; empty for none. */
  readonly agentId: string
  readonly tags: readonly Tag[]
  readonly profile: ScanProfile
  readonly ports: string
  /** As typed; empty for what the profile says. */
  readonly rate: string
  /** One to a line. */
  readonly exclusions: string
  /** "I am allowed to scan this address"; asked of new targets on the internet. */
  readonly isPermitted: boolean
}
export type DraftField = keyof TargetDraft
export type Problems = Readonly<Partial<Record<DraftField, string>>>

export const emptyDraft: TargetDraft = {
  name: '',
  address: '',
  period: 'PERIOD_WEEKLY',
  hours: undefined,
  agentId: '',
  tags: [],
  profile: 'gentle',
  ports: '',
  rate: '',
  exclusions: '',
  isPermitted: false,
}

/** Stands for the deleted agent whose place nobody has taken, until something else is chosen. */
export const formerAgentId = 'former'

export function draftOf(target: Target): TargetDraft {
  const { name, address, schedule, agent, formerAgent, tags } = target
  return {
    ...emptyDraft,
    name,
    address,
    period: schedule.period,
    hours: schedule.allowedHours,
    agentId: agent?.id ?? (formerAgent ? formerAgentId : ''),
    tags,
    profile: target.profile ?? 'gentle',
    ports: target.ports ?? '',
    rate: target.ratePerHost?.toString() ?? '',
    exclusions: target.exclusions?.join('\n') ?? '',
  }
}

/** What keeps a draft from being sent, by field. */
export function problemsOf({ name, address, hours, rate }: TargetDraft): Problems {
  const problems: Partial<Record<DraftField, string>> = {}
  if (name.trim() === '') problems.name = 'Required'
  else if (name.trim().length > nameLengthMax)
    problems.name = `String must contain at most ${nameLengthMax} character(s)`
  if (address.trim() === '') problems.address = 'Required'
  else if (isList(address)) problems.address = listText
  if (hours && (hours.start === '' || hours.end === '')) problems.hours = 'Say when they begin and when they end'
  if (hours?.days?.length === 0) problems.hours = 'Choose at least one day'
  if (rate.trim() !== '' && !isRate(Number(rate)))
    problems.rate = `A whole number from ${ratePerHost.min} to ${ratePerHost.max}, or nothing`
  return problems
}

/** Said of a list in the place of an address, which would come back in full as what is wrong with it. */
export const listText =
  'This is a list. A target holds one host name, address, range, network or URL: “Paste a list” adds many at once.'

/** Several addresses in the place of one. */
export function isList(address: string): boolean {
  const words = address.split(/[\s,;]+/).filter(Boolean)
  return words.length > 1 && words.filter((word) => /[.:]/.test(word)).length > 1
}

function isRate(value: number): boolean {
  return Number.isInteger(value) && value >= ratePerHost.min && value <= ratePerHost.max
}

const idsOf = (tags: readonly Tag[]) => tags.map(({ id }) => ({ id }))
const linesOf = (text: string) =>
  text
    .split(/[\n,;]+/)
    .map((line) => line.trim())
    .filter(Boolean)
const rateOf = ({ rate }: TargetDraft) => (rate.trim() === '' ? null : Number(rate))
const scheduleOf = ({ period, hours }: TargetDraft) => ({ period, ...(hours && { allowedHours: hours }) })

/** The body that creates a target. */
export function creation(draft: TargetDraft): InputOf<typeof createTarget> {
  const { name, address, agentId, tags, profile, ports, isPermitted } = draft
  const exclusions = linesOf(draft.exclusions)
  const rate = rateOf(draft)
  return {
    name: name.trim(),
    address: address.trim(),
    schedule: scheduleOf(draft),
    ...(agentId && { agent: { id: agentId } }),
    tags: idsOf(tags),
    ...(profile !== emptyDraft.profile && { profile }),
    ...(ports.trim() !== '' && { ports: ports.trim() }),
    ...(rate !== null && { ratePerHost: rate }),
    ...(exclusions.length > 0 && { exclusions }),
    ...(isPermitted && { isPermitted }),
  }
}

/** Each path that a form can change, and when two drafts differ there. */
const differences: Readonly<Record<string, (before: TargetDraft, after: TargetDraft) => boolean>> = {
  name: (before, after) => after.name.trim() !== before.name,
  'schedule.period': (before, after) => after.period !== before.period,
  'schedule.allowedHours': (before, after) => JSON.stringify(after.hours) !== JSON.stringify(before.hours),
  agent: (before, after) => after.agentId !== before.agentId,
  tags: (before, after) => tagKey(after) !== tagKey(before),
  profile: (before, after) => after.profile !== before.profile,
  ports: (before, after) => after.ports.trim() !== before.ports,
  ratePerHost: (before, after) => rateOf(after) !== rateOf(before),
  exclusions: (before, after) => linesOf(after.exclusions).join() !== linesOf(before.exclusions).join(),
}

/**
 * The change from one draft to another: only what changed is sent and named, but tags always come along.
 * Nothing when nothing changed.
 */
export function changeBetween(
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
    ...((has('schedule.period') || has('schedule.allowedHours')) && { schedule: scheduleOf(after) }),
    ...(has('agent') && { agent: after.agentId ? { id: after.agentId } : null }),
    ...(has('profile') && { profile: after.profile }),
    ...(has('ports') && { ports: after.ports.trim() }),
    ...(has('ratePerHost') && { ratePerHost: rateOf(after) }),
    ...(has('exclusions') && { exclusions: linesOf(after.exclusions) }),
    tags: idsOf(after.tags),
    updateMask: { paths },
  }
}

/** True when closing would lose something. */
export function isChanged(before: TargetDraft, after: TargetDraft): boolean {
  return changeBetween('', before, after) !== undefined || before.address !== after.address
}

function tagKey({ tags }: TargetDraft): string {
  return tags
    .map(({ id }) => id)
    .sort()
    .join(' ')
}

/** Fields whose name is not that of the API's member. */
const fields: Readonly<Record<string, DraftField>> = {
  // A leading resource name is no part of a form's field, so the agent's id arrives as `id`.
  agent: 'agentId',
  id: 'agentId',
  ratePerHost: 'rate',
}
const sameNamed = ['name', 'address', 'tags', 'profile', 'ports', 'exclusions', 'isPermitted'] as const

/** The field of the form that a path of the API means. */
export function fieldOf(path: string): DraftField | undefined {
  if (path.startsWith('schedule')) return path.startsWith('schedule.allowedHours') ? 'hours' : 'period'
  const [first = ''] = path.split(/[.[]/)
  return fields[first] ?? sameNamed.find((name) => name === first)
}

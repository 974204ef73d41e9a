/** The rules of the target form, without the form. */
import { nameLengthMax } from '@glacis/contract/primitives'
import type { SchedulePeriod, Tag, Target } from '@glacis/contract/target'

export interface TargetDraft {
  readonly name: string
  readonly address: string
  readonly period: SchedulePeriod
  readonly tags: readonly Tag[]
}
export type DraftField = keyof TargetDraft

export const emptyDraft: TargetDraft = { name: '', address: '', period: 'PERIOD_WEEKLY', tags: [] }

export function draftOf({ name, address, schedule, tags }: Target): TargetDraft {
  return { name, address, period: schedule.period, tags }
}

/** What keeps a draft from being sent, by field. */
export function problemsOf({ name, address }: TargetDraft): Partial<Record<DraftField, string>> {
  const problems: Partial<Record<DraftField, string>> = {}
  if (name.trim() === '') problems.name = 'Required'
  else if (name.trim().length > nameLengthMax)
    problems.name = `String must contain at most ${nameLengthMax} character(s)`
  if (address.trim() === '') problems.address = 'Required'
  return problems
}

const idsOf = (tags: readonly Tag[]) => tags.map(({ id }) => ({ id }))

/** The body that creates a target. */
export function creation({ name, address, period, tags }: TargetDraft) {
  return { name: name.trim(), address: address.trim(), schedule: { period }, tags: idsOf(tags) }
}

/**
 * The change from one draft to another: only what changed is sent and named, but tags always come along.
 * Nothing when nothing changed.
 */
export function changeBetween(id: string, before: TargetDraft, after: TargetDraft) {
  const paths: string[] = []
  if (after.name.trim() !== before.name) paths.push('name')
  if (after.period !== before.period) paths.push('schedule.period')
  if (tagKey(after) !== tagKey(before)) paths.push('tags')
  if (paths.length === 0) return undefined
  return {
    id,
    ...(paths.includes('name') && { name: after.name.trim() }),
    ...(paths.includes('schedule.period') && { schedule: { period: after.period } }),
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

/** The field of the form that a path of the API means. */
export function fieldOf(path: string): DraftField | undefined {
  const [first] = path.split(/[.[]/)
  if (first === 'schedule') return 'period'
  return first === 'name' || first === 'address' || first === 'tags' ? first : undefined
}

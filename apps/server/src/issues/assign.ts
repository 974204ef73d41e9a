import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type { Issue } from '@glacis/contract/issue'
import type * as contract from '@glacis/contract/triage'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { anyOf } from '#database/any-of.ts'
import { invalid, notFound, unchangeable } from '#errors.ts'
import type { Targets } from '#inventory/index.ts'
import { decisionTime } from '#issues/decide.ts'
import { formatDay } from '#issues/decision.ts'
import { announceChanges, recordNotes } from '#issues/history.ts'
import { getIssue } from '#issues/list.ts'
import { timeOf } from '#issues/selection.ts'
import { setTags } from '#issues/tags.ts'

/** The fields that can be changed for many issues at once. */
export const ownershipPaths = ['assigneeId', 'dueTime'] as const

/** A change of assignee or due date that was validated. Absent fields stay. */
export interface Ownership {
  readonly assignee?: { readonly id: string; readonly name: string } | null
  readonly due?: { readonly at: Date; readonly day: string } | null
}

/** An issue that was locked for a change. */
export interface OwnedIssue {
  readonly id: string
  readonly assignee_id: string | null
  readonly due_at: Date | null
  /** When the change takes place: after all previous ones. */
  readonly at: Date
}

/**
 * Changes the assignee, due date, or tags of an issue.
 *
 * @throws ApiError `not_found`; `invalid` for a field that can't be changed, a user outside the
 * workspace or an unknown tag
 */
export async function updateIssue(
  ctx: Ctx,
  { id, issue, updateMask }: ParsedInputOf<typeof contract.updateIssue>,
  targets: Targets,
): Promise<{ issue: Issue }> {
  const named = requirePaths(updateMask.paths, [...ownershipPaths, 'tags'])
  const before = await ctx.tx
    .selectFrom('issue')
    .select(['id', 'assignee_id', 'due_at', decisionTime(ctx).as('at')])
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!before) throw notFound('issue', id)
  await changeOwnership(ctx, [before], await ownershipOf(ctx, issue, named))
  if (named.includes('tags')) {
    await setTags(
      ctx,
      id,
      (issue.tags ?? []).map((tag) => tag.id),
    )
  }
  await recordAuditEvent(ctx, 'issue.update', { kind: 'issue', id }, issue)
  return getIssue(ctx, { id }, targets)
}

/** @throws ApiError `invalid` for a path that isn't allowed */
export function requirePaths<Path extends string>(named: readonly string[], allowed: readonly Path[]): Path[] {
  return named.map((path) => {
    const known = allowed.find((item) => item === path)
    if (!known) throw unchangeable(path, allowed)
    return known
  })
}

/** Validates the named fields. @throws ApiError `invalid` for a user outside the workspace */
export async function ownershipOf(
  ctx: Ctx,
  { assigneeId = null, dueTime = null }: ParsedInputOf<typeof contract.updateIssue>['issue'],
  named: readonly string[],
): Promise<Ownership> {
  return {
    ...(named.includes('assigneeId') && { assignee: await memberOf(ctx, assigneeId) }),
    ...(named.includes('dueTime') && { due: await dueOf(ctx, dueTime) }),
  }
}

/** Changes the issues that differ, and returns them as they were. The issues must be locked. */
export async function changeOwnership(
  ctx: Ctx,
  issues: readonly OwnedIssue[],
  { assignee, due }: Ownership,
): Promise<readonly OwnedIssue[]> {
  const isReassigned = (row: OwnedIssue) => assignee !== undefined && row.assignee_id !== (assignee?.id ?? null)
  const isRescheduled = (row: OwnedIssue) => due !== undefined && row.due_at?.getTime() !== due?.at.getTime()
  const changed = issues.filter((row) => isReassigned(row) || isRescheduled(row))
  if (changed.length === 0) return changed
  const now = timeOf(ctx, changed)
  const ids = idsOf(changed)
  await ctx.tx
    .updateTable('issue')
    .set({
      ...(assignee !== undefined && { assignee_id: assignee?.id ?? null }),
      ...(due !== undefined && { due_at: due?.at ?? null }),
      updated_at: now,
    })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', anyOf(ids))
    .execute()
  const note = (rows: readonly OwnedIssue[], text: string) =>
    recordNotes({ ...ctx, now }, { ids: idsOf(rows), hostId: null }, text)
  await note(changed.filter(isReassigned), assignee ? `Assigned to ${assignee.name}` : 'Unassigned')
  await note(changed.filter(isRescheduled), due ? `Due date set to ${due.day}` : 'Due date removed')
  await announceChanges({ ...ctx, now }, ids)
  return changed
}

function idsOf(issues: readonly OwnedIssue[]): string[] {
  return issues.map(({ id }) => id)
}

/** The day is the one in the time zone of the workspace. */
async function dueOf(ctx: Ctx, dueTime: string | null): Promise<{ at: Date; day: string } | null> {
  if (dueTime === null) return null
  const at = new Date(dueTime)
  const { time_zone: timeZone } = await ctx.tx
    .selectFrom('workspace')
    .select('time_zone')
    .where('id', '=', ctx.workspace)
    .executeTakeFirstOrThrow()
  return { at, day: formatDay(at, timeZone) }
}

async function memberOf(ctx: Ctx, identityId: string | null): Promise<{ id: string; name: string } | null> {
  if (identityId === null) return null
  const member = await ctx.tx
    .selectFrom('member')
    .select(['identity_id as id', 'name'])
    .where('account_id', '=', ctx.workspace)
    .where('identity_id', '=', identityId)
    .where('left_at', 'is', null)
    .executeTakeFirst()
  if (!member) throw invalid('issue.assigneeId', 'This user is not a member of the workspace')
  return member
}

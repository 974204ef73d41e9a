import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type { Issue } from '@glacis/contract/issue'
import type * as contract from '@glacis/contract/triage'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { invalid, notFound, unchangeable } from '#errors.ts'
import type { Targets } from '#inventory/index.ts'
import { recordNote } from '#issues/history.ts'
import { getIssue } from '#issues/list.ts'
import { setTags } from '#issues/tags.ts'

const paths = ['assigneeId', 'dueTime', 'tags'] as const
type Path = (typeof paths)[number]

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
  const named = updateMask.paths.map(knownPath)
  const { dueTime = null } = issue
  const before = await ctx.tx
    .selectFrom('issue')
    .select('assignee_id')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!before) throw notFound('issue', id)
  const assignee = named.includes('assigneeId') ? await memberOf(ctx, issue.assigneeId ?? null) : undefined
  const change = {
    ...(assignee !== undefined && { assignee_id: assignee?.id ?? null }),
    ...(named.includes('dueTime') && { due_at: dueTime === null ? null : new Date(dueTime) }),
  }
  await ctx.tx
    .updateTable('issue')
    .set({ ...change, updated_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .execute()
  if (assignee !== undefined && (assignee?.id ?? null) !== before.assignee_id)
    await recordNote(ctx, { id, hostId: null }, assignee ? `Assigned to ${assignee.name}` : 'Unassigned')
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

function knownPath(path: string): Path {
  const allowed = paths.find((item) => item === path)
  if (!allowed) throw unchangeable(path, paths)
  return allowed
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

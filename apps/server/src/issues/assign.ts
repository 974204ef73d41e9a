import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type { Issue } from '@glacis/contract/issue'
import type * as contract from '@glacis/contract/triage'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { invalid, notFound } from '#errors.ts'
import type { Targets } from '#inventory/index.ts'
import { getIssue } from '#issues/list.ts'
import { setTags } from '#issues/tags.ts'

const paths = ['assigneeId', 'dueTime', 'tags'] as const
type Path = (typeof paths)[number]

/**
 * Changes the assignee, due date or tags of an issue.
 *
 * @throws ApiError `not_found`; `invalid` for a field that can't be changed, a user outside the
 * account or an unknown tag
 */
export async function updateIssue(
  ctx: Ctx,
  { id, issue, updateMask }: ParsedInputOf<typeof contract.updateIssue>,
  targets: Targets,
): Promise<{ issue: Issue }> {
  const named = updateMask.paths.map(knownPath)
  const { assigneeId = null, dueTime = null } = issue
  const change = {
    ...(named.includes('assigneeId') && { assignee_id: await memberOf(ctx, assigneeId) }),
    ...(named.includes('dueTime') && { due_at: dueTime === null ? null : new Date(dueTime) }),
  }
  const changed = await ctx.tx
    .updateTable('issue')
    .set({ ...change, updated_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (!changed) throw notFound('issue', id)
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
  if (!allowed)
    throw invalid('updateMask.paths', `'${path}' can't be changed. These fields can be: ${paths.join(', ')}`)
  return allowed
}

async function memberOf(ctx: Ctx, identityId: string | null): Promise<string | null> {
  if (identityId === null) return null
  const member = await ctx.tx
    .selectFrom('member')
    .select('identity_id')
    .where('account_id', '=', ctx.workspace)
    .where('identity_id', '=', identityId)
    .where('left_at', 'is', null)
    .executeTakeFirst()
  if (!member) throw invalid('issue.assigneeId', 'This user is not a member of the workspace')
  return member.identity_id
}

import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type { Issue } from '@glacis/contract/issue'
import type * as contract from '@glacis/contract/triage'
import { record } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { invalid, notFound } from '#errors.ts'
import type { Targets } from '#inventory/index.ts'
import { getIssue } from '#issues/list.ts'

const paths = ['assigneeId', 'dueTime'] as const
type Path = (typeof paths)[number]

/**
 * Gives an issue to a person or a date, or takes either away.
 *
 * @throws Refusal `not_found`; `invalid` for a path that cannot be changed or a stranger to the account
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
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (!changed) throw notFound('issue', id)
  await record(ctx, 'issue.update', { kind: 'issue', id }, issue)
  return getIssue(ctx, { id }, targets)
}

function knownPath(path: string): Path {
  const known = paths.find((one) => one === path)
  if (!known) throw invalid('updateMask.paths', `There is no member ${path} to change; there are ${paths.join(', ')}`)
  return known
}

async function memberOf(ctx: Ctx, identityId: string | null): Promise<string | null> {
  if (identityId === null) return null
  const member = await ctx.tx
    .selectFrom('account')
    .select('identity_id')
    .where('id', '=', ctx.account)
    .where('identity_id', '=', identityId)
    .executeTakeFirst()
  if (!member) throw invalid('issue.assigneeId', 'There is no such person in this account')
  return member.identity_id
}

import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/triage'
import type { Comment } from '@glacis/contract/triage'
import { errorReasons } from '@glacis/contract/role'
import { recordAuditEvent } from '#audit.ts'
import type { Selectable } from 'kysely'
import type { Ctx } from '#ctx.ts'
import type { IssueCommentTable } from '#database/tables/issues.ts'
import { newId } from '#database/index.ts'
import { cutPage, readPage } from '#database/page.ts'
import { ApiError, invalid, notFound } from '#errors.ts'
import type { Jobs } from '#jobs.ts'
import { requireIssue } from '#issues/list.ts'

/** @throws ApiError `not_found` */
export async function listComments(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listComments>,
): Promise<ResultOf<typeof contract.listComments>> {
  await requireIssue(ctx, input.id)
  const page = readPage(input, ['comments', input.id])
  let query = ctx.tx
    .selectFrom('issue_comment')
    .select(['id', 'text', 'actor', 'actor_id', 'mentions', 'created_at'])
    .where('account_id', '=', ctx.workspace)
    .where('issue_id', '=', input.id)
    .orderBy('id', 'desc')
    .limit(page.size + 1)
  if (page.after) query = query.where('id', '<', String(page.after[0]))
  const { rows, nextPageToken } = cutPage(page, await query.execute(), (row) => [row.id])
  return { comments: rows.map(toComment), nextPageToken }
}

/**
 * Adds a comment and emails it to the members it mentions.
 *
 * @throws ApiError `not_found`; `invalid` for a mention of someone who isn't a member
 */
export async function createComment(
  ctx: Ctx,
  jobs: Pick<Jobs, 'enqueue'>,
  { id, text, mentionIds = [] }: ParsedInputOf<typeof contract.createComment>,
): Promise<{ comment: Comment }> {
  await requireIssue(ctx, id)
  const mentions = [...new Set(mentionIds)]
  await requireMembers(ctx, mentions)
  const row = await ctx.tx
    .insertInto('issue_comment')
    .values({
      account_id: ctx.workspace,
      id: newId(),
      issue_id: id,
      text,
      actor: ctx.actor.name,
      actor_id: ctx.actor.id ?? null,
      mentions,
      created_at: ctx.now,
    })
    .returning(['id', 'text', 'actor', 'actor_id', 'mentions', 'created_at'])
    .executeTakeFirstOrThrow()
  for (const memberId of mentions.filter((mention) => mention !== ctx.actor.id))
    await jobs.enqueue(ctx.tx, 'mention', { account: ctx.workspace, commentId: row.id, memberId })
  await recordAuditEvent(ctx, 'issue.comment', { kind: 'issue', id }, { commentId: row.id })
  return { comment: toComment(row) }
}

/** @throws ApiError `not_found`; `forbidden` for an analyst who didn't write it */
export async function deleteComment(
  ctx: Ctx,
  { id, commentId }: ParsedInputOf<typeof contract.deleteComment>,
): Promise<Record<string, never>> {
  await requireOwnComment(ctx, commentId)
  const deleted = await ctx.tx
    .deleteFrom('issue_comment')
    .where('account_id', '=', ctx.workspace)
    .where('issue_id', '=', id)
    .where('id', '=', commentId)
    .returning('id')
    .executeTakeFirst()
  if (!deleted) throw notFound('comment', commentId)
  await recordAuditEvent(ctx, 'issue.uncomment', { kind: 'issue', id }, { commentId })
  return {}
}

async function requireMembers(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const rows = await ctx.tx
    .selectFrom('member')
    .select('identity_id')
    .where('account_id', '=', ctx.workspace)
    .where('identity_id', 'in', ids)
    .where('left_at', 'is', null)
    .execute()
  const unknown = ids.find((id) => !rows.some((row) => row.identity_id === id))
  if (unknown !== undefined) throw invalid('mentionIds', `No member of the workspace has the ID ${unknown}`)
}

/** Any editor can delete a comment without a known author. */
async function requireOwnComment(ctx: Ctx, id: string): Promise<void> {
  if (ctx.actor.role !== 'analyst') return
  const comment = await ctx.tx
    .selectFrom('issue_comment')
    .select('actor_id')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!comment || comment.actor_id === null || comment.actor_id === ctx.actor.id) return
  throw new ApiError('forbidden', "Only an owner or admin can delete other members' comments", {
    reason: errorReasons.role,
    metadata: { role: 'analyst', allowedRoles: 'owner,admin' },
  })
}

type Row = Pick<Selectable<IssueCommentTable>, 'id' | 'text' | 'actor' | 'actor_id' | 'mentions' | 'created_at'>

function toComment({ id, text, actor, actor_id: actorId, mentions, created_at }: Row): Comment {
  return {
    id,
    text,
    actor,
    ...(actorId !== null && { actorId }),
    mentionIds: mentions,
    createTime: created_at.toISOString(),
  }
}

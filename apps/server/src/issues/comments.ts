import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/triage'
import type { Comment } from '@glacis/contract/triage'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { cutPage, readPage } from '#database/page.ts'
import { notFound } from '#errors.ts'
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
    .select(['id', 'text', 'actor', 'created_at'])
    .where('account_id', '=', ctx.account)
    .where('issue_id', '=', input.id)
    .orderBy('id', 'desc')
    .limit(page.size + 1)
  if (page.after) query = query.where('id', '<', String(page.after[0]))
  const { rows, nextPageToken } = cutPage(page, await query.execute(), (row) => [row.id])
  return { comments: rows.map(toComment), nextPageToken }
}

/** @throws ApiError `not_found` */
export async function createComment(
  ctx: Ctx,
  { id, text }: ParsedInputOf<typeof contract.createComment>,
): Promise<{ comment: Comment }> {
  await requireIssue(ctx, id)
  const row = await ctx.tx
    .insertInto('issue_comment')
    .values({
      account_id: ctx.account,
      id: newId(),
      issue_id: id,
      text,
      actor: ctx.actor.name,
      created_at: ctx.now,
    })
    .returning(['id', 'text', 'actor', 'created_at'])
    .executeTakeFirstOrThrow()
  await recordAuditEvent(ctx, 'issue.comment', { kind: 'issue', id }, { commentId: row.id })
  return { comment: toComment(row) }
}

/** @throws ApiError `not_found` */
export async function deleteComment(
  ctx: Ctx,
  { id, commentId }: ParsedInputOf<typeof contract.deleteComment>,
): Promise<Record<string, never>> {
  const deleted = await ctx.tx
    .deleteFrom('issue_comment')
    .where('account_id', '=', ctx.account)
    .where('issue_id', '=', id)
    .where('id', '=', commentId)
    .returning('id')
    .executeTakeFirst()
  if (!deleted) throw notFound('comment', commentId)
  await recordAuditEvent(ctx, 'issue.uncomment', { kind: 'issue', id }, { commentId })
  return {}
}

function toComment(row: { id: string; text: string; actor: string; created_at: Date }): Comment {
  return { id: row.id, text: row.text, actor: row.actor, createTime: row.created_at.toISOString() }
}

import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/triage'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage } from '#database/page.ts'
import { requireIssue } from '#issues/list.ts'
import { sql } from 'kysely'

/**
 * The evidence of an issue, best first. Secrets were already masked by the scanner and are not
 * stored anywhere.
 *
 * @throws ApiError `not_found`
 */
export async function listEvidence(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listEvidence>,
): Promise<ResultOf<typeof contract.listEvidence>> {
  await requireIssue(ctx, input.id)
  const { id, hostId } = input
  const page = readPage(input, ['evidence', id, hostId])
  let query = ctx.tx
    .selectFrom('occurrence')
    .select(['id', 'host_id', 'status', 'quality', 'evidence', 'last_seen_at'])
    .where('account_id', '=', ctx.workspace)
    .where('issue_id', '=', id)
    .orderBy('quality', 'desc')
    .orderBy('id', 'desc')
    .limit(page.size + 1)
  if (hostId) query = query.where('host_id', '=', hostId)
  if (page.after)
    query = query.where(sql<boolean>`(quality, id) < (${page.after[0]}::smallint, ${page.after[1]}::uuid)`)
  const { rows, nextPageToken } = cutPage(page, await query.execute(), (row) => [row.quality, row.id])
  const evidence = rows.map((row) => ({
    ...row.evidence,
    hostId: row.host_id,
    status: row.status,
    time: row.last_seen_at.toISOString(),
  }))
  return { evidence, nextPageToken }
}

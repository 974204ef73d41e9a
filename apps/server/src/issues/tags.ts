/** Tags of issues. They are shared with targets. */
import type { Tag } from '@glacis/contract/tag'
import type { Ctx } from '#ctx.ts'
import { anyOf } from '#database/any-of.ts'
import { invalid } from '#errors.ts'
import { sql } from 'kysely'

/** Replaces the tags of an issue. @throws ApiError `invalid` if a tag doesn't exist */
export async function setTags(ctx: Ctx, issueId: string, tagIds: readonly string[]): Promise<void> {
  const { rows } = await sql<{ tag_id: string }>`
    with gone as (
      delete from issue_tag
      where account_id = ${ctx.workspace} and issue_id = ${issueId} and not tag_id = any(${tagIds}::uuid[])
    ), wanted as (
      -- A concurrent deletion of the tag waits, and removes it from this issue too.
      select id from tag where account_id = ${ctx.workspace} and id = any(${tagIds}::uuid[]) for key share
    ), written as (
      insert into issue_tag (account_id, issue_id, tag_id)
      select ${ctx.workspace}, ${issueId}, id from wanted
      on conflict do nothing
    )
    select id as tag_id from wanted`.execute(ctx.tx)
  const known = new Set(rows.map((row) => row.tag_id))
  const missing = tagIds.find((id) => !known.has(id))
  if (missing) throw invalid('issue.tags', `No tag has the ID ${missing}`)
}

/** The tags of each issue, sorted by name. Issues without tags are not included. */
export async function tagsOf(ctx: Ctx, issueIds: readonly string[]): Promise<ReadonlyMap<string, Tag[]>> {
  const rows = await ctx.tx
    .selectFrom('issue_tag')
    .innerJoin('tag', (join) =>
      join.onRef('tag.account_id', '=', 'issue_tag.account_id').onRef('tag.id', '=', 'issue_tag.tag_id'),
    )
    .select(['issue_tag.issue_id', 'tag.id', 'tag.name', 'tag.color'])
    .where('issue_tag.account_id', '=', ctx.workspace)
    .where('issue_tag.issue_id', '=', anyOf(issueIds))
    .orderBy('tag.name')
    .execute()
  const tags = new Map<string, Tag[]>()
  for (const { issue_id: issueId, ...tag } of rows) tags.set(issueId, [...(tags.get(issueId) ?? []), tag])
  return tags
}

import type { Tag } from '@glacis/contract/target'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { Refusal } from '#errors.ts'
import { sql } from 'kysely'

export async function listTags(ctx: Ctx): Promise<{ tags: Tag[] }> {
  const tags = await ctx.tx
    .selectFrom('tag')
    .select(['id', 'name', 'color'])
    .where('account_id', '=', ctx.account)
    .orderBy('name')
    .execute()
  return { tags }
}

/** Makes a tag; a name that exists already, in any letter case, gives back the tag of that name. */
export async function createTag(ctx: Ctx, input: { tag: { name: string; color: number } }): Promise<{ tag: Tag }> {
  await ctx.tx
    .insertInto('tag')
    .values({ account_id: ctx.account, id: newId(), ...input.tag })
    .onConflict((conflict) => conflict.expression(sql`account_id, lower(name)`).doNothing())
    .execute()
  const tag = await ctx.tx
    .selectFrom('tag')
    .select(['id', 'name', 'color'])
    .where('account_id', '=', ctx.account)
    .where(sql`lower(name)`, '=', input.tag.name.toLowerCase())
    .executeTakeFirstOrThrow()
  return { tag }
}

/** Makes `tagIds` the tags of a target. @throws Refusal `invalid` when one of them does not exist. */
export async function setTags(ctx: Ctx, targetId: string, tagIds: readonly string[]): Promise<void> {
  const wanted = [...new Set(tagIds)]
  await ctx.tx
    .deleteFrom('target_tag')
    .where('account_id', '=', ctx.account)
    .where('target_id', '=', targetId)
    .execute()
  if (wanted.length === 0) return
  const known = await ctx.tx
    .selectFrom('tag')
    .select('id')
    .where('account_id', '=', ctx.account)
    .where('id', 'in', wanted)
    .execute()
  const missing = wanted.find((id) => !known.some((tag) => tag.id === id))
  if (missing) {
    const violation = { field: 'tags', description: `There is no tag ${missing}` }
    throw new Refusal('invalid', violation.description, { violations: [violation] })
  }
  await ctx.tx
    .insertInto('target_tag')
    .values(wanted.map((tag_id) => ({ account_id: ctx.account, target_id: targetId, tag_id })))
    .execute()
}

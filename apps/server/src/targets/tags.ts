import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/tag'
import type { Tag } from '@glacis/contract/tag'
import { record } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { unlessTaken } from '#database/unique.ts'
import { invalid, masked, notFound, Refusal } from '#errors.ts'
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
    .where(sameName(input.tag.name))
    .executeTakeFirstOrThrow()
  return { tag }
}

/**
 * Changes the name or the colour of a tag.
 *
 * @throws Refusal `not_found`; `invalid` for a path that cannot be changed; `conflict` when another
 *   tag has the name
 */
export async function updateTag(
  ctx: Ctx,
  { id, tag, updateMask }: ParsedInputOf<typeof contract.updateTag>,
): Promise<{ tag: Tag }> {
  const { name, color } = masked(tag, updateMask.paths, ['name', 'color'])
  await mustBeFree(ctx, id, name)
  const changed = await unlessTaken(
    ctx.tx
      .updateTable('tag')
      .set({ id, ...(name !== undefined && { name }), ...(color !== undefined && { color }) })
      .where('account_id', '=', ctx.account)
      .where('id', '=', id)
      .returning(['id', 'name', 'color'])
      .executeTakeFirst(),
    () => nameTaken(name ?? ''),
  )
  if (!changed) throw notFound('tag', id)
  await record(ctx, 'tag.update', { kind: 'tag', id }, { paths: updateMask.paths })
  return { tag: changed }
}

async function mustBeFree(ctx: Ctx, id: string, name: string | undefined): Promise<void> {
  if (name === undefined) return
  const other = await ctx.tx
    .selectFrom('tag')
    .select('id')
    .where('account_id', '=', ctx.account)
    .where(sameName(name))
    .where('id', '!=', id)
    .executeTakeFirst()
  if (other) throw nameTaken(name, { tagId: other.id })
}

function nameTaken(name: string, metadata: Readonly<Record<string, string>> = {}): Refusal {
  return new Refusal('conflict', `Another tag is called ${name}`, { metadata })
}

/** The database says which letters are one: it has many rules for that, and other ones than this language. */
function sameName(name: string) {
  return sql<boolean>`lower(name) = lower(${name})`
}

/** Deletes a tag; the targets and issues that had it stay. @throws Refusal `not_found` */
export async function deleteTag(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  const gone = await ctx.tx
    .deleteFrom('tag')
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  if (!gone) throw notFound('tag', id)
  await record(ctx, 'tag.delete', { kind: 'tag', id }, gone)
  return {}
}

/** Makes `tagIds` the tags of a target. @throws Refusal `invalid` when one of them does not exist. */
export async function setTags(ctx: Ctx, targetId: string, tagIds: readonly string[]): Promise<void> {
  await mustKnowTags(ctx, tagIds)
  await ctx.tx
    .deleteFrom('target_tag')
    .where('account_id', '=', ctx.account)
    .where('target_id', '=', targetId)
    .execute()
  await addTags(ctx, [targetId], tagIds)
}

/** Gives each of the targets each of the tags; what it has already stays. */
export async function addTags(ctx: Ctx, targetIds: readonly string[], tagIds: readonly string[]): Promise<void> {
  const rows = targetIds.flatMap((target_id) =>
    [...new Set(tagIds)].map((tag_id) => ({ account_id: ctx.account, target_id, tag_id })),
  )
  if (rows.length === 0) return
  await ctx.tx
    .insertInto('target_tag')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Takes each of the tags off each of the targets. */
export async function removeTags(ctx: Ctx, targetIds: readonly string[], tagIds: readonly string[]): Promise<void> {
  if (targetIds.length === 0 || tagIds.length === 0) return
  await ctx.tx
    .deleteFrom('target_tag')
    .where('account_id', '=', ctx.account)
    .where('target_id', 'in', targetIds)
    .where('tag_id', 'in', tagIds)
    .execute()
}

/**
 * Whoever deletes one of them at the same time waits, and takes it off what it is being given to.
 *
 * @throws Refusal `invalid` naming the first that the account does not have
 */
export async function mustKnowTags(ctx: Ctx, tagIds: readonly string[]): Promise<void> {
  if (tagIds.length === 0) return
  const known = await ctx.tx
    .selectFrom('tag')
    .select('id')
    .where('account_id', '=', ctx.account)
    .where('id', 'in', [...new Set(tagIds)])
    .orderBy('id')
    .forKeyShare()
    .execute()
  const missing = tagIds.find((id) => !known.some((tag) => tag.id === id))
  if (missing) throw invalid('tags', `There is no tag ${missing}`)
}

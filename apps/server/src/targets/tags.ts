import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/tag'
import type { Tag } from '@glacis/contract/tag'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { mapUniqueViolation } from '#database/unique-violation.ts'
import { invalid, masked, notFound, ApiError } from '#errors.ts'
import { requireMembers } from '#targets/ownership.ts'
import { sql } from 'kysely'

const columns = ['id', 'name', 'color', 'team'] as const

export async function listTags(ctx: Ctx): Promise<{ tags: Tag[] }> {
  const rows = await ctx.tx
    .selectFrom('tag')
    .select(columns)
    .where('account_id', '=', ctx.workspace)
    .orderBy('name')
    .execute()
  return { tags: rows.map(toTag) }
}

/** Creates a tag; returns the existing one if the name is taken, ignoring case. */
export async function createTag(
  ctx: Ctx,
  { tag: { name, color, team } }: ParsedInputOf<typeof contract.createTag>,
): Promise<{ tag: Tag }> {
  if (team) await requireMembers(ctx, team.memberIds, 'tag.team.memberIds')
  await ctx.tx
    .insertInto('tag')
    .values({ account_id: ctx.workspace, id: newId(), name, color, team: team ? [...new Set(team.memberIds)] : null })
    .onConflict((conflict) => conflict.expression(sql`account_id, lower(name)`).doNothing())
    .execute()
  const row = await ctx.tx
    .selectFrom('tag')
    .select(columns)
    .where('account_id', '=', ctx.workspace)
    .where(nameEquals(name))
    .executeTakeFirstOrThrow()
  return { tag: toTag(row) }
}

/**
 * Changes the name, color, or team of a tag.
 *
 * @throws ApiError `not_found`; `invalid` for a field that can't be changed or a person who isn't a member; `conflict` if another
 * tag has the name
 */
export async function updateTag(
  ctx: Ctx,
  { id, tag, updateMask }: ParsedInputOf<typeof contract.updateTag>,
): Promise<{ tag: Tag }> {
  const { name, color, team } = masked(tag, updateMask.paths, ['name', 'color', 'team'])
  if (team) await requireMembers(ctx, team.memberIds, 'tag.team.memberIds')
  await requireFreeName(ctx, id, name)
  const changed = await mapUniqueViolation(
    ctx.tx
      .updateTable('tag')
      .set({
        id,
        ...(name !== undefined && { name }),
        ...(color !== undefined && { color }),
        ...(team !== undefined && { team: team && [...new Set(team.memberIds)] }),
      })
      .where('account_id', '=', ctx.workspace)
      .where('id', '=', id)
      .returning(columns)
      .executeTakeFirst(),
    () => nameTaken(name ?? ''),
  )
  if (!changed) throw notFound('tag', id)
  await recordAuditEvent(ctx, 'tag.update', { kind: 'tag', id }, { paths: updateMask.paths })
  return { tag: toTag(changed) }
}

async function requireFreeName(ctx: Ctx, id: string, name: string | undefined): Promise<void> {
  if (name === undefined) return
  const other = await ctx.tx
    .selectFrom('tag')
    .select('id')
    .where('account_id', '=', ctx.workspace)
    .where(nameEquals(name))
    .where('id', '!=', id)
    .executeTakeFirst()
  if (other) throw nameTaken(name, { tagId: other.id })
}

function nameTaken(name: string, metadata: Readonly<Record<string, string>> = {}): ApiError {
  return new ApiError('conflict', `A tag named ${name} already exists`, { metadata })
}

/** Compared in the database, whose case folding differs from JavaScript's. */
function nameEquals(name: string) {
  return sql<boolean>`lower(name) = lower(${name})`
}

/** Deletes a tag and removes it from targets and issues. @throws ApiError `not_found` */
export async function deleteTag(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  const deleted = await ctx.tx
    .deleteFrom('tag')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  if (!deleted) throw notFound('tag', id)
  await recordAuditEvent(ctx, 'tag.delete', { kind: 'tag', id }, deleted)
  return {}
}

/** Replaces the tags of a target. @throws ApiError `invalid` if a tag doesn't exist */
export async function setTags(ctx: Ctx, targetId: string, tagIds: readonly string[]): Promise<void> {
  await requireTags(ctx, tagIds)
  await ctx.tx
    .deleteFrom('target_tag')
    .where('account_id', '=', ctx.workspace)
    .where('target_id', '=', targetId)
    .execute()
  await addTags(ctx, [targetId], tagIds)
}

/** Adds all tags to all targets; existing assignments are unchanged. */
export async function addTags(ctx: Ctx, targetIds: readonly string[], tagIds: readonly string[]): Promise<void> {
  const rows = targetIds.flatMap((target_id) =>
    [...new Set(tagIds)].map((tag_id) => ({ account_id: ctx.workspace, target_id, tag_id })),
  )
  if (rows.length === 0) return
  await ctx.tx
    .insertInto('target_tag')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Removes all tags from all targets. */
export async function removeTags(ctx: Ctx, targetIds: readonly string[], tagIds: readonly string[]): Promise<void> {
  if (targetIds.length === 0 || tagIds.length === 0) return
  await ctx.tx
    .deleteFrom('target_tag')
    .where('account_id', '=', ctx.workspace)
    .where('target_id', 'in', targetIds)
    .where('tag_id', 'in', tagIds)
    .execute()
}

/**
 * Locks the tags, so that a concurrent deletion waits and also removes the new assignments.
 *
 * @throws ApiError `invalid` with the first unknown tag
 */
export async function requireTags(ctx: Ctx, tagIds: readonly string[]): Promise<void> {
  if (tagIds.length === 0) return
  const known = await ctx.tx
    .selectFrom('tag')
    .select('id')
    .where('account_id', '=', ctx.workspace)
    .where('id', 'in', [...new Set(tagIds)])
    .orderBy('id')
    .forKeyShare()
    .execute()
  const missing = tagIds.find((id) => !known.some((tag) => tag.id === id))
  if (missing) throw invalid('tags', `No tag has the ID ${missing}`)
}

function toTag({ team, ...tag }: { id: string; name: string; color: number; team: string[] | null }): Tag {
  return { ...tag, ...(team && { team: { memberIds: team } }) }
}

/** Saved views: named filters of a portal page. */
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/view'
import type { View } from '@glacis/contract/view'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { cutPage, readPage } from '#database/page.ts'
import type { Tables } from '#database/tables.ts'
import { lockForLimit } from '#database/limit-lock.ts'
import { mapUniqueViolation } from '#database/unique-violation.ts'
import { masked, notFound, ApiError } from '#errors.ts'
import { type RawBuilder, type Selectable, sql } from 'kysely'

const viewsMax = 200

/** Saved views, oldest first: shared ones, and the private ones of the actor. */
export async function listViews(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listViews>,
): Promise<ResultOf<typeof contract.listViews>> {
  const { filter = {} } = input
  const page = readPage(input, ['views', filter])
  let query = ctx.tx
    .selectFrom('saved_view')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where(isVisibleTo(ctx))
    .orderBy('id')
    .limit(page.size + 1)
  if (page.after) query = query.where('id', '>', String(page.after[0]))
  if (filter.page) query = query.where('page', '=', filter.page)
  const { rows, nextPageToken } = cutPage(page, await query.execute(), (row) => [row.id])
  return { views: rows.map((row) => toView(ctx, row)), nextPageToken }
}

/**
 * @throws ApiError `conflict` for a name that exists on the page; `precondition` if the limit is
 * reached
 */
export async function createView(
  ctx: Ctx,
  { view }: ParsedInputOf<typeof contract.createView>,
): Promise<{ view: View }> {
  await lockForLimit(ctx, 'views')
  const { count } = await ctx.tx
    .selectFrom('saved_view')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', ctx.workspace)
    .executeTakeFirstOrThrow()
  if (Number(count) >= viewsMax)
    throw new ApiError('precondition', `You have reached the limit of ${viewsMax} views. Delete one first`)
  const row = await ctx.tx
    .insertInto('saved_view')
    .values({
      account_id: ctx.workspace,
      id: newId(),
      ...view,
      owner_id: ctx.actor.id ?? '',
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) throw nameTaken(view.name)
  return { view: toView(ctx, row) }
}

const paths = ['name', 'query', 'shared'] as const

/**
 * @throws ApiError `not_found`; `invalid` for a field that can't be changed; `conflict` for a name
 * that exists
 */
export async function updateView(
  ctx: Ctx,
  { id, view, updateMask }: ParsedInputOf<typeof contract.updateView>,
): Promise<{ view: View }> {
  const change = masked(view, updateMask.paths, paths)
  const row = await mapUniqueViolation(
    ctx.tx
      .updateTable('saved_view')
      .set({ ...change, updated_at: ctx.now })
      .where('account_id', '=', ctx.workspace)
      .where('id', '=', id)
      .where(isVisibleTo(ctx))
      .returningAll()
      .executeTakeFirst(),
    () => nameTaken(view.name ?? ''),
  )
  if (!row) throw notFound('view', id)
  return { view: toView(ctx, row) }
}

/** @throws ApiError `not_found` */
export async function deleteView(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  const deleted = await ctx.tx
    .deleteFrom('saved_view')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .where(isVisibleTo(ctx))
    .returning('id')
    .executeTakeFirst()
  if (!deleted) throw notFound('view', id)
  return {}
}

/** A private view is invisible to everyone but its owner. */
function isVisibleTo({ actor }: Ctx): RawBuilder<boolean> {
  return sql<boolean>`(shared or owner_id = ${actor.id ?? ''})`
}

function nameTaken(name: string): ApiError {
  return new ApiError('conflict', `A view named ${name} already exists on this page`)
}

function toView({ actor }: Ctx, row: Selectable<Tables['saved_view']>): View {
  return {
    id: row.id,
    name: row.name,
    page: row.page,
    query: row.query,
    shared: row.shared,
    isYours: row.owner_id === actor.id,
    createTime: row.created_at.toISOString(),
    updateTime: row.updated_at.toISOString(),
  }
}

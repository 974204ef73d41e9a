/** Saved views: a page of the portal with its filters, under a name. */
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/view'
import type { View } from '@glacis/contract/view'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { cutPage, readPage } from '#database/page.ts'
import type { Tables } from '#database/tables.ts'
import { takeTurn } from '#database/turn.ts'
import { unlessTaken } from '#database/unique.ts'
import { invalid, notFound, Refusal } from '#errors.ts'
import type { Selectable } from 'kysely'

const viewsMax = 200

/** The views, oldest first. */
export async function listViews(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listViews>,
): Promise<ResultOf<typeof contract.listViews>> {
  const { filter = {} } = input
  const page = readPage(input, ['views', filter])
  let query = ctx.tx
    .selectFrom('saved_view')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .orderBy('id')
    .limit(page.size + 1)
  if (page.after) query = query.where('id', '>', String(page.after[0]))
  if (filter.page) query = query.where('page', '=', filter.page)
  const { rows, nextPageToken } = cutPage(page, await query.execute(), (row) => [row.id])
  return { views: rows.map(toView), nextPageToken }
}

/** @throws Refusal `conflict` for a name that the page has already; `precondition` when there are too many */
export async function createView(
  ctx: Ctx,
  { view }: ParsedInputOf<typeof contract.createView>,
): Promise<{ view: View }> {
  await takeTurn(ctx, 'views')
  const { count } = await ctx.tx
    .selectFrom('saved_view')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', ctx.account)
    .executeTakeFirstOrThrow()
  if (Number(count) >= viewsMax) throw new Refusal('precondition', `There are ${viewsMax} views; delete one first`)
  const row = await ctx.tx
    .insertInto('saved_view')
    .values({ account_id: ctx.account, id: newId(), ...view, created_at: ctx.now, updated_at: ctx.now })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) throw nameTaken(view.name)
  return { view: toView(row) }
}

const paths = ['name', 'query', 'shared'] as const

/** @throws Refusal `not_found`; `invalid` for a path that cannot be changed; `conflict` for a name that is taken */
export async function updateView(
  ctx: Ctx,
  { id, view, updateMask }: ParsedInputOf<typeof contract.updateView>,
): Promise<{ view: View }> {
  const stranger = updateMask.paths.find((path) => !paths.some((one) => one === path))
  if (stranger) throw invalid('updateMask.paths', `There is no member ${stranger} to change`)
  const change = Object.fromEntries(
    paths.filter((path) => updateMask.paths.includes(path)).map((path) => [path, view[path]]),
  )
  if (Object.values(change).includes(undefined)) throw invalid('view', 'A member that the mask names is missing')
  const row = await unlessTaken(
    ctx.tx
      .updateTable('saved_view')
      .set({ ...change, updated_at: ctx.now })
      .where('account_id', '=', ctx.account)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst(),
    () => nameTaken(view.name ?? ''),
  )
  if (!row) throw notFound('view', id)
  return { view: toView(row) }
}

/** @throws Refusal `not_found` */
export async function deleteView(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  const deleted = await ctx.tx
    .deleteFrom('saved_view')
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (!deleted) throw notFound('view', id)
  return {}
}

function nameTaken(name: string): Refusal {
  return new Refusal('conflict', `There is a view “${name}” on this page already`)
}

function toView(row: Selectable<Tables['saved_view']>): View {
  return {
    id: row.id,
    name: row.name,
    page: row.page,
    query: row.query,
    shared: row.shared,
    createTime: row.created_at.toISOString(),
    updateTime: row.updated_at.toISOString(),
  }
}

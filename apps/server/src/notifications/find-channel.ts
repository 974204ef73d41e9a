import type { Ctx } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { notFound } from '#errors.ts'
import type { Selectable } from 'kysely'

/** Loads and locks a channel for an update. @throws ApiError `not_found` */
export async function lockChannel(ctx: Ctx, id: string): Promise<Selectable<Tables['channel']>> {
  const row = await requireChannel(ctx, id).forUpdate().executeTakeFirst()
  if (!row) throw notFound('channel', id)
  return row
}

/**
 * Loads a channel without a lock. A lock would assign a transaction ID, and events committed since
 * would wait for the transaction to end.
 *
 * @throws ApiError `not_found`
 */
export async function findChannel(ctx: Ctx, id: string): Promise<Selectable<Tables['channel']>> {
  const row = await requireChannel(ctx, id).executeTakeFirst()
  if (!row) throw notFound('channel', id)
  return row
}

function requireChannel(ctx: Ctx, id: string) {
  return ctx.tx.selectFrom('channel').selectAll().where('account_id', '=', ctx.workspace).where('id', '=', id)
}

import type { Ctx } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { notFound } from '#errors.ts'
import type { Selectable } from 'kysely'

/** Reads a channel for a change. @throws Refusal `not_found` */
export async function lock(ctx: Ctx, id: string): Promise<Selectable<Tables['channel']>> {
  const row = await existing(ctx, id).forUpdate().executeTakeFirst()
  if (!row) throw notFound('channel', id)
  return row
}

/**
 * Reads a channel to look at it, or to send through it: whoever locks counts as a writer, and until that is over nobody
 * is told of what happened since.
 *
 * @throws Refusal `not_found`
 */
export async function find(ctx: Ctx, id: string): Promise<Selectable<Tables['channel']>> {
  const row = await existing(ctx, id).executeTakeFirst()
  if (!row) throw notFound('channel', id)
  return row
}

function existing(ctx: Ctx, id: string) {
  return ctx.tx.selectFrom('channel').selectAll().where('account_id', '=', ctx.account).where('id', '=', id)
}

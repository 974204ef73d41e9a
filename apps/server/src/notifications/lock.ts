import type { Ctx } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { notFound } from '#errors.ts'
import type { Selectable } from 'kysely'

/** Reads a channel for a change. @throws Refusal `not_found` */
export async function lock(ctx: Ctx, id: string): Promise<Selectable<Tables['channel']>> {
  const row = await ctx.tx
    .selectFrom('channel')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('channel', id)
  return row
}

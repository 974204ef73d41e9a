/** Who counts what there is before adding to it: two at the same moment must not both take the last place. */
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

/** Waits until nobody else of the account adds to these; the turn ends with the transaction. */
export async function takeTurn(ctx: Ctx, these: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${these} ${ctx.account}`}, 0))`.execute(ctx.tx)
}

/** Serializes inserts that check a limit first, so that concurrent requests can't exceed it. */
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

/** Takes an advisory lock for one kind of resource of the workspace, released at the end of the transaction. */
export async function lockForLimit(ctx: Ctx, resource: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${resource} ${ctx.workspace}`}, 0))`.execute(ctx.tx)
}

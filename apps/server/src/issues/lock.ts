import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '#ctx.ts'

/**
 * Locks the issues that meet the condition in the order of their IDs. Every change locks its issues this way and before
 * their occurrences, so that concurrent changes wait for each other instead of ending in a deadlock.
 */
export async function lockIssues(ctx: Ctx, condition: RawBuilder<unknown>): Promise<void> {
  await sql`select from issue where account_id = ${ctx.workspace} and ${condition} order by id for update`.execute(
    ctx.tx,
  )
}

/** Locks the issues of the occurrences that meet the condition. */
export async function lockIssuesOf(ctx: Ctx, occurrences: RawBuilder<unknown>): Promise<void> {
  await lockIssues(
    ctx,
    sql`id in (select issue_id from occurrence where account_id = ${ctx.workspace} and ${occurrences})`,
  )
}

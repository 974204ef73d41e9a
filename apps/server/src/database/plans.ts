import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

/**
 * From here to its end, each statement of this transaction has one plan for all values, which its connection keeps.
 * For statements that name rows by their keys, and need the same indexes whatever the values are: to plan one of these
 * takes longer than to run it.
 */
export async function keepPlans(ctx: Ctx): Promise<void> {
  await sql`set local plan_cache_mode = force_generic_plan`.execute(ctx.tx)
}

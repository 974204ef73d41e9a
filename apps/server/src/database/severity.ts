/** Counts of active issues by severity, for the things that show them. */
import type { SeverityCount } from '@glacis/contract/primitives'
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

export const noIssues: SeverityCount = { critical: 0, high: 0, medium: 0, low: 0 }

/**
 * Active issues (open or regression) per target or host, as the issues room keeps them: an issue
 * counts once for each in which at least one of its occurrences is active.
 */
export async function activeIssues(
  ctx: Ctx,
  by: 'target_id' | 'host_id',
  ids: readonly string[],
): Promise<ReadonlyMap<string, SeverityCount>> {
  if (ids.length === 0) return new Map()
  const table = by === 'target_id' ? 'target_count' : 'host_count'
  const { rows } = await sql<SeverityCount & { id: string }>`
    select ${sql.ref(by)} as id, critical, high, medium, low
    from ${sql.table(table)}
    where account_id = ${ctx.account} and ${sql.ref(by)} = any(${ids}::uuid[])`.execute(ctx.tx)
  return new Map(rows.map(({ id, ...count }) => [id, count]))
}

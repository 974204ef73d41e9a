/** Counts of active issues by severity, for the things that show them. */
import type { SeverityCount } from '@glacis/contract/primitives'
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

export const noIssues: SeverityCount = { critical: 0, high: 0, medium: 0, low: 0 }

/**
 * Active issues (open or regression) per target, host or product: an issue counts once for each
 * in which at least one of its occurrences is active.
 */
export async function activeIssues(
  ctx: Ctx,
  by: 'target_id' | 'host_id',
  ids: readonly string[],
): Promise<ReadonlyMap<string, SeverityCount>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<SeverityCount & { id: string }>`
    select id,
           count(*) filter (where category = 'CATEGORY_CRITICAL')::int as critical,
           count(*) filter (where category = 'CATEGORY_HIGH')::int as high,
           count(*) filter (where category = 'CATEGORY_MEDIUM')::int as medium,
           count(*) filter (where category = 'CATEGORY_LOW')::int as low
    from (
      select distinct occurrence.${sql.ref(by)} as id, issue.id as issue_id, issue.category
      from occurrence
      join issue on issue.account_id = occurrence.account_id and issue.id = occurrence.issue_id
      where occurrence.account_id = ${ctx.account}
        and occurrence.${sql.ref(by)} = any(${ids}::uuid[])
        and occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION')
    ) as active
    group by id`.execute(ctx.tx)
  return new Map(rows.map(({ id, ...count }) => [id, count]))
}

/** Issue counts of a scan. */
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

/** Updates the issue counts of a scan from its results so far. */
export async function countIssues(ctx: Ctx, scanId: string): Promise<void> {
  await sql`
    update scan set
      critical = found.critical, high = found.high, medium = found.medium, low = found.low,
      new_count = found.fresh, resolved_count = found.resolved, regressive_count = found.regressive,
      affected_hosts = found.hosts
    from (
      select count(distinct issue.id) filter (where active and category = 'CATEGORY_CRITICAL') as critical,
             count(distinct issue.id) filter (where active and category = 'CATEGORY_HIGH') as high,
             count(distinct issue.id) filter (where active and category = 'CATEGORY_MEDIUM') as medium,
             count(distinct issue.id) filter (where active and category = 'CATEGORY_LOW') as low,
             count(distinct issue.id) filter (where change = 'NEW') as fresh,
             count(distinct issue.id) filter (where change = 'RESOLVED' and issue.status = 'STATUS_RESOLVED') as resolved,
             count(distinct issue.id) filter (where change = 'REGRESSION') as regressive,
             count(distinct host_id) filter (where active) as hosts
      from (
        select scan_issue.*, change <> 'RESOLVED' as active from scan_issue
        where account_id = ${ctx.workspace} and scan_id = ${scanId}
      ) as seen
      join issue on issue.account_id = seen.account_id and issue.id = seen.issue_id
    ) as found
    where scan.account_id = ${ctx.workspace} and scan.id = ${scanId}`.execute(ctx.tx)
}

/** Maximum number of recounts while a scan runs: each one takes longer than the last. */
const countsMax = 50

/** Updates the counts after a batch of a running scan, but not after every one of many batches. */
export async function countIssuesPeriodically(ctx: Ctx, scanId: string, batch: number): Promise<void> {
  const { rows } = await sql<{ total: number }>`
    select max(number) + 1 as total from scan_batch
    where account_id = ${ctx.workspace} and scan_id = ${scanId}`.execute(ctx.tx)
  if (batch % Math.ceil((rows[0]?.total ?? 1) / countsMax) === 0) await countIssues(ctx, scanId)
}

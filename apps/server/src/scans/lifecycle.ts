/** How a scan moves from one status to the next, and what is counted when it ends. */
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { storable } from '#database/text.ts'
import type { Jobs } from '#jobs.ts'
import { sql } from 'kysely'

/** Batches of one scan that are queued at a time, so that a large scan cannot fill the queue. */
const batchesQueuedMax = 4

/** Writes one line of the scan's own log, which its page shows. */
export async function say(
  ctx: Ctx,
  scanId: string,
  level: 'LEVEL_INFO' | 'LEVEL_WARN' | 'LEVEL_ERROR',
  message: string,
): Promise<void> {
  await ctx.tx
    .insertInto('scan_event')
    .values({
      account_id: ctx.account,
      id: newId(),
      scan_id: scanId,
      at: ctx.now,
      level,
      message: storable(message),
    })
    .execute()
}

/** `1 host`, `2 hosts`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

/** Locks an active scan; null when it has ended, so that nobody touches it any more. */
export async function lockActive(ctx: Ctx, scanId: string) {
  const scan = await ctx.tx
    .selectFrom('scan')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .where('id', '=', scanId)
    .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .forUpdate()
    .executeTakeFirst()
  return scan ?? null
}

/** Queues the next batches, or completes the scan when none is left. The scan must be locked. */
export async function advance(ctx: Ctx, jobs: Jobs, scanId: string): Promise<void> {
  const batches = await ctx.tx
    .selectFrom('scan_batch')
    .select(['number', 'state'])
    .where('account_id', '=', ctx.account)
    .where('scan_id', '=', scanId)
    .where('state', '!=', 'DONE')
    .orderBy('number')
    .limit(batchesQueuedMax * 2)
    .execute()
  if (batches.length === 0) return complete(ctx, scanId)
  const queued = batches.filter((batch) => batch.state === 'QUEUED').length
  const next = batches.filter((batch) => batch.state === 'WAITING').slice(0, Math.max(0, batchesQueuedMax - queued))
  for (const batch of next)
    await jobs.enqueue(ctx.tx, 'scan-batch', { account: ctx.account, scanId, number: batch.number })
  if (next.length === 0) return
  await ctx.tx
    .updateTable('scan_batch')
    .set({ state: 'QUEUED' })
    .where('account_id', '=', ctx.account)
    .where('scan_id', '=', scanId)
    .where(
      'number',
      'in',
      next.map((batch) => batch.number),
    )
    .execute()
}

async function complete(ctx: Ctx, scanId: string): Promise<void> {
  await sql`
    update scan set
      status = 'STATUS_COMPLETED', phase = 'PHASE_DONE',
      completed_at = ${ctx.now}, updated_at = ${ctx.now}, last_activity_at = ${ctx.now},
      hosts_done = hosts_total,
      scanned_hosts = (
        select count(*) from scan_host
        where scan_host.account_id = scan.account_id and scan_host.scan_id = scan.id and host_id is not null and reached)
    where account_id = ${ctx.account} and id = ${scanId}`.execute(ctx.tx)
  await countIssues(ctx, scanId)
  const { rows } = await sql<{ hosts: number; issues: number }>`
    select scanned_hosts as hosts, critical + high + medium + low as issues from scan
    where account_id = ${ctx.account} and id = ${scanId}`.execute(ctx.tx)
  const { hosts = 0, issues = 0 } = rows[0] ?? {}
  await say(
    ctx,
    scanId,
    'LEVEL_INFO',
    `Completed: ${counted(hosts, 'host', 'hosts')} scanned, ${counted(issues, 'rated issue', 'rated issues')}`,
  )
  ctx.log.info({ scanId, hosts, issues }, 'scan completed')
}

/** Brings the figures of a scan up to date with what it has found so far. */
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
        where account_id = ${ctx.account} and scan_id = ${scanId}
      ) as seen
      join issue on issue.account_id = seen.account_id and issue.id = seen.issue_id
    ) as found
    where scan.account_id = ${ctx.account} and scan.id = ${scanId}`.execute(ctx.tx)
}

/** Ends an active scan as failed; what it has found until then stays. */
export async function fail(ctx: Ctx, scanId: string, reason: string): Promise<void> {
  const failed = await ctx.tx
    .updateTable('scan')
    .set({ status: 'STATUS_FAILED', reason, completed_at: ctx.now, updated_at: ctx.now })
    .where('account_id', '=', ctx.account)
    .where('id', '=', scanId)
    .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .returning('id')
    .executeTakeFirst()
  if (!failed) return
  await say(ctx, scanId, 'LEVEL_ERROR', reason)
  ctx.log.warn({ scanId, reason }, 'scan failed')
}

/** Status transitions of scans, and the counts when they end. */
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import type { ScanTable } from '#database/tables.ts'
import { storable } from '#database/text.ts'
import type { Jobs } from '#jobs.ts'
import { announce, type Announcement } from '#notifications/index.ts'
import { batchCostOf } from '#scans/batch-size.ts'
import { countIssues } from '#scans/counts.ts'
import { waitColumns } from '#scans/hours.ts'
import { type Selectable, sql } from 'kysely'

/** Maximum number of queued batches per scan: enough for 16 workers, and few enough to find the next one quickly. */
const batchesQueuedMax = 32

/** Appends to the scan's log. */
export async function logScanEvent(
  ctx: Ctx,
  scanId: string,
  level: 'LEVEL_INFO' | 'LEVEL_WARN' | 'LEVEL_ERROR',
  message: string,
): Promise<void> {
  await ctx.tx
    .insertInto('scan_event')
    .values({
      account_id: ctx.workspace,
      id: newId(),
      scan_id: scanId,
      at: ctx.now,
      level,
      message: storable(message),
    })
    .execute()
}

/** `1 host`, `2 hosts`. */
export function pluralize(count: number, item: string, many: string): string {
  return `${count} ${count === 1 ? item : many}`
}

/** Locks an active scan; null if it has ended and must not be changed. */
export async function lockActive(ctx: Ctx, scanId: string) {
  const scan = await ctx.tx
    .selectFrom('scan')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', scanId)
    .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .forUpdate()
    .executeTakeFirst()
  return scan ?? null
}

/**
 * Whether the scan has to wait now; if so, stores until when and why. The scan must be locked. A
 * scan that a user resumed doesn't wait.
 */
export async function mustWait(ctx: Ctx, scan: Selectable<ScanTable>): Promise<boolean> {
  if (scan.ignores_hours) return false
  const target = await ctx.tx
    .selectFrom('target')
    .select('allowed_hours')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', scan.target_id)
    .executeTakeFirst()
  const wait = waitColumns(target?.allowed_hours ?? null, ctx.now)
  if (!wait.resume_at) return false
  if (scan.resume_at) return true
  await ctx.tx
    .updateTable('scan')
    .set({ ...wait, updated_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', scan.id)
    .execute()
  await logScanEvent(ctx, scan.id, 'LEVEL_INFO', `${wait.reason}; resumes at ${wait.resume_at.toISOString()}`)
  await announceScan(ctx, scan.id, 'EVENT_SCAN_CHANGED')
  return true
}

/**
 * Queues the next batches, or completes the scan when none are left. Batches of agents are not
 * queued; the agents lease them. The scan must be locked.
 */
export async function queueNextBatches(ctx: Ctx, jobs: Jobs, scanId: string): Promise<void> {
  const batches = await ctx.tx
    .selectFrom('scan_batch')
    .select(['number', 'state', sql<number>`jsonb_array_length(hosts)`.as('hosts')])
    .where('account_id', '=', ctx.workspace)
    .where('scan_id', '=', scanId)
    .where('state', '!=', 'DONE')
    .orderBy('number')
    .limit(batchesQueuedMax)
    .execute()
  if (batches.length === 0) return complete(ctx, scanId)
  const scan = await lockActive(ctx, scanId)
  if (!scan || (await mustWait(ctx, scan))) return
  if (await isRemote(ctx, scanId)) return
  const next = batches.filter((batch) => batch.state === 'WAITING')
  if (next.length === 0) return
  const ports = await portsOf(ctx, scan.target_id)
  const work = next.map(({ number, hosts }) => ({
    data: { account: ctx.workspace, scanId, number },
    cost: batchCostOf(ports, hosts),
  }))
  await jobs.enqueueFairly(ctx.tx, 'scan-batch', ctx.workspace, work)
  await ctx.tx
    .updateTable('scan_batch')
    .set({ state: 'QUEUED' })
    .where('account_id', '=', ctx.workspace)
    .where('scan_id', '=', scanId)
    .where(
      'number',
      'in',
      next.map((batch) => batch.number),
    )
    .execute()
}

async function portsOf(ctx: Ctx, targetId: string): Promise<string> {
  const target = await ctx.tx
    .selectFrom('target')
    .select('ports')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', targetId)
    .executeTakeFirst()
  return target?.ports ?? ''
}

async function isRemote(ctx: Ctx, scanId: string): Promise<boolean> {
  const { agent_id } = await ctx.tx
    .selectFrom('scan')
    .select('agent_id')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', scanId)
    .executeTakeFirstOrThrow()
  return agent_id !== null
}

async function complete(ctx: Ctx, scanId: string): Promise<void> {
  await sql`
    update scan set
      status = 'STATUS_COMPLETED', phase = 'PHASE_DONE',
      completed_at = ${ctx.now}, updated_at = ${ctx.now}, last_activity_at = ${ctx.now}, resume_at = null, reason = '',
      hosts_done = hosts_total,
      scanned_hosts = (
        select count(*) from scan_host
        where scan_host.account_id = scan.account_id and scan_host.scan_id = scan.id and host_id is not null and reached)
    where account_id = ${ctx.workspace} and id = ${scanId}`.execute(ctx.tx)
  await countIssues(ctx, scanId)
  const { rows } = await sql<{ hosts: number; issues: number }>`
    select scanned_hosts as hosts, critical + high + medium + low as issues from scan
    where account_id = ${ctx.workspace} and id = ${scanId}`.execute(ctx.tx)
  const { hosts = 0, issues = 0 } = rows[0] ?? {}
  await logScanEvent(
    ctx,
    scanId,
    'LEVEL_INFO',
    `Completed: ${pluralize(hosts, 'host', 'hosts')} scanned, ${pluralize(issues, 'risk', 'risks')} rated low or higher`,
  )
  await announceScan(ctx, scanId, 'EVENT_SCAN_COMPLETED')
  ctx.log.info({ scanId, hosts, issues }, 'scan completed')
}

/** Fails an active scan. Its results so far are kept. */
export async function failScan(ctx: Ctx, scanId: string, message: string): Promise<void> {
  const reason = storable(message)
  const failed = await ctx.tx
    .updateTable('scan')
    .set({ status: 'STATUS_FAILED', reason, resume_at: null, completed_at: ctx.now, updated_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', scanId)
    .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .returning('id')
    .executeTakeFirst()
  if (!failed) return
  await countIssues(ctx, scanId)
  await logScanEvent(ctx, scanId, 'LEVEL_ERROR', reason)
  await announceScan(ctx, scanId, 'EVENT_SCAN_FAILED')
  ctx.log.warn({ scanId, reason }, 'scan failed')
}

const eventTitles: Readonly<Record<string, string>> = {
  EVENT_SCAN_STARTED: 'Scan started',
  EVENT_SCAN_CHANGED: 'Scan changed',
  EVENT_SCAN_COMPLETED: 'Scan completed',
  EVENT_SCAN_FAILED: 'Scan failed',
  EVENT_SCAN_CANCELLED: 'Scan canceled',
}

/** Announces a status change of a scan. */
export async function announceScan(ctx: Ctx, scanId: string, kind: Announcement['kind']): Promise<void> {
  const { rows } = await sql<{ target_id: string; name: string; reason: string }>`
    select scan.target_id, target.name, scan.reason from scan
    join target on target.account_id = scan.account_id and target.id = scan.target_id
    where scan.account_id = ${ctx.workspace} and scan.id = ${scanId}`.execute(ctx.tx)
  const [row] = rows
  if (!row) return
  const reason = kind === 'EVENT_SCAN_FAILED' && row.reason ? ` (${row.reason})` : ''
  await announce(ctx, [
    {
      kind,
      title: `${eventTitles[kind] ?? 'Scan'}: ${row.name}${reason}`,
      resource: { kind: 'scan', id: scanId },
      targetIds: [row.target_id],
    },
  ])
}

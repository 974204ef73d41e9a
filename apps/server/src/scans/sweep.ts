import { scanActor, systemActor } from '#ctx.ts'
import { inWorkspace } from '#database/index.ts'
import { forEachSettled } from '#for-each-settled.ts'
import { ApiError } from '#errors.ts'
import { returnExpiredBatches, validExpiry } from '#scans/lease.ts'
import { failScan } from '#scans/lifecycle.ts'
import type { Scanning } from '#scans/run.ts'
import { startScan } from '#scans/start.ts'
import { sql } from 'kysely'

const dueMax = 200

/**
 * Starts all scheduled scans that are due, in all workspaces. Targets with an active scan are
 * skipped until it ends.
 */
export async function startDue(scanning: Scanning): Promise<void> {
  const due = await scanning.database.owner
    .selectFrom('target')
    .select(['account_id', 'id'])
    .where('deleted_at', 'is', null)
    .where('former_agent', 'is', null)
    .where('next_scan_at', '<=', new Date())
    // Targets that can't be scanned would come first every minute.
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('scan')
            .whereRef('scan.account_id', '=', 'target.account_id')
            .whereRef('scan.target_id', '=', 'target.id')
            .where('scan.status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING']),
        ),
      ),
    )
    .orderBy('next_scan_at')
    .limit(dueMax)
    .execute()
  await forEachSettled(due, async (target) => {
    const as = { workspace: target.account_id, actor: { ...systemActor, name: 'schedule' }, log: scanning.log }
    try {
      await inWorkspace(scanning.database, as, (ctx) => startScan(ctx, scanning.jobs, target.id, 'TYPE_AUTOMATIC'))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  })
}

/** A scan without progress for this long and without a queued job can't complete. */
const silentSeconds = 45

/** Fails scans that no worker is processing anymore, with a reason. */
export async function failStalled(scanning: Scanning): Promise<void> {
  const { rows } = await sql<{ account_id: string; id: string }>`
    select account_id, id from scan
    where status in ('STATUS_CREATED', 'STATUS_RUNNING')
      and resume_at is null
      -- An activity in the future was recorded while the clock was wrong.
      and last_activity_at not between now() - make_interval(secs => ${silentSeconds})
        and now() + make_interval(secs => ${silentSeconds})
      -- Agents lease batches themselves, so only scans without batches have stalled.
      and (agent_id is null or not exists (
        select from scan_batch where scan_batch.account_id = scan.account_id and scan_batch.scan_id = scan.id))
      and not exists (
        select from pgboss.job
        where name in ('scan-plan', 'scan-batch')
          and state in ('created', 'retry', 'active')
          and data ->> 'scanId' = scan.id::text)
    limit 100`.execute(scanning.database.owner)
  await forEachSettled(rows, (scan) =>
    inWorkspace(scanning.database, { workspace: scan.account_id, actor: scanActor, log: scanning.log }, (ctx) =>
      failScan(ctx, scan.id, 'The worker running this scan stopped, and no other worker could take over'),
    ),
  )
}

/** How long a scan waits for its agent. */
const agentWaitHours = 24

/** Returns the batches of lost agents, and fails scans that have waited for an agent for a day. */
export async function sweepAgents(scanning: Scanning): Promise<void> {
  const { earliest, latest } = validExpiry(new Date())
  const expiredLeases = await scanning.database.owner
    .selectFrom('scan_lease')
    .select(['account_id', 'agent_id'])
    .distinct()
    .where('state', '=', 'STATE_RUNNING')
    .where((is) => is.or([is('expires_at', '<', earliest), is('expires_at', '>', latest)]))
    .limit(1000)
    .execute()
  await forEachSettled(expiredLeases, ({ account_id, agent_id }) => {
    const as = { workspace: account_id, actor: scanActor, log: scanning.log }
    return inWorkspace(scanning.database, as, (ctx) => returnExpiredBatches(ctx, agent_id))
  })
  const { rows } = await sql<{ account_id: string; id: string; agent_name: string }>`
    select account_id, id, agent_name from scan
    where status in ('STATUS_CREATED', 'STATUS_RUNNING') and agent_id is not null and resume_at is null
      and last_activity_at < now() - make_interval(hours => ${agentWaitHours})
      and not exists (
        select from scan_lease
        where scan_lease.account_id = scan.account_id and scan_lease.scan_id = scan.id and state = 'STATE_RUNNING')
    limit 100`.execute(scanning.database.owner)
  await forEachSettled(rows, (scan) =>
    inWorkspace(scanning.database, { workspace: scan.account_id, actor: scanActor, log: scanning.log }, (ctx) =>
      failScan(ctx, scan.id, `Agent ${scan.agent_name} was disconnected for ${agentWaitHours} hours`),
    ),
  )
}

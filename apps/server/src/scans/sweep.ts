import { scanActor, systemActor } from '#ctx.ts'
import { inAccount } from '#database/index.ts'
import { onEach } from '#each.ts'
import { Refusal } from '#errors.ts'
import { takeBackExpired } from '#scans/lease.ts'
import { fail } from '#scans/lifecycle.ts'
import type { Scanning } from '#scans/run.ts'
import { startScan } from '#scans/start.ts'
import { sql } from 'kysely'

const dueMax = 200

/** Starts the scans whose time has come, over all accounts. A target that is being scanned is left for later. */
export async function startDue(scanning: Scanning): Promise<void> {
  const due = await scanning.database.owner
    .selectFrom('target')
    .select(['account_id', 'id'])
    .where('deleted_at', 'is', null)
    .where('former_agent', 'is', null)
    .where('next_scan_at', '<=', new Date())
    // They would stand before all others, every minute.
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
  await onEach(due, async (target) => {
    const as = { account: target.account_id, actor: { ...systemActor, name: 'schedule' }, log: scanning.log }
    try {
      await inAccount(scanning.database, as, (ctx) => startScan(ctx, scanning.jobs, target.id, 'TYPE_AUTOMATIC'))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  })
}

/** A scan that shows no life for so long and has no job left will not end by itself. */
const silentSeconds = 45

/** Fails, with a reason, the scans that nobody is working on any more. */
export async function failStalled(scanning: Scanning): Promise<void> {
  const { rows } = await sql<{ account_id: string; id: string }>`
    select account_id, id from scan
    where status in ('STATUS_CREATED', 'STATUS_RUNNING')
      and resume_at is null
      and last_activity_at < now() - make_interval(secs => ${silentSeconds})
      -- An agent takes the batches of its scans when it comes; until there are any, nobody will.
      and (agent_id is null or not exists (
        select from scan_batch where scan_batch.account_id = scan.account_id and scan_batch.scan_id = scan.id))
      and not exists (
        select from pgboss.job
        where name in ('scan-plan', 'scan-batch')
          and state in ('created', 'retry', 'active')
          and data ->> 'scanId' = scan.id::text)
    limit 100`.execute(scanning.database.owner)
  await onEach(rows, (scan) =>
    inAccount(scanning.database, { account: scan.account_id, actor: scanActor, log: scanning.log }, (ctx) =>
      fail(ctx, scan.id, 'The worker that ran this scan stopped, and no other could take it over'),
    ),
  )
}

/** How long a scan waits for its agent. */
const awayHours = 24

/** Takes back what agents have lost, and fails the scans that have waited for one for a day. */
export async function sweepAgents(scanning: Scanning): Promise<void> {
  const lost = await scanning.database.owner
    .selectFrom('scan_lease')
    .select(['account_id', 'agent_id'])
    .distinct()
    .where('state', '=', 'STATE_RUNNING')
    .where('expires_at', '<', new Date())
    .limit(1000)
    .execute()
  await onEach(lost, ({ account_id, agent_id }) => {
    const as = { account: account_id, actor: scanActor, log: scanning.log }
    return inAccount(scanning.database, as, (ctx) => takeBackExpired(ctx, agent_id))
  })
  const { rows } = await sql<{ account_id: string; id: string; agent_name: string }>`
    select account_id, id, agent_name from scan
    where status in ('STATUS_CREATED', 'STATUS_RUNNING') and agent_id is not null and resume_at is null
      and last_activity_at < now() - make_interval(hours => ${awayHours})
      and not exists (
        select from scan_lease
        where scan_lease.account_id = scan.account_id and scan_lease.scan_id = scan.id and state = 'STATE_RUNNING')
    limit 100`.execute(scanning.database.owner)
  await onEach(rows, (scan) =>
    inAccount(scanning.database, { account: scan.account_id, actor: scanActor, log: scanning.log }, (ctx) =>
      fail(ctx, scan.id, `Agent ${scan.agent_name} was away for ${awayHours} hours`),
    ),
  )
}

import { scanActor, systemActor } from '#ctx.ts'
import { inAccount } from '#database/index.ts'
import { Refusal } from '#errors.ts'
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
    .where('next_scan_at', '<=', new Date())
    .orderBy('next_scan_at')
    .limit(dueMax)
    .execute()
  for (const target of due) {
    const as = { account: target.account_id, actor: { ...systemActor, name: 'schedule' }, log: scanning.log }
    try {
      await inAccount(scanning.database, as, (ctx) => startScan(ctx, scanning.jobs, target.id, 'TYPE_AUTOMATIC'))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
}

/** A scan that shows no life for so long and has no job left will not end by itself. */
const silentSeconds = 45

/** Fails, with a reason, the scans that nobody is working on any more. */
export async function failStalled(scanning: Scanning): Promise<void> {
  const { rows } = await sql<{ account_id: string; id: string }>`
    select account_id, id from scan
    where status in ('STATUS_CREATED', 'STATUS_RUNNING')
      and last_activity_at < now() - make_interval(secs => ${silentSeconds})
      and not exists (
        select from pgboss.job
        where name in ('scan-plan', 'scan-batch')
          and state in ('created', 'retry', 'active')
          and data ->> 'scanId' = scan.id::text)
    limit 100`.execute(scanning.database.owner)
  for (const scan of rows) {
    await inAccount(scanning.database, { account: scan.account_id, actor: scanActor, log: scanning.log }, (ctx) =>
      fail(ctx, scan.id, 'The worker that ran this scan stopped, and no other could take it over'),
    )
  }
}

/** Everything that a queue or the clock starts. */
import { systemActor } from '#ctx.ts'
import { inAccount } from '#database/index.ts'
import { reopenDue } from '#issues/index.ts'
import { failStalled, planScan, runBatch, type Scanning, startDue } from '#scans/index.ts'

/** Batches that this process scans side by side. */
const batchesAtOnce = 2

export async function startBackground(scanning: Scanning): Promise<void> {
  const { jobs } = scanning
  await jobs.work('scan-plan', 1, (work) => planScan(scanning, work))
  await jobs.work('scan-batch', batchesAtOnce, (work) => runBatch(scanning, work))
  await jobs.work('sweep', 1, async () => {
    await startDue(scanning)
    await failStalled(scanning)
    await reopenIgnored(scanning)
  })
  await jobs.everyMinute()
}

/** Reopens, account by account, what was ignored until a date that has come. */
async function reopenIgnored({ database, log }: Scanning): Promise<void> {
  const accounts = await database.owner
    .selectFrom('issue')
    .select('account_id')
    .distinct()
    .where('ignore_until', '<=', new Date())
    .execute()
  for (const { account_id } of accounts) {
    await inAccount(database, { account: account_id, actor: systemActor, log }, reopenDue)
  }
}

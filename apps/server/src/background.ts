/** Everything that a queue or the clock starts. */
import { noteLost } from '#agents/index.ts'
import { systemActor } from '#ctx.ts'
import { inAccount } from '#database/index.ts'
import { onEach } from '#each.ts'
import { forgetKeys } from '#idempotency.ts'
import { accountsWaiting, forgetIssues, reopenDue, spreadDecisions } from '#issues/index.ts'
import { failLost, takeUp, takeUpAll, forgetOld, runDelivery, type Sending } from '#notifications/index.ts'
import { forgetProgress, type Network } from '#packs/index.ts'
import type { Live } from '#live.ts'
import {
  failStalled,
  forgetScans,
  holdChanges,
  planScan,
  resumeDue,
  runBatch,
  type Scanning,
  startDue,
  sweepAgents,
} from '#scans/index.ts'
import { closeEndedDays } from '#stats/index.ts'

/** Batches that this process scans side by side. */
const batchesAtOnce = 2
const deliveriesAtOnce = 4
/** What happens in one go becomes one message. */
const gatherMs = 2000

/** @param network null where no feed is fetched */
export async function startBackground(
  scanning: Scanning,
  sending: Sending & { live: Live; keep: Keep },
  network: Network | null,
): Promise<void> {
  const { jobs, database, log } = scanning
  const forget = daily((now) => forgetAll(scanning, sending.keep, now))
  const ask = (queue: 'feeds' | 'changes') => database.owner.transaction().execute((tx) => jobs.enqueue(tx, queue, {}))
  await jobs.work('changes', 1, ({ signal }) => holdChanges(scanning, signal))
  await forgetProgress(database.owner)
  if (network) {
    await jobs.work('feeds', 1, ({ signal }) => network.sync(signal, () => ask('changes')))
    await jobs.work('feed-check', 1, ({ data, signal }) => network.check(data.pack, signal, () => ask('changes')))
  }
  await jobs.work('scan-plan', 1, (work) => planScan(scanning, work))
  await jobs.work('scan-batch', batchesAtOnce, (work) => runBatch(scanning, work))
  const spread = (account: string, signal: AbortSignal) => spreadDecisions(scanning, account, signal)
  await jobs.work('decisions', 1, ({ data, signal }) => spread(data.account, signal))
  await jobs.work('sweep', 1, async ({ signal }) => {
    const steps = [
      () => startDue(scanning),
      () => resumeDue(scanning),
      () => failStalled(scanning),
      () => sweepAgents(scanning),
      () => noteLost(database, log),
      async () => onEach(await accountsWaiting(database), (account) => spread(account, signal)),
      () => reopenIgnored(scanning),
      () => closeEndedDays(scanning),
      () => ask('changes'),
      async () => (await network?.isDue()) && ask('feeds'),
      () => failLost(database, log),
      () => takeUpAll(database, jobs, log),
      () => forget(),
    ]
    await onEach<() => Promise<unknown>>(steps, (step) => step())
  })
  await jobs.work('delivery', deliveriesAtOnce, (work) => runDelivery(sending, work))
  tellSoon(scanning, sending.live)
  await jobs.everyMinute()
  // The first minute is long for somebody who has just started: what is due begins at once.
  await ask('changes')
  if (await network?.isDue()) await ask('feeds')
}

/** Reopens, account by account, what was ignored until a date that has come. */
async function reopenIgnored({ database, log }: Scanning): Promise<void> {
  const accounts = await database.owner
    .selectFrom('occurrence')
    .select('account_id')
    .distinct()
    .where('ignore_until', '<=', new Date())
    .execute()
  await onEach(accounts, ({ account_id }) =>
    inAccount(database, { account: account_id, actor: systemActor, log }, reopenDue),
  )
}

/** Takes up what happened as soon as a hint says so. Whatever a hint misses, the sweep finds. */
function tellSoon({ database, jobs, log }: Scanning, live: Live): void {
  const due = new Map<string, NodeJS.Timeout>()
  live.onAnyHint((account) => {
    if (due.has(account)) return
    const run = () => {
      due.delete(account)
      takeUp(database, jobs, log, account).catch((error: unknown) => {
        log.warn({ error: error instanceof Error ? error.message : String(error) }, 'events wait for the next sweep')
      })
    }
    due.set(account, setTimeout(run, gatherMs).unref())
  })
}

interface Keep {
  readonly historyMs: number
  readonly evidenceMs: number
}

async function forgetAll({ database, log }: Scanning, { historyMs, evidenceMs }: Keep, now: Date): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms)
  await failLost(database, log, { isThorough: true })
  await forgetOld(database, now)
  await forgetKeys(database, now)
  await forgetScans(database, before(historyMs))
  await forgetIssues(database, { history: before(historyMs), evidence: before(evidenceMs) })
}

const dayMs = 86_400_000

/** Runs `work` at the first call, and then at the first one of each 24 hours. */
function daily(work: (now: Date) => Promise<void>): () => Promise<void> {
  let last = 0
  return async () => {
    const now = new Date()
    if (now.getTime() - last < dayMs) return
    last = now.getTime()
    await work(now)
  }
}

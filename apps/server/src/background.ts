/** Starts the job workers and the periodic tasks. */
import { disconnectLost } from '#agents/index.ts'
import { deleteOldAuditEvents } from '#audit.ts'
import type { ScheduledBackups } from '#backups/index.ts'
import { systemActor } from '#ctx.ts'
import { isPoolClosed } from '#database/connection-errors.ts'
import { inWorkspace } from '#database/index.ts'
import { forEachSettled } from '#for-each-settled.ts'
import { deleteExpiredKeys } from '#idempotency.ts'
import {
  workspacesWithPendingDecisions,
  deleteExpiredIssueData,
  reopenExpired,
  applyPendingDecisions,
} from '#issues/index.ts'
import {
  failLost,
  createDeliveries,
  createAllDeliveries,
  deleteOldEvents,
  runDelivery,
  type Sending,
} from '#notifications/index.ts'
import { deleteExpiredCounts } from '#request-counts.ts'
import { clearProgress, type FeedUpdater } from '#packs/index.ts'
import type { Live } from '#live.ts'
import {
  failStalled,
  deleteOldScans,
  matchChangedThreats,
  planScan,
  resumeDue,
  runBatch,
  type Scanning,
  startDue,
  sweepAgents,
} from '#scans/index.ts'
import { closeEndedDays } from '#stats/index.ts'
import { deleteDueWorkspaces, deleteExpiredSignIns, type SignInLimits } from '#workspaces/index.ts'

/** At most two are of the same workspace, so that others don't wait for all batches of a large network. */
const concurrentBatches = 3
const concurrentBatchesOfWorkspace = 2
const concurrentDeliveries = 4
/** Events within this time are combined into one message. */
const debounceMs = 2000

/** @param optional components of optional features; null if turned off */
export async function startBackground(
  scanning: Scanning,
  sending: Sending & { live: Live; retention: Retention; signInLimits: SignInLimits },
  { feedUpdater, backups }: { feedUpdater: FeedUpdater | null; backups: ScheduledBackups | null },
): Promise<void> {
  const { jobs, database, log } = scanning
  const deleteExpired = daily(async (now) => {
    await deleteExpiredData(scanning, sending.retention, now)
    await deleteExpiredSignIns(database, sending.signInLimits)
  })
  const enqueue = (queue: 'feeds' | 'changes' | 'backup') =>
    database.owner.transaction().execute((tx) => jobs.enqueue(tx, queue, {}))
  await jobs.work('changes', 1, ({ signal }) => matchChangedThreats(scanning, signal))
  await clearProgress(database.owner)
  // Before any work: days that ended while the server was down are closed with the counts from before.
  await closeEndedDays(scanning)
  if (feedUpdater) {
    await jobs.work('feeds', 1, ({ signal }) => feedUpdater.sync(signal, () => enqueue('changes')))
    await jobs.work('feed-check', 1, ({ data, signal }) =>
      feedUpdater.check(data.pack, signal, () => enqueue('changes')),
    )
  }
  if (backups) await jobs.work('backup', 1, ({ signal }) => backups.run(signal))
  // Resolving a name can take seconds, which must not delay other workspaces.
  await jobs.work('scan-plan', 2, (work) => planScan(scanning, work), { perWorkspace: 1 })
  await jobs.work('scan-batch', concurrentBatches, (work) => runBatch(scanning, work), {
    perWorkspace: concurrentBatchesOfWorkspace,
  })
  const applyPending = (workspace: string, signal: AbortSignal) => applyPendingDecisions(scanning, workspace, signal)
  await jobs.work('decisions', 1, ({ data, signal }) => applyPending(data.account, signal))
  await jobs.work('sweep', 1, async ({ signal }) => {
    const steps = [
      () => closeEndedDays(scanning),
      () => startDue(scanning),
      () => resumeDue(scanning),
      () => failStalled(scanning),
      () => sweepAgents(scanning),
      () => disconnectLost(database, log),
      async () =>
        forEachSettled(await workspacesWithPendingDecisions(database), (workspace) => applyPending(workspace, signal)),
      () => reopenIgnored(scanning),
      () => enqueue('changes'),
      async () => (await feedUpdater?.isDue()) && enqueue('feeds'),
      async () => (await backups?.isDue()) && enqueue('backup'),
      () => failLost(database, log),
      () => createAllDeliveries(database, jobs, log),
      () => deleteDueWorkspaces(database, log),
      () => deleteExpired(),
    ]
    await forEachSettled<() => Promise<unknown>>(steps, (step) => step())
  })
  await jobs.work('delivery', concurrentDeliveries, (work) => runDelivery(sending, work))
  dispatchOnHints(scanning, sending.live)
  await jobs.everyMinute()
  // Don't make the operator wait a minute for the first sweep.
  await enqueue('changes')
  if (await feedUpdater?.isDue()) await enqueue('feeds')
}

/** Reopens issues whose ignore period has ended. */
async function reopenIgnored({ database, log }: Scanning): Promise<void> {
  const workspaces = await database.owner
    .selectFrom('occurrence')
    .select('account_id')
    .distinct()
    .where('ignore_until', '<=', new Date())
    .execute()
  await forEachSettled(workspaces, ({ account_id }) =>
    inWorkspace(database, { workspace: account_id, actor: systemActor, log }, reopenExpired),
  )
}

/** Dispatches notifications shortly after a hint. The sweep picks up events whose hint was lost. */
function dispatchOnHints({ database, jobs, log }: Scanning, live: Live): void {
  const due = new Map<string, NodeJS.Timeout>()
  live.onAnyHint((workspace) => {
    if (due.has(workspace)) return
    const run = () => {
      due.delete(workspace)
      createDeliveries(database, jobs, log, workspace).catch((error: unknown) => {
        if (isPoolClosed(error)) return // the server is shutting down
        log.warn(
          { error: error instanceof Error ? error.message : String(error) },
          'event delivery deferred to next sweep',
        )
      })
    }
    due.set(workspace, setTimeout(run, debounceMs).unref())
  })
}

interface Retention {
  readonly historyMs: number
  readonly evidenceMs: number
}

async function deleteExpiredData(
  { database, log }: Scanning,
  { historyMs, evidenceMs }: Retention,
  now: Date,
): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms)
  await failLost(database, log, { isThorough: true })
  await deleteOldEvents(database, now)
  await deleteOldAuditEvents(database, now)
  await deleteExpiredKeys(database, now)
  await deleteExpiredCounts(database.owner)
  await deleteOldScans(database, before(historyMs))
  await deleteExpiredIssueData(database, { history: before(historyMs), evidence: before(evidenceMs) })
}

const dayMs = 86_400_000

/** Runs `work` on the first call, and then at most once every 24 hours. */
function daily(work: (now: Date) => Promise<void>): () => Promise<void> {
  let last = 0
  return async () => {
    const now = new Date()
    if (now.getTime() - last < dayMs) return
    last = now.getTime()
    await work(now)
  }
}

/** Background jobs on the database itself: a job exists exactly if the transaction that asked for it was committed. */
import type { Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { channels } from '#database/channels.ts'
import { type Kysely, sql, type Transaction } from 'kysely'
import { fromKysely, type JobWithMetadata, PgBoss } from 'pg-boss'

/** Every queue and what its jobs carry: ids only. */
export interface Queues {
  'scan-plan': { readonly account: string; readonly scanId: string }
  'scan-batch': { readonly account: string; readonly scanId: string; readonly number: number }
  delivery: { readonly account: string; readonly deliveryId: string }
  sweep: Record<string, never>
  /** Asks the feeds that are due. */
  feeds: Record<string, never>
  /** Asks one feed, because somebody wants to know now. */
  'feed-check': { readonly pack: string }
  /** Brings decisions about many places to all of them. */
  decisions: { readonly account: string }
  /** Holds what feeds changed against the inventories. */
  changes: Record<string, never>
}
export type QueueName = keyof Queues

/** A job as its worker gets it. */
export interface Work<Name extends QueueName> {
  readonly data: Queues[Name]
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal
  /** True when no further attempt follows a failure. */
  readonly isLastAttempt: boolean
}

export interface Jobs {
  /** Installs the job tables and lets the application's role queue jobs. Safe to run by several processes. */
  prepare(owner: Kysely<Tables>): Promise<void>
  /** Whoever listens is told once the transaction is committed. */
  enqueue<Name extends QueueName>(tx: Transaction<Tables>, name: Name, data: Queues[Name]): Promise<void>
  work<Name extends QueueName>(name: Name, concurrency: number, run: (work: Work<Name>) => Promise<void>): Promise<void>
  /** Has the workers of a queue look at once; by themselves they do each second. */
  wake(queue: string): void
  /** Runs `sweep` at the start of every minute, once over all processes. */
  everyMinute(): Promise<void>
  /** Aborts running work and gives it back to the queue. */
  close(): Promise<void>
}

/** A worker that falls silent for so long has died; its job goes to another. */
const heartbeatSeconds = 10
const retryLimit = 2
const deliveryRetries = 11

/** How soon a clock that was set back is noticed. */
const watchMs = 60_000

/**
 * The queue notes when it last looked round, and looks again so long after that. What it noted under a clock that was
 * ahead would keep it from scheduling, and from missing dead workers, until that time has come.
 */
async function forgetFuture(owner: Kysely<Tables>): Promise<void> {
  const past = (column: string) =>
    sql`${sql.ref(column)} = nullif(${sql.ref(column)}, greatest(${sql.ref(column)}, ${soon}))`
  const columns = (names: readonly string[]) => sql.join(names.map(past))
  const isAhead = (names: readonly string[]) => sql`greatest(${sql.join(names.map((name) => sql.ref(name)))}) > ${soon}`
  for (const [table, names] of Object.entries(looks))
    await sql`update ${sql.table(`pgboss.${table}`)} set ${columns(names)} where ${isAhead(names)}`.execute(owner)
}

/** Two processes write these times; a moment between them is no clock that was ahead. */
const soon = sql`(now() + interval '1 minute')`
const looks = {
  version: ['cron_on', 'bam_on', 'flow_on', 'reindex_on'],
  queue: ['monitor_claim_on', 'monitor_on', 'maintain_on'],
} as const

export function createJobs(databaseUrl: string, log: Log, { supervise }: { supervise: boolean }): Jobs {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    max: 4,
    supervise,
    schedule: supervise,
    // A dead worker is noticed within heartbeat + supervision.
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
  })
  boss.on('error', (error) => log.warn({ error: error.message }, 'job queue'))
  const stopping = new AbortController()
  const workers = new Map<string, string[]>()
  const wake = (queue: string) => {
    for (const id of workers.get(queue) ?? []) boss.notifyWorker(id)
  }
  let watch: NodeJS.Timeout | undefined
  return {
    async prepare(owner) {
      await boss.start()
      await forgetFuture(owner)
      watch ??= setInterval(() => {
        forgetFuture(owner).catch((error: unknown) => log.warn({ error: String(error) }, 'job queue'))
      }, watchMs).unref()
      for (const name of ['scan-plan', 'scan-batch', 'decisions'] as const) {
        await boss.createQueue(name, {
          retryLimit,
          retryDelay: 1,
          heartbeatSeconds,
          expireInSeconds: 3600,
          deleteAfterSeconds: 3600,
        })
      }
      for (const name of ['feeds', 'changes'] as const) {
        // One at work and one in wait: more would find nothing left to do.
        await boss.createQueue(name, {
          policy: 'stately',
          retryLimit: 0,
          heartbeatSeconds,
          expireInSeconds: 12 * 3600,
          deleteAfterSeconds: 600,
        })
      }
      // 10 s, 20 s, 40 s … up to a day's quarter: a receiver that is down for an afternoon misses nothing.
      await boss.createQueue('feed-check', {
        retryLimit: 0,
        heartbeatSeconds,
        expireInSeconds: 3600,
        deleteAfterSeconds: 600,
      })
      await boss.createQueue('delivery', {
        retryLimit: deliveryRetries,
        retryDelay: 10,
        retryBackoff: true,
        retryDelayMax: 6 * 3600,
        expireInSeconds: 60,
        deleteAfterSeconds: 3600,
      })
      await boss.createQueue('sweep', { retryLimit: 0, policy: 'singleton', deleteAfterSeconds: 600 })
      await sql`grant usage on schema pgboss to glacis_app`.execute(owner)
      await sql`grant select, insert, update on all tables in schema pgboss to glacis_app`.execute(owner)
      await sql`grant execute on all functions in schema pgboss to glacis_app`.execute(owner)
    },
    async enqueue(tx, name, data) {
      await Promise.all([
        boss.send(name, data, { db: fromKysely(tx) }),
        sql`select pg_notify(${channels.jobs}, ${name})`.execute(tx),
      ])
    },
    async work(name, concurrency, run) {
      const one = async ([job]: JobWithMetadata<Queues[typeof name]>[]) => {
        if (!job) return
        const signal = AbortSignal.any([stopping.signal, job.signal])
        await run({ data: job.data, signal, isLastAttempt: job.retryCount >= job.retryLimit })
        // Where one was, others may wait.
        wake(name)
      }
      const ids = Array.from({ length: concurrency }, async () =>
        boss.work(name, { pollingIntervalSeconds: 1, includeMetadata: true }, one),
      )
      workers.set(name, await Promise.all(ids))
    },
    wake,
    async everyMinute() {
      await boss.schedule('sweep', '* * * * *')
    },
    async close() {
      clearInterval(watch)
      stopping.abort(new Error('the process is stopping'))
      await boss.stop({ graceful: true, timeout: 3000 })
    },
  }
}

/** The job queue, stored in the database: a job exists if and only if the transaction that enqueued it was committed. */
import { setTimeout as wait } from 'node:timers/promises'
import type { IdentityOptions } from '@glacis/identity'
import type { Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { channels } from '#database/channels.ts'
import { jobOrigin, traceJob } from '#tracing.ts'
import { type Kysely, sql, type Transaction } from 'kysely'
import { fromKysely, type JobWithMetadata, PgBoss } from 'pg-boss'

/** The queues and the data of their jobs, which contains only IDs. */
export interface Queues {
  'scan-plan': { readonly account: string; readonly scanId: string }
  'scan-batch': { readonly account: string; readonly scanId: string; readonly number: number }
  delivery: { readonly account: string; readonly deliveryId: string }
  sweep: Record<string, never>
  /** Updates all feeds that are due. */
  feeds: Record<string, never>
  /** Writes a scheduled backup. */
  backup: Record<string, never>
  /** Updates one feed on request. */
  'feed-check': { readonly pack: string }
  /** Applies pending decisions to their occurrences. */
  decisions: { readonly account: string }
  /** Mails a comment to a member that it mentions. */
  mention: { readonly account: string; readonly commentId: string; readonly memberId: string }
  /** Delivers the email of an invitation. */
  invitation: { readonly account: string; readonly invitationId: string }
  /** Delivers a mail of the identity service. */
  mail: { readonly mailId: string }
  /** Matches changed feed records against all inventories. */
  changes: Record<string, never>
}
export type QueueName = keyof Queues

/** A job as its worker gets it. */
export interface Work<Name extends QueueName> {
  readonly data: Queues[Name]
  /** Aborts when the process shuts down. */
  readonly signal: AbortSignal
  /** True if a failure will not be retried. */
  readonly isLastAttempt: boolean
}

export interface Jobs {
  /** Installs the job tables and lets the application's role queue jobs. Safe to run by several processes. */
  prepare(owner: Kysely<Tables>): Promise<void>
  /** Queues a job and notifies workers when the transaction is committed. */
  enqueue<Name extends QueueName>(tx: Transaction<Tables>, name: Name, data: Queues[Name]): Promise<void>
  /**
   * Queues jobs so that all workspaces progress alike, however many jobs each has. A job's cost is its expected time in
   * any unit.
   */
  enqueueFairly<Name extends QueueName>(
    tx: Transaction<Tables>,
    name: Name,
    workspace: string,
    jobs: readonly { readonly data: Queues[Name]; readonly cost: number }[],
  ): Promise<void>
  /** @param perWorkspace how many jobs of one workspace run at the same time in this process; all by default */
  work<Name extends QueueName>(
    name: Name,
    concurrency: number,
    run: (work: Work<Name>) => Promise<void>,
    options?: { readonly perWorkspace?: number },
  ): Promise<void>
  /** The jobs of all processes, by queue. */
  counts(owner: Kysely<Tables>): Promise<QueueCounts[]>
  /** The most recently failed jobs, at most 100; failed jobs are kept for up to an hour. */
  failed(owner: Kysely<Tables>): Promise<FailedJob[]>
  /** Queues a failed job again. @returns its queue; null if no failed job has the ID */
  retry(owner: Kysely<Tables>, id: string): Promise<string | null>
  /** Makes the workers of a queue poll immediately instead of within a second. */
  wake(queue: string): void
  /** Runs `sweep` now and every minute, once across all processes. */
  everyMinute(): Promise<void>
  /** Takes no more jobs. After `graceMs`, aborts the running ones, which return to the queue. */
  stopWork(graceMs: number): Promise<void>
  close(): Promise<void>
}

export interface QueueCounts {
  readonly name: string
  /** Jobs that could start now. */
  readonly waiting: number
  readonly active: number
  /** Jobs that failed and are not yet deleted. */
  readonly failed: number
  /** Seconds since the longest-waiting job could start. */
  readonly waitSeconds: number
}

export interface FailedJob {
  readonly id: string
  readonly queue: string
  readonly attempts: number
  readonly error: string
  readonly failedAt: Date
}

/** A worker without a heartbeat for this long is considered dead, and its job is retried. */
const heartbeatSeconds = 10
const retryLimit = 2
const deliveryRetries = 11
const mailRetries = 400
/** A shutdown doesn't count as an attempt, because a rolling restart can interrupt a job once per process. */
const restartedQueues: ReadonlySet<QueueName> = new Set(['scan-plan', 'scan-batch', 'decisions'])

const sweepSeconds = 60
/** Every process enqueues sweeps at this interval; the queue accepts one per minute. */
const sweepIntervalMs = 10_000

/** For the identity service: enqueues a job for each email, in the transaction that creates it. */
export function mailJobs(jobs: Pick<Jobs, 'enqueue'>): IdentityOptions['enqueueMail'] {
  return async (tx, mailId) => jobs.enqueue(tx as Transaction<Tables>, 'mail', { mailId }) // the service opens one
}

export function createJobs(databaseUrl: string, log: Log, { supervise }: { supervise: boolean }): Jobs {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    max: 4,
    supervise,
    schedule: false,
    // A dead worker is noticed within heartbeat + supervision.
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
  })
  boss.on('error', (error) => log.warn({ error: error.message }, 'job queue error'))
  const stopping = new AbortController()
  const wake = (queue: string) => {
    for (const { id, name } of boss.getWipData()) if (name === queue) boss.notifyWorker(id)
  }
  let sweeps: NodeJS.Timeout | undefined
  return {
    async prepare(owner) {
      await boss.start()
      for (const name of ['scan-plan', 'scan-batch', 'decisions'] as const) {
        await boss.createQueue(name, {
          retryLimit,
          retryDelay: 1,
          heartbeatSeconds,
          expireInSeconds: 3600,
          deleteAfterSeconds: 3600,
        })
      }
      for (const name of ['feeds', 'changes', 'backup'] as const) {
        // One running and one waiting; further jobs would be redundant.
        await boss.createQueue(name, {
          policy: 'stately',
          retryLimit: 0,
          heartbeatSeconds,
          expireInSeconds: 12 * 3600,
          deleteAfterSeconds: 600,
        })
      }
      await boss.createQueue('feed-check', {
        retryLimit: 0,
        heartbeatSeconds,
        expireInSeconds: 3600,
        deleteAfterSeconds: 600,
      })
      // Backoff 10 s, 20 s, 40 s … up to 6 h, so a receiver that is down for an afternoon misses nothing.
      await boss.createQueue('delivery', {
        retryLimit: deliveryRetries,
        retryDelay: 10,
        retryBackoff: true,
        retryDelayMax: 6 * 3600,
        expireInSeconds: 60,
        deleteAfterSeconds: 3600,
      })
      // Backoff 5 s, 10 s, 20 s … up to 15 min, until long after the email is useful.
      const mailQueue = {
        retryLimit: mailRetries,
        retryDelay: 5,
        retryBackoff: true,
        retryDelayMax: 15 * 60,
        heartbeatSeconds,
        expireInSeconds: 120,
        deleteAfterSeconds: 3600,
      }
      for (const name of ['mail', 'invitation', 'mention'] as const) await boss.createQueue(name, mailQueue)
      await boss.createQueue('sweep', { retryLimit: 0, policy: 'singleton', deleteAfterSeconds: 600 })
      await owner.transaction().execute(async (tx) => {
        // Processes that start at the same time must not change the privileges of the same table together.
        await sql`select pg_advisory_xact_lock(hashtextextended('privileges of jobs', 0))`.execute(tx)
        await sql`grant usage on schema pgboss to glacis_app`.execute(tx)
        await sql`grant select, insert, update on all tables in schema pgboss to glacis_app`.execute(tx)
        await sql`grant execute on all functions in schema pgboss to glacis_app`.execute(tx)
      })
    },
    async enqueue(tx, name, data) {
      await Promise.all([
        boss.send(name, { ...data, ...jobOrigin() }, { db: fromKysely(tx) }),
        sql`select pg_notify(${channels.jobs}, ${name})`.execute(tx),
      ])
    },
    async enqueueFairly(tx, name, workspace, jobs) {
      let turn = await lastTurn(tx, name, workspace)
      const options = { db: fromKysely(tx), group: { id: workspace } }
      for (const { data, cost } of jobs)
        await boss.send(name, { ...data, ...jobOrigin() }, { ...options, priority: -(turn += cost) })
      await sql`select pg_notify(${channels.jobs}, ${name})`.execute(tx)
    },
    async work(name, concurrency, run, { perWorkspace } = {}) {
      const runJob = async ([job]: JobWithMetadata<Queues[typeof name]>[]) => {
        if (!job) return
        const signal = AbortSignal.any([stopping.signal, job.signal])
        const work = { data: job.data, signal, isLastAttempt: job.retryCount >= job.retryLimit }
        await traceJob(name, job.data, () => run(work)).catch(async (error: unknown) => {
          if (!stopping.signal.aborted || !restartedQueues.has(name)) throw error
          const group = job.groupId ? { group: { id: job.groupId } } : {}
          await boss.send(name, job.data, { priority: job.priority, ...group })
        })
        // More jobs may be waiting.
        wake(name)
      }
      const options = { pollingIntervalSeconds: 1, includeMetadata: true, localConcurrency: concurrency } as const
      await boss.work(name, { ...options, ...(perWorkspace && { localGroupConcurrency: perWorkspace }) }, runJob)
    },
    counts: countJobs,
    failed: failedJobs,
    async retry(owner, id) {
      const { rows } = await sql<{ name: string }>`
        select name from pgboss.job where id = ${id} and state = 'failed'`.execute(owner)
      const [job] = rows
      if (!job) return null
      await boss.retry(job.name, id)
      await sql`select pg_notify(${channels.jobs}, ${job.name})`.execute(owner)
      return job.name
    },
    wake,
    // pg-boss's cron pauses after the system clock is set back, until the clock has caught up.
    async everyMinute() {
      // Without a heartbeat, a worker killed during a sweep would block the next one until the job expires.
      const options = { singletonSeconds: sweepSeconds, heartbeatSeconds }
      const enqueueSweep = async () => void (await boss.send('sweep', {}, options))
      sweeps ??= setInterval(() => {
        enqueueSweep().catch((error: unknown) => log.warn({ error: String(error) }, 'job queue error'))
      }, sweepIntervalMs).unref()
      await enqueueSweep()
    },
    async stopWork(graceMs) {
      clearInterval(sweeps)
      const ended = Promise.all(boss.getWipData().map(({ name }) => boss.offWork(name)))
      await Promise.race([ended, wait(graceMs, undefined, { ref: false })])
      stopping.abort(new Error('the process is stopping'))
    },
    async close() {
      clearInterval(sweeps)
      stopping.abort(new Error('the process is stopping'))
      await boss.stop({ graceful: true, timeout: 3000 })
    },
  }
}

/**
 * Self-clocked fair queueing (Golestani, INFOCOM 1994): a job's turn is its cost after the workspace's previous job, or
 * after the job that is being served. So a new workspace comes next, and large backlogs alternate. Priorities are
 * negative turns.
 */
async function lastTurn(tx: Transaction<Tables>, name: QueueName, workspace: string): Promise<number> {
  const { rows } = await sql<{ own: number; served: number }>`
    select coalesce(-min(priority) filter (where group_id = ${workspace}), 0) as own,
      coalesce(-max(priority), 0) as served
    from (
      -- In parts, each of which has an index.
      select priority, group_id from pgboss.job where name = ${name} and state < 'active' and not blocked
      union all
      select priority, group_id from pgboss.job where name = ${name} and state = 'active' and group_id is not null
    ) as job`.execute(tx)
  return Math.max(rows[0]?.own ?? 0, rows[0]?.served ?? 0)
}

/** pg-boss's own counts are refreshed only by its monitor, so they are read from its table. */
async function countJobs(owner: Kysely<Tables>): Promise<QueueCounts[]> {
  const { rows } = await sql<QueueCounts>`
    select queue.name,
      count(*) filter (where is_ready) as waiting,
      count(*) filter (where state = 'active') as active,
      count(*) filter (where state = 'failed') as failed,
      coalesce(extract(epoch from now() - min(start_after) filter (where is_ready)), 0) as "waitSeconds"
    from pgboss.queue
    left join (
      select name, state, start_after, state in ('created', 'retry') and start_after <= now() as is_ready from pgboss.job
    ) as job on job.name = queue.name
    group by queue.name`.execute(owner)
  return rows
}

/** Omits the data of the jobs, because it belongs to workspaces. */
async function failedJobs(owner: Kysely<Tables>): Promise<FailedJob[]> {
  const { rows } = await sql<FailedJob>`
    select id, name as queue, retry_count + 1 as attempts, coalesce(output->>'message', output->>'value', '') as error,
      completed_on as "failedAt"
    from pgboss.job where state = 'failed'
    order by completed_on desc, id
    limit 100`.execute(owner)
  return rows
}

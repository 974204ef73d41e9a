/**
 * Prometheus metrics on their own port, in the text format 0.0.4. Nothing in them identifies a workspace, a target, or
 * a user. Counts across all processes (queues, scans, feeds) are read from the database when Prometheus scrapes.
 */
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { storedBackups } from '#backups/index.ts'
import { CliError } from '#cli-error.ts'
import type { Database } from '#database/index.ts'
import type { Jobs } from '#jobs.ts'
import type { Log } from '#ctx.ts'

export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

export interface Metrics {
  /** Counts the requests of `app`. Call before its routes are registered. */
  observe(app: FastifyInstance): void
  /** @throws CliError if the address can't be used */
  listen(address: MetricsAddress): Promise<void>
  close(): Promise<void>
}

const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Sources {
  readonly database: Database
  readonly jobs: Jobs
  readonly log: Log
  /** Absent: backups are not scheduled. */
  readonly backupFolder?: string | undefined
}

/** Metric names follow Prometheus's naming conventions: base units, `_total` only on counters. */
export function createMetrics({ database, jobs, log, backupFolder }: Sources): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // Gauges named like counters. `nodejs_active_handles`, `…_requests`, and `…_resources` have the same counts by type.
  for (const kind of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${kind}_total`)
  const requests = new Histogram({
    name: 'glacis_http_request_duration_seconds',
    help: 'Duration of HTTP requests by method, route, and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: requestSeconds,
    registers: [registry],
  })
  const refresh = [
    poolGauges(registry, database),
    queueGauges(registry, database, jobs),
    databaseGauges(registry, database),
    ...(backupFolder === undefined ? [] : [backupGauge(registry, backupFolder)]),
  ]
  const collect = async () => {
    await Promise.all(refresh.map((gauges) => gauges()))
    return registry.metrics()
  }
  const server = createServer((request, response) => {
    if (request.url?.split('?', 1)[0] !== '/metrics') return void response.writeHead(404).end()
    collect().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      (error: unknown) => {
        log.warn({ error: String(error) }, 'metrics unavailable')
        response.writeHead(503).end()
      },
    )
  })
  return {
    observe(app) {
      app.addHook('onResponse', async (request, reply) => {
        const labels = {
          method: request.method,
          route: request.routeOptions.url ?? 'none',
          status: String(reply.statusCode),
        }
        requests.observe(labels, reply.elapsedTime / 1000)
      })
    },
    listen: (address) => listenAt(server, address),
    async close() {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function listenAt(server: Server, { host, port }: MetricsAddress): Promise<void> {
  server.listen(port, host)
  await once(server, 'listening').catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CliError(`Can't serve metrics at ${host}:${port} (${reason}). Check GLACIS_METRICS.`, { cause })
  })
}

/** Updates a group of gauges; called before each scrape. */
type Refresh = () => Promise<void>

function poolGauges(registry: Registry, database: Database): Refresh {
  const connections = new Gauge({
    name: 'glacis_database_connections',
    help: 'Database connections of this process by pool and state; waiting: requests without a connection.',
    labelNames: ['pool', 'state'],
    registers: [registry],
  })
  return async () => {
    for (const [pool, { total, idle, waiting }] of Object.entries(database.connections())) {
      connections.set({ pool, state: 'used' }, total - idle)
      connections.set({ pool, state: 'idle' }, idle)
      connections.set({ pool, state: 'waiting' }, waiting)
    }
  }
}

function backupGauge(registry: Registry, folder: string): Refresh {
  const age = new Gauge({
    name: 'glacis_backup_age_seconds',
    help: 'Time since the last scheduled backup; infinite before the first.',
    registers: [registry],
  })
  return async () => {
    const [newest] = await storedBackups(folder)
    age.set(newest ? (Date.now() - newest.time.getTime()) / 1000 : Infinity)
  }
}

function queueGauges(registry: Registry, { owner }: Database, jobs: Jobs): Refresh {
  const count = new Gauge({
    name: 'glacis_queue_jobs',
    help: 'Jobs by queue and state.',
    labelNames: ['queue', 'state'],
    registers: [registry],
  })
  const age = new Gauge({
    name: 'glacis_queue_oldest_job_seconds',
    help: 'Time that the longest-waiting job of a queue has been ready.',
    labelNames: ['queue'],
    registers: [registry],
  })
  return async () => {
    for (const { name, waiting, active, failed, waitSeconds } of await jobs.counts(owner)) {
      count.set({ queue: name, state: 'waiting' }, waiting)
      count.set({ queue: name, state: 'active' }, active)
      count.set({ queue: name, state: 'failed' }, failed)
      age.set({ queue: name }, waitSeconds)
    }
  }
}

function databaseGauges(registry: Registry, { owner }: Database): Refresh {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `glacis_${name}`, help, labelNames, registers: [registry] })
  const scans = gauge('scans', 'Scans that have not ended, by status.', 'status')
  const batches = gauge('scan_batches', 'Batches of scans that have not ended, by state.', 'state')
  const idle = gauge(
    'scan_idle_seconds',
    'Time since the last activity of the running scan that has been idle longest; scans that wait for their allowed hours do not count.',
  )
  const leases = gauge('agent_leases', 'Batches leased to agents.')
  const deliveries = gauge('deliveries_pending', 'Notifications that have not been delivered yet.')
  const feedAge = gauge('feed_age_seconds', 'Time since a feed was last checked.', 'feed')
  const feedFailures = gauge('feed_failures', 'Consecutive failed updates of a feed.', 'feed')
  return async () => {
    const row = await readGauges(owner)
    scans.set({ status: 'created' }, row.created)
    scans.set({ status: 'running' }, row.running)
    batches.set({ state: 'waiting' }, row.waiting)
    batches.set({ state: 'queued' }, row.queued)
    idle.set(row.idleSeconds)
    leases.set(row.leases)
    deliveries.set(row.deliveries)
    for (const { name, age, failures } of row.feeds) {
      feedAge.set({ feed: name }, age)
      feedFailures.set({ feed: name }, failures)
    }
  }
}

interface Gauges {
  readonly created: number
  readonly running: number
  readonly waiting: number
  readonly queued: number
  readonly idleSeconds: number
  readonly leases: number
  readonly deliveries: number
  readonly feeds: readonly { readonly name: string; readonly age: number; readonly failures: number }[]
}

async function readGauges(owner: Database['owner']): Promise<Gauges> {
  const { rows } = await sql<Gauges>`
    with active as (
      select account_id, id, status, resume_at, coalesce(last_activity_at, created_at) as active_at from scan
      where status in ('STATUS_CREATED', 'STATUS_RUNNING')
    ), batch as (
      select state from scan_batch join active on active.account_id = scan_batch.account_id and active.id = scan_id
    )
    select
      (select count(*) from active where status = 'STATUS_CREATED') as created,
      (select count(*) from active where status = 'STATUS_RUNNING') as running,
      (select count(*) from batch where state = 'WAITING') as waiting,
      (select count(*) from batch where state = 'QUEUED') as queued,
      (select coalesce(extract(epoch from now() - min(active_at)), 0) from active
        where status = 'STATUS_RUNNING' and resume_at is null) as "idleSeconds",
      (select count(*) from scan_lease where state = 'STATE_RUNNING') as leases,
      (select count(*) from delivery where state = 'STATE_PENDING') as deliveries,
      (select coalesce(json_agg(json_build_object('name', name, 'failures', failures,
        'age', extract(epoch from now() - coalesce(checked_at, updated_at)))), '[]') from pack) as feeds`.execute(owner)
  const [row] = rows
  if (!row) throw new Error('the statement returns one row')
  return row
}

/**
 * Benchmarks rollups: a batch of a scan whose issues already affect 60,000 hosts compared to the same batch with one
 * host, and a decision on more than 100,000 occurrences. Uses the server of TEST_DATABASE_URL or starts one.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Observation } from '../packages/contract/src/runner.ts'
import { startPostgres } from '../apps/server/src/database/embedded.ts'
import { newId } from '../apps/server/src/database/index.ts'
import { applyPendingDecisions, setStatusOfMany } from '../apps/server/src/issues/index.ts'
import { createLogger } from '../apps/server/src/log.ts'
import { ingest } from '../apps/server/src/scans/ingest.ts'
import { seedIssues } from '../apps/server/src/testing/issues.ts'
import { startTestServer, type TestServer } from '../apps/server/src/testing/test-server.ts'
import pg from 'pg'

const [issuesCount, hostsCount, hostsPerBatch] = [10, 60_000, 50]
const [warmBatches, batches] = [6, 15]
const decidedIssues = 2
const log = createLogger({ level: 'error' })

interface Scanned {
  readonly workspace: string
  readonly scanId: string
  readonly issueIds: readonly string[]
  readonly checks: readonly string[]
}

const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-bench-'))
const postgres = process.env['TEST_DATABASE_URL'] ? null : await startPostgres({ dataFolder, log, isDurable: false })
if (postgres) process.env['TEST_DATABASE_URL'] = postgres.url
try {
  const first = await withServer(async (server) => batchMs(server, await accountWith(server, 1)))
  // In a separate database: connections that saw almost empty tables keep plans that are slow for large ones until
  // the next autoanalyze.
  await withServer(async (server) => {
    const large = await accountWith(server, hostsCount)
    await vacuum(server.url)
    const last = await batchMs(server, large)
    report('last / first batch of a scan of a /16', last / first, '×', 2)
    await decide(server, large)
  })
} finally {
  await postgres?.stop()
  await rm(dataFolder, { recursive: true, force: true })
}

async function withServer<T>(work: (server: TestServer) => Promise<T>): Promise<T> {
  const server = await startTestServer()
  try {
    return await work(server)
  } finally {
    await server.close()
  }
}

/** Creates a workspace with the same issues on each of `hosts` hosts, and a running scan of their target. */
async function accountWith({ database, ...server }: TestServer, hosts: number): Promise<Scanned> {
  const { owner } = database
  const workspace = await server.createWorkspace()
  const { targetId, issueIds } = await seedIssues({ database, ...server }, workspace, {
    issues: issuesCount,
    hosts,
    at: new Date(),
  })
  const threats = await owner.selectFrom('threat').select('key').orderBy('key').execute()
  const [scanId, now] = [newId(), new Date()]
  const scan = { account_id: workspace, id: scanId, target_id: targetId, started_by: 'bench' }
  const times = { created_at: now, updated_at: now, started_at: now, completed_at: null, last_activity_at: now }
  await owner
    .insertInto('scan')
    .values({ ...scan, ...times, type: 'TYPE_MANUAL', status: 'STATUS_RUNNING', phase: 'PHASE_CHECKS' })
    .execute()
  const rows = Array.from({ length: warmBatches + batches + 1 }, (_, number) => ({ number, scan_id: scanId }))
  await owner
    .insertInto('scan_batch')
    .values(rows.map((row) => ({ ...row, account_id: workspace, hosts: '[]', state: 'QUEUED' as const })))
    .execute()
  return { workspace, scanId, issueIds, checks: threats.map(({ key }) => key) }
}

/** Median duration of several batches in milliseconds, after a warm-up. */
async function batchMs(server: TestServer, scanned: Scanned): Promise<number> {
  const times: number[] = []
  for (let number = 0; number < warmBatches + batches; number++) times.push(await scanBatch(server, scanned, number))
  return median(times.slice(warmBatches))
}

/** Milliseconds to ingest a batch of new hosts with every issue on each. */
async function scanBatch(server: TestServer, { workspace, scanId, checks }: Scanned, number: number): Promise<number> {
  const hosts = Array.from({ length: hostsPerBatch }, (_, nth) => ({ address: `10.9.${number}.${nth}`, names: [] }))
  const endpoint = { port: 80, transport: 'tcp' } as const
  const proof = { location: '80/', quality: 99, evidence: '[core]', highlights: [] }
  const observations = hosts.flatMap(({ address }): Observation[] => [
    { kind: 'host', address, names: [], reached: true, reason: 'port 80 open', answersEverything: false },
    { kind: 'service', address, ...endpoint, protocol: 'http', tls: false, banner: '' },
    ...checks.map((check) => ({ kind: 'finding' as const, address, ...endpoint, check, threat: check, ...proof })),
  ])
  const startedAt = performance.now()
  await server.as(workspace, (ctx) => ingest(ctx, server.jobs, { scanId, number, hosts, observations, knowledge: {} }))
  return performance.now() - startedAt
}

async function decide(server: TestServer, { workspace, issueIds }: Scanned): Promise<void> {
  const ids = issueIds.slice(0, decidedIssues)
  const startedAt = performance.now()
  await server.as(workspace, (ctx) => setStatusOfMany(ctx, { ids, status: 'STATUS_RESOLVED' }, server))
  report('decision on 120,000 occurrences: request', performance.now() - startedAt, 'ms', 1000)
  const queued = performance.now()
  await applyPendingDecisions({ database: server.database, log }, workspace, AbortSignal.timeout(600_000))
  report('time until it was applied to all of them', (performance.now() - queued) / 1000, 's', 30)
}

/** Runs what autovacuum runs between the batches of a real scan. */
async function vacuum(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('vacuum analyze')
  await client.end()
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function report(figure: string, value: number, unit: string, limit: number): void {
  console.log(JSON.stringify({ figure, value, unit, limit }))
}

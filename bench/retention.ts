/**
 * Benchmarks retention: deleting one day from a million rows of issue history over 400 days, and from a million events
 * over 31 days, compared to counting the table. Uses the server of TEST_DATABASE_URL or starts one.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../apps/server/src/database/embedded.ts'
import { deleteExpiredIssueData } from '../apps/server/src/issues/index.ts'
import { createLogger } from '../apps/server/src/log.ts'
import { deleteOldEvents } from '../apps/server/src/notifications/index.ts'
import { seedIssues } from '../apps/server/src/testing/issues.ts'
import { startTestServer } from '../apps/server/src/testing/test-server.ts'
import pg from 'pg'

const [issues, hosts] = [10, 500]
const rowCount = 1_000_000
const [historyDays, eventDays] = [400, 31]
const dayMs = 86_400_000
const now = new Date()
const ago = (days: number) => new Date(now.getTime() - days * dayMs)

const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-bench-'))
const log = createLogger({ level: 'error' })
const postgres = process.env['TEST_DATABASE_URL'] ? null : await startPostgres({ dataFolder, log, isDurable: false })
if (postgres) process.env['TEST_DATABASE_URL'] = postgres.url
const server = await startTestServer()
const client = new pg.Client({ connectionString: server.url })
try {
  await client.connect()
  const workspace = await server.createWorkspace()
  await seedIssues(server, workspace, { issues, hosts, at: now })
  await addHistory()
  await addEvents(workspace)
  // Autovacuum does this in the background.
  await client.query('vacuum analyze')
  const history = { history: ago(historyDays - 1), evidence: ago(historyDays) }
  await measure('issue_event', () => deleteExpiredIssueData(server.database, history))
  await measure('event', () => deleteOldEvents(server.database, now))
} finally {
  await client.end()
  await server.close()
  await postgres?.stop()
  await rm(dataFolder, { recursive: true, force: true })
}

/** Spreads further status changes of each occurrence evenly over the days. */
async function addHistory(): Promise<void> {
  const perOccurrence = rowCount / (issues * hosts)
  await client.query(
    `insert into issue_event (account_id, id, issue_id, host_id, target_id, status, verification, at, actor)
     select account_id, new_id(), issue_id, host_id, target_id, 'STATUS_OPEN', 'VERIFICATION_VERIFIED',
            $1::timestamptz - ($2::int - n + 0.5) * interval '1 day' * $3::float8, 'scan'
     from generate_series(0, $2::int - 1) as n cross join occurrence`,
    [now, perOccurrence, historyDays / perOccurrence],
  )
}

async function addEvents(workspace: string): Promise<void> {
  await client.query(
    `insert into event (account_id, at, kind, title, resource_kind, resource_id)
     select $1::uuid, $2::timestamptz + n * interval '1 day' * $3::float8, 'EVENT_ISSUE_OPENED', 'Redis exposed',
            'issue', n::text
     from generate_series(0, $4::int - 1) as n`,
    [workspace, ago(eventDays), eventDays / rowCount, rowCount],
  )
}

async function measure(table: 'issue_event' | 'event', remove: () => Promise<void>): Promise<void> {
  const counting = performance.now()
  const before = await count(table)
  const countMs = performance.now() - counting
  const removing = performance.now()
  await remove()
  const removeMs = performance.now() - removing
  const removed = before - (await count(table))
  console.log(`${table}: ${removed} of ${before} rows deleted; counting them took ${Math.round(countMs)} ms`)
  report(`deleting a day of ${table}`, removeMs / 1000, 's', 30)
  report(`deleting a day of ${table} / counting its rows`, removeMs / countMs, '×', 100)
}

async function count(table: 'issue_event' | 'event'): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${table}`)
  return rows[0]?.count ?? 0
}

function report(figure: string, value: number, unit: string, limit: number): void {
  console.log(JSON.stringify({ figure, value, unit, limit }))
}

/**
 * Migrations run in one transaction while other processes may still write, so none may read, change, or rewrite all rows
 * of a table with a row per host, finding, event, or record. Rows of such tables are changed in the background, in batches.
 */
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import type { Migration } from 'kysely/migration'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrations } from '#database/migrations.ts'
import { type TestDatabase, testDatabase } from '#testing/database.ts'

const largeTables = [
  'audit_event',
  'delivery',
  'distribution_fix',
  'event',
  'host',
  'host_count',
  'host_product',
  'issue',
  'issue_event',
  'occurrence',
  'product',
  'scan',
  'scan_batch',
  'scan_host',
  'scan_issue',
  'service',
  'stats_day',
  'threat',
  'threat_product',
]
/** Older than this rule: a partial index without rows, which takes one pass over the table, and a new primary key. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  '0011-agent-inventory': ['distribution_fix is read', 'occurrence is read'],
}

let database: TestDatabase
let db: Kysely<unknown>
beforeAll(async () => {
  database = await testDatabase()
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  pool.on('error', () => undefined)
  db = new Kysely({ dialect: new PostgresDialect({ pool }) })
})
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

interface TableState {
  readonly name: string
  /** Changes when the table is rewritten. */
  readonly file: string
  /** Sequential scans in this transaction, also those that build an index or validate a constraint. */
  readonly scans: string
}

async function tableStates(tx: Transaction<unknown>): Promise<readonly TableState[]> {
  const { rows } = await sql<TableState>`
    select relname as name, pg_relation_filenode(relid)::text as file, seq_scan::text as scans
    from pg_stat_xact_user_tables where schemaname = 'public' and relname = any(${largeTables})
    order by relname`.execute(tx)
  return rows
}

/** Runs one migration. An empty table is scanned and rewritten by the same statements as a large one. */
async function costs(tx: Transaction<unknown>, migration: Migration): Promise<string[]> {
  const before = new Map((await tableStates(tx)).map((table) => [table.name, table]))
  await migration.up(tx)
  return (await tableStates(tx)).flatMap(({ name, file, scans }) => {
    const { file: fileBefore = file, scans: scansBefore = scans } = before.get(name) ?? {}
    if (file !== fileBefore) return [`${name} is rewritten`]
    return scans === scansBefore ? [] : [`${name} is read`]
  })
}

/** Ends with a rollback. */
async function costsOf(all: Readonly<Record<string, Migration>>): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  const rollback = new Error('rolled back')
  const run = db.transaction().execute(async (tx) => {
    for (const [name, migration] of Object.entries(all)) {
      const ofMigration = await costs(tx, migration)
      if (ofMigration.length > 0) found[name] = ofMigration
    }
    const names = (await tableStates(tx)).map(({ name }) => name)
    expect(names, 'all tables have the names that are listed here').toEqual(largeTables)
    throw rollback
  })
  await run.catch((error: unknown) => {
    if (error !== rollback) throw error
  })
  return found
}

it('no migration reads or rewrites a large table', async () => {
  expect(await costsOf(migrations)).toEqual(exceptions)
})

it.each([
  ['update event set kind = kind', 'event is read'],
  ['alter table host alter column owner type varchar', null],
  ["alter table host alter column owner type text using owner || ''", 'host is rewritten'],
  ['alter table occurrence add column note text', null],
  ["alter table occurrence add column note text not null default ''", null],
  ['alter table occurrence add column note text not null default random()::text', 'occurrence is rewritten'],
  ['alter table service add constraint port_is_low check (port < 70000)', 'service is read'],
  ['alter table service add constraint port_is_low check (port < 70000) not valid', null],
  ['create index later on issue_event (at)', 'issue_event is read'],
] as const)('measures the cost of: %s', async (statement, cost) => {
  const later: Migration = { up: async (tx) => void (await sql.raw(statement).execute(tx)) }
  const found = await costsOf({ ...migrations, later })
  expect(found['later'] ?? []).toEqual(cost === null ? [] : [cost])
})

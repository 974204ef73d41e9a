import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { migrations } from '#database/migrations.ts'
import { type TestDatabase, testDatabase } from '#testing/database.ts'
import { migrate } from './migrate.ts'

let database: TestDatabase
let db: Kysely<unknown>
beforeEach(async () => {
  database = await testDatabase()
  const pool = new pg.Pool({ connectionString: database.url, max: 4 })
  // Dropping the database can terminate a connection that is still closing.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  db = new Kysely({ dialect: new PostgresDialect({ pool }) })
})
afterEach(async () => {
  await db.destroy()
  await database.drop()
})

const applied = async () =>
  (await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)).rows.map((row) => row.name)

it('SEC-G6 creates the schema once, even if several processes start together', async () => {
  await Promise.all([migrate(db), migrate(db), migrate(db)])
  await migrate(db)
  expect(await applied()).toEqual(Object.keys(migrations).toSorted())
})

it('runs only the given migrations, and the others later', async () => {
  await migrate(db, ['0001-baseline'])
  expect(await applied()).toEqual(['0001-baseline'])
  await migrate(db)
  expect(await applied()).toEqual(Object.keys(migrations).toSorted())
})

it('SEC-G6 rejects a database that is newer than the code', async () => {
  await migrate(db)
  await sql`insert into kysely_migration values ('9999-later', now()::text)`.execute(db)
  await expect(migrate(db)).rejects.toThrow(/newer release of Glacis.*9999-later/)
})

it('rejects a database of a pre-release version and leaves it unchanged', async () => {
  await sql`create table public.migration (name text primary key, applied_at timestamptz)`.execute(db)
  await expect(migrate(db)).rejects.toThrow(/pre-release version.*nothing was changed.*GLACIS_DATA/)
  const { rows } = await sql`select from pg_tables where schemaname = 'public' and tablename <> 'migration'`.execute(db)
  expect(rows).toEqual([])
})

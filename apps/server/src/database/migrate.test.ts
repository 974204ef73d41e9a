import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '#testing/database.ts'
import { migrate, type Migration } from './migrate.ts'

let database: TestDatabase
let db: Kysely<unknown>
beforeEach(async () => {
  database = await testDatabase()
  db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: database.url, max: 4 }) }) })
})
afterEach(async () => {
  await db.destroy()
  await database.drop()
})

/** Counts in the database itself how often it ran. */
const counting = (name: string): Migration => ({
  name,
  async up(transaction) {
    await sql`create table if not exists run (name text)`.execute(transaction)
    await sql`insert into run values (${name})`.execute(transaction)
  },
})
const failing: Migration = {
  name: '0002-broken',
  async up(transaction) {
    await sql`create table half (id int)`.execute(transaction)
    await sql`select no_such_column`.execute(transaction)
  },
}
const runs = async () => (await sql<{ name: string }>`select name from run`.execute(db)).rows.map(({ name }) => name)

it('runs each migration once, in order, and later only the new ones', async () => {
  await migrate(db, [counting('0001-a'), counting('0002-b')])
  await migrate(db, [counting('0001-a'), counting('0002-b'), counting('identity-1')])
  expect(await runs()).toEqual(['0001-a', '0002-b', 'identity-1'])
})

it('lets processes that start together take turns', async () => {
  const list = [counting('0001-a'), counting('0002-b')]
  await Promise.all([migrate(db, list), migrate(db, list), migrate(db, list)])
  expect(await runs()).toEqual(['0001-a', '0002-b'])
})

it('leaves nothing of a migration that fails, and keeps the ones before it', async () => {
  await expect(migrate(db, [counting('0001-a'), failing])).rejects.toThrow('no_such_column')
  const { rows } = await sql<{ half: string | null }>`select to_regclass('half') as half`.execute(db)
  expect(rows[0]?.half).toBeNull()
  await migrate(db, [counting('0001-a'), counting('0002-broken')])
  expect(await runs()).toEqual(['0001-a', '0002-broken'])
})

it('refuses a database that is newer than the code', async () => {
  await migrate(db, [counting('0001-a'), counting('0002-b')])
  await expect(migrate(db, [counting('0001-a')])).rejects.toThrow(/newer release of Glacis.*"0002-b"/)
})

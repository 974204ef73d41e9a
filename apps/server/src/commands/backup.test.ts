import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { backup, restore } from './backup.ts'
import { dumpDatabase } from '#database/backup/dump.ts'
import { tablesOf } from '#database/backup/tables.ts'
import { openDatabase } from '#database/index.ts'
import { isAway } from '#database/loss.ts'
import { createChannel } from '#notifications/index.ts'
import { startScan } from '#scans/index.ts'
import { createTarget } from '#targets/index.ts'
import { type TestDatabase, testDatabase } from '#testing/database.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()
let folder: string
let file: string
let empty: TestDatabase
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-backup-'))
  file = join(folder, 'glacis.backup')
  await furnish()
  await mkdir(join(folder, 'one/packs/templates'), { recursive: true })
  await writeFile(join(folder, 'one/packs/templates/a.yaml'), 'id: a\n')
  await writeFile(join(folder, 'one/packs/templates/empty.yaml'), '')
  await backup([file], place(server.url, 'one'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  empty = await testDatabase()
  return () => empty.drop()
})

function place(url: string, name: string) {
  return { environment: { DATABASE_URL: url, GLACIS_DATA: join(folder, name) }, root: folder }
}

/** An account with a scope, a scan that waits in the queue, names that are hard to write, and news for a channel. */
async function furnish(): Promise<void> {
  const id = await server.account()
  await server.as(
    id,
    async (ctx) => {
      await createChannel(
        ctx,
        { gate: 'public' },
        { channel: { kind: 'KIND_WEBHOOK', webhookUrl: 'https://hooks.example.ch/here' } },
      )
      const schedule = { period: 'PERIOD_DAILY' as const }
      const { target } = await createTarget(ctx, {
        name: 'Tab\tback\\slash "quote" é😀\\N',
        address: '127.0.0.1',
        schedule,
        tags: [],
      })
      await startScan(ctx, server.jobs, target.id)
    },
    { actor: person },
  )
}

/** All that stands in the tables; the numbers of transactions are another database's. */
async function contents(url: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const found = new Map<string, string[]>()
    for (const { name, columns } of await tablesOf(client)) {
      const kept = columns.filter((column) => !['xid', 'taken_until'].includes(column))
      const { rows } = await client.query<{ line: string }>(
        `select row_to_json(shown)::text as line from (select ${kept.join(', ')} from ${name}) as shown order by 1`,
      )
      if (rows.length > 0 && !name.startsWith('pgboss.queue'))
        found.set(
          name,
          rows.map(({ line }) => line),
        )
    }
    return found
  } finally {
    await client.end()
  }
}

it('brings back every row, into a file for its owner alone', async () => {
  await restore([file], place(empty.url, 'two'))
  const [before, after] = [await contents(server.url), await contents(empty.url)]
  expect(Object.fromEntries(after)).toEqual(Object.fromEntries(before))
  expect([...before.keys()]).toEqual(expect.arrayContaining(['public.account', 'public.scan', 'pgboss.job']))
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await expect(readFile(join(folder, 'two/packs/templates/a.yaml'), 'utf8')).resolves.toBe('id: a\n')
})

it('puts references, triggers and counters back in force', async () => {
  await restore([file], place(empty.url, 'three'))
  const forms = await Promise.all([server.url, empty.url].map(formOf))
  expect(forms[1]).toEqual(forms[0])
})

/** Constraints, triggers that are on, and where counting goes on. */
async function formOf(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: constraints } = await client.query(
      `select conrelid::regclass::text as on, conname, convalidated, pg_get_constraintdef(oid) as says
       from pg_constraint where connamespace::regnamespace::text in ('public', 'identity', 'pgboss') order by 1, 2`,
    )
    const { rows: triggers } = await client.query(
      `select tgrelid::regclass::text as on, tgname, tgenabled from pg_trigger where not tgisinternal order by 1, 2`,
    )
    const { rows: sequences } = await client.query(
      `select schemaname, sequencename, last_value from pg_sequences order by 1, 2`,
    )
    return { constraints, triggers, sequences }
  } finally {
    await client.end()
  }
}

it('lets channels take what they had not taken', async () => {
  await restore([file], place(empty.url, 'four'))
  const nothing = { info() {}, warn() {}, error() {} }
  const database = openDatabase(empty.url, nothing, { app: 2, owner: 1 })
  try {
    const rows = await database.owner.selectFrom('event').select('id').orderBy('id').execute()
    expect(rows.length).toBeGreaterThan(0)
    const waiting = await database.owner
      .selectFrom('event')
      .innerJoin('channel', 'channel.account_id', 'event.account_id')
      .whereRef('event.xid', '>=', 'channel.taken_until')
      .select('event.id')
      .orderBy('event.id')
      .execute()
    expect(waiting.map(({ id }) => String(id))).toEqual(rows.map(({ id }) => String(id)))
  } finally {
    await database.close()
  }
})

function inverted(whole: Buffer, from: number, count: number): Buffer {
  return Buffer.from(whole.map((byte, at) => (at >= from && at < from + count ? byte ^ 0xff : byte)))
}

it.each([
  ['is cut off', async (whole: Buffer) => whole.subarray(0, whole.length - 40)],
  ['is something else', async () => Buffer.from('<!doctype html><title>Sign in</title>')],
  // Of a thousand single bits there is one that says the same either way, such as where a repetition is copied from.
  ['was changed on the way', async (whole: Buffer) => inverted(whole, whole.length >> 1, 16)],
])('restores nothing from a file that %s', async (_how, change) => {
  const damaged = join(folder, 'damaged.backup')
  await writeFile(damaged, await change(await readFile(file)))
  await expect(restore([damaged], place(empty.url, 'five'))).rejects.toThrow(/no backup|damaged|cut off/)
  expect((await contents(empty.url).catch(() => new Map())).get('public.account')).toBeUndefined()
})

it('fails by the statement alone where the database ends in the middle of a backup', async () => {
  const parts = dumpDatabase(server.url, '1')
  await parts.next()
  await endOthers(server.url)
  const error = await parts.next().catch((cause: unknown) => cause)
  expect(isAway(error)).toBe(true)
})

/** Ends all that work on the same database, as its stop does. */
async function endOthers(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'`)
  await client.end()
}

it('overwrites nobody, neither an account nor a file', async () => {
  await expect(restore([file], place(server.url, 'six'))).rejects.toThrow('This installation already has accounts (1)')
  await expect(backup([file], place(server.url, 'one'))).rejects.toThrow("Can't write")
  expect((await contents(server.url)).get('public.account')).toHaveLength(1)
})

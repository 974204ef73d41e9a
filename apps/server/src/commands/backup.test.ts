import { execFileSync, spawnSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { CliError } from '#cli-error.ts'
import { backup, restore, verify } from './backup.ts'
import { dumpDatabase } from '#database/backup/dump.ts'
import { tablesOf } from '#database/backup/tables.ts'
import { openDatabase } from '#database/index.ts'
import { isConnectionLoss } from '#database/connection-errors.ts'
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
  await createData()
  await mkdir(join(folder, 'one/packs/templates'), { recursive: true })
  await writeFile(join(folder, 'one/packs/templates/a.yaml'), 'id: a\n')
  await writeFile(join(folder, 'one/packs/templates/empty.yaml'), '')
  await backup([file], commandContext(server.url, 'one'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  empty = await testDatabase()
  return () => empty.drop()
})

function commandContext(url: string, name: string) {
  return { environment: { DATABASE_URL: url, GLACIS_DATA: join(folder, name) }, root: folder }
}

/** Creates an account with a target whose name needs escaping, a queued scan, and events for a channel. */
async function createData(): Promise<void> {
  const id = await server.createWorkspace()
  await server.as(
    id,
    async (ctx) => {
      await createChannel(
        ctx,
        { egress: 'public' },
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

/** The rows of all tables, without transaction IDs, which differ between databases. */
async function contents(url: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const rowsByTable = new Map<string, string[]>()
    for (const { name, columns } of await tablesOf(client)) {
      const comparedColumns = columns.filter((column) => !['xid', 'taken_until'].includes(column))
      const { rows } = await client.query<{ line: string }>(
        `select row_to_json(shown)::text as line from (select ${comparedColumns.join(', ')} from ${name}) as shown order by 1`,
      )
      if (rows.length > 0 && !name.startsWith('pgboss.queue'))
        rowsByTable.set(
          name,
          rows.map(({ line }) => line),
        )
    }
    return rowsByTable
  } finally {
    await client.end()
  }
}

it('SEC-G5 restores every row, from a file that only its owner can read', async () => {
  await restore([file], commandContext(empty.url, 'two'))
  const [before, after] = [await contents(server.url), await contents(empty.url)]
  expect(Object.fromEntries(after)).toEqual(Object.fromEntries(before))
  expect([...before.keys()]).toEqual(expect.arrayContaining(['public.workspace', 'public.scan', 'pgboss.job']))
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await expect(readFile(join(folder, 'two/packs/templates/a.yaml'), 'utf8')).resolves.toBe('id: a\n')
})

it('restores foreign keys, triggers, and sequences', async () => {
  await restore([file], commandContext(empty.url, 'three'))
  const schemas = await Promise.all([server.url, empty.url].map(schemaOf))
  expect(schemas[1]).toEqual(schemas[0])
})

/** Constraints, enabled triggers, and the positions of sequences. */
async function schemaOf(url: string): Promise<unknown> {
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

it('keeps the events that a channel has not sent yet', async () => {
  await restore([file], commandContext(empty.url, 'four'))
  const silentLog = { info() {}, warn() {}, error() {} }
  const database = openDatabase(empty.url, silentLog, { app: 2, owner: 1 })
  try {
    const rows = await database.owner.selectFrom('event').select('id').orderBy('id').execute()
    expect(rows.length).toBeGreaterThan(0)
    const pendingEvents = await database.owner
      .selectFrom('event')
      .innerJoin('channel', 'channel.account_id', 'event.account_id')
      .whereRef('event.xid', '>=', 'channel.taken_until')
      .select('event.id')
      .orderBy('event.id')
      .execute()
    expect(pendingEvents.map(({ id }) => String(id))).toEqual(rows.map(({ id }) => String(id)))
  } finally {
    await database.close()
  }
})

function invert(content: Buffer, from: number, count: number): Buffer {
  return Buffer.from(content.map((byte, at) => (at >= from && at < from + count ? byte ^ 0xff : byte)))
}

it.each([
  ['is truncated', async (content: Buffer) => content.subarray(0, content.length - 40)],
  ['is not a backup', async () => Buffer.from('<!doctype html><title>Sign in</title>')],
  // Inverts several bytes: a single inverted bit can decompress to the same data.
  ['was corrupted', async (content: Buffer) => invert(content, content.length >> 1, 16)],
])('restores nothing from a file that %s', async (_damage, change) => {
  const damaged = join(folder, 'damaged.backup')
  await writeFile(damaged, await change(await readFile(file)))
  await expect(restore([damaged], commandContext(empty.url, 'five'))).rejects.toThrow(
    /not a backup|corrupted|truncated/,
  )
  expect((await contents(empty.url).catch(() => new Map())).get('public.workspace')).toBeUndefined()
})

it('fails only the current statement if the database stops during a backup', async () => {
  const parts = dumpDatabase(server.url, '1')
  await parts.next()
  await terminateConnections(server.url)
  const error = await parts.next().catch((cause: unknown) => cause)
  expect(isConnectionLoss(error)).toBe(true)
})

/** Terminates the other connections to this database, as a shutdown does. */
async function terminateConnections(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'`)
  await client.end()
}

describe('encrypted backups', () => {
  let keys: string
  let encrypted: string
  let recipient: string
  beforeAll(async () => {
    const identity = await generateX25519Identity()
    recipient = await identityToRecipient(identity)
    keys = join(folder, 'keys.txt')
    encrypted = join(folder, 'encrypted.backup.age')
    await writeFile(keys, `# created: 2026-11-25\n# public key: ${recipient}\n${identity}\n`)
    await backup([encrypted, '--recipient', recipient], commandContext(server.url, 'one'))
  })

  it('are restored with the secret key', async () => {
    await restore([encrypted, '--identity', keys], commandContext(empty.url, 'seven'))
    expect(Object.fromEntries(await contents(empty.url))).toEqual(Object.fromEntries(await contents(server.url)))
  })

  it('are not restored without it, or with another key', async () => {
    await expect(restore([encrypted], commandContext(empty.url, 'eight'))).rejects.toThrow('Pass --identity')
    const others = join(folder, 'other.txt')
    await writeFile(others, await generateX25519Identity())
    await expect(restore([encrypted, '--identity', others], commandContext(empty.url, 'eight'))).rejects.toThrow(
      "Can't decrypt",
    )
  })

  it.each([
    ['in the header', 100],
    ['in the content', -40],
  ])('are not restored if cut %s', async (_, bytes) => {
    const cut = join(folder, 'cut.backup.age')
    await writeFile(cut, (await readFile(encrypted)).subarray(0, bytes))
    await expect(restore([cut, '--identity', keys], commandContext(empty.url, 'eight'))).rejects.toThrow(CliError)
    await expect(verify([cut, '--identity', keys], commandContext(empty.url, 'eight'))).rejects.toThrow(CliError)
  })

  it('are not written for an invalid recipient', async () => {
    const args = [join(folder, 'never.backup'), '--recipient', 'age1wrong']
    await expect(backup(args, commandContext(server.url, 'one'))).rejects.toThrow('age1wrong is not an age public key')
  })

  describe.runIf(spawnSync('age', ['--version']).status === 0)('with the age program', () => {
    it('can be decrypted by it', async () => {
      const plain = join(folder, 'plain.backup')
      execFileSync('age', ['--decrypt', '--identity', keys, '--output', plain, encrypted])
      await restore([plain], commandContext(empty.url, 'nine'))
      expect((await contents(empty.url)).get('public.workspace')).toHaveLength(1)
    })

    it('can be encrypted by it', async () => {
      const theirs = join(folder, 'theirs.backup.age')
      execFileSync('age', ['--recipient', recipient, '--output', theirs, file])
      await restore([theirs, '--identity', keys], commandContext(empty.url, 'ten'))
      expect((await contents(empty.url)).get('public.workspace')).toHaveLength(1)
    })
  })
})

it('verifies the newest scheduled backup, and fails for a damaged one', async () => {
  const backups = join(folder, 'scheduled')
  await mkdir(backups)
  const context = commandContext(server.url, 'one')
  Object.assign(context.environment, { GLACIS_BACKUP: backups })
  await expect(verify([], context)).rejects.toThrow('contains no backup yet')
  await copyFile(file, join(backups, 'glacis-2026-11-24T04-00-00Z.backup'))
  await expect(verify([], context)).resolves.toBeUndefined()
  await writeFile(join(backups, 'glacis-2026-11-25T04-00-00Z.backup'), (await readFile(file)).subarray(0, -40))
  await expect(verify([], context)).rejects.toThrow(/2026-11-25.*Nothing was restored/)
})

it('removes the copy of a verification that was killed', async () => {
  const [killed, starting] = [
    await mkdtemp(join(tmpdir(), 'glacis-verify-')),
    await mkdtemp(join(tmpdir(), 'glacis-verify-')),
  ]
  const pidsMax = 2 ** 22 // proc_sys_kernel(5)
  await writeFile(join(killed, 'glacis.pid'), `${pidsMax + 1} boot/1\n`)
  await verify([file], commandContext(server.url, 'one'))
  const names = await readdir(tmpdir())
  expect([killed, starting].map((path) => names.includes(basename(path)))).toEqual([false, true])
  await rm(starting, { recursive: true })
})

it('overwrites neither a workspace nor a file', async () => {
  await expect(restore([file], commandContext(server.url, 'six'))).rejects.toThrow(
    'This installation already has workspaces (1)',
  )
  await expect(backup([file], commandContext(server.url, 'one'))).rejects.toThrow('already exists')
  expect((await contents(server.url)).get('public.workspace')).toHaveLength(1)
})

import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { createLogger } from '#log.ts'
import { databaseFolder } from '#testing/folder.ts'
import { type Postgres, startPostgres } from './embedded.ts'
import { buffersOf } from './launch.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'

// Each test creates a cluster, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

let dataFolder: string
/** A new cluster, which tests copy. */
let template: string
const started: Postgres[] = []
beforeAll(async () => {
  template = await databaseFolder('glacis-postgres-')
  await (await startPostgres({ dataFolder: template, log, isDurable: false })).stop()
})
afterAll(() => rm(template, { recursive: true, force: true }))
beforeEach(async () => {
  dataFolder = await databaseFolder('glacis-postgres-')
})
afterEach(async () => {
  for (const postgres of started.splice(0)) await postgres.stop()
  await rm(dataFolder, { recursive: true, force: true })
})

const log = createLogger({ level: 'silent' })
async function start(folder = dataFolder, isDurable = false): Promise<Postgres> {
  const postgres = await startPostgres({ dataFolder: folder, log, isDurable })
  started.push(postgres)
  return postgres
}

/** Starts from a copy of the new cluster, with its owner. */
async function startCopy(folder = dataFolder, isDurable = false): Promise<Postgres> {
  await promisify(execFile)('cp', ['-Rp', join(template, 'postgres'), folder])
  return start(folder, isDurable)
}

async function query(url: string, statement: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement)
    return rows.map((row) => String(Object.values(row)[0]))
  } finally {
    await client.end()
  }
}

const serverPid = async () =>
  Number((await readFile(join(dataFolder, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])

it('keeps data across a restart', async () => {
  const first = await startCopy()
  await query(first.url, `create table kept as select 'yes' as value`)
  await first.stop()
  const second = await start()
  expect(await query(second.url, 'select value from kept')).toEqual(['yes'])
})

const canUseOtherUserIds =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--user', '--map-user=65534', 'true'], { uid: 1234567 }).status === 0

it.runIf(canUseOtherUserIds)('runs under a user ID without a name', async () => {
  const [uid, gid] = [1234567, 1234567]
  await chown(dataFolder, uid, gid)
  const script = `import { startPostgres } from ${JSON.stringify(new URL('./embedded.ts', import.meta.url).href)}
    import { createLogger } from ${JSON.stringify(new URL('../log.ts', import.meta.url).href)}
    const options = { dataFolder: ${JSON.stringify(dataFolder)}, log: createLogger({ level: 'silent' }), isDurable: false }
    await (await startPostgres(options)).stop()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { uid, gid, stdio: 'inherit' })
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(await readFile(join(dataFolder, 'postgres/PG_VERSION'), 'utf8')).toBe('18\n')
})

it('sorts text by code point and supports Unicode letters', async () => {
  const { url } = await startCopy()
  expect(await query(url, `select upper('grüße') || ('a' < 'B')::text`)).toEqual(['GRÜßEfalse'])
})

it("doesn't listen on network addresses", async () => {
  const { url } = await startCopy()
  expect(await query(url, 'show listen_addresses')).toEqual([''])
})

it('migrates several databases with a shared role concurrently', async () => {
  const { url } = await startCopy()
  const names = ['one', 'two', 'three', 'four']
  for (const name of names) await query(url, `create database ${name}`)
  const migrated = names.map(async (name) => {
    const databaseUrl = new URL(url)
    databaseUrl.pathname = `/${name}`
    const db = new Kysely({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl.href, max: 2 }) }),
    })
    await migrate(db)
    await db.destroy()
    return Number(await query(databaseUrl.href, 'select count(*) from kysely_migration'))
  })
  expect(await Promise.all(migrated)).toEqual(names.map(() => Object.keys(migrations).length))
})

it('SEC-G1 recovers committed data after SIGKILL', async () => {
  const { url } = await startCopy(dataFolder, true)
  await query(url, `create table kept as select 'yes' as value`)
  process.kill(await serverPid(), 'SIGKILL')
  await expect.poll(() => query(url, 'select value from kept').catch(() => []), { timeout: 60_000 }).toEqual(['yes'])
})

it('SEC-G2 reports a full disk at the first start', async ({ skip }) => {
  const options = ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs']
  if (spawnSync('mount', [...options, dataFolder]).status !== 0) skip('Only root can mount a small disk.')
  try {
    await expect(start()).rejects.toThrow(`The disk of ${dataFolder} is full.`)
  } finally {
    spawnSync('umount', [dataFolder])
  }
})

it('reports why the database fails to start', async () => {
  await (await startCopy()).stop()
  await rm(join(dataFolder, 'postgres/global/pg_control'))
  await expect(start()).rejects.toThrow(`The embedded database in ${dataFolder} failed to start: `)
})

it('retries until the cause of a failed restart is gone', async () => {
  const { promise: restartFailed, resolve } = Promise.withResolvers<void>()
  const output = { write: (line: string) => void (line.includes('restart failed') && resolve()) }
  const postgres = await startPostgres({ dataFolder, log: createLogger({ level: 'error', output }), isDurable: false })
  started.push(postgres)
  const needed = join(dataFolder, 'postgres/global/pg_control')
  await rename(needed, `${needed}.moved`)
  process.kill(await serverPid(), 'SIGKILL')
  await restartFailed
  await rename(`${needed}.moved`, needed)
  await expect.poll(() => query(postgres.url, 'select 1').catch(() => []), { timeout: 60_000 }).toEqual(['1'])
})

/** Starts the database from a process and kills that process. Without `setpriv` on PATH, the database keeps running. */
async function startAndKill(path: string | undefined): Promise<void> {
  const script = `import { startPostgres } from ${JSON.stringify(new URL('./embedded.ts', import.meta.url).href)}
    import { createLogger } from ${JSON.stringify(new URL('../log.ts', import.meta.url).href)}
    await startPostgres({ dataFolder: ${JSON.stringify(dataFolder)}, log: createLogger({ level: 'silent' }) })
    console.log('ready'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

it.each([
  ['is still running', '/nowhere'],
  ['is shutting down', process.env['PATH']],
])('starts after its supervisor was killed, while the old server %s', async (_name, path) => {
  await startAndKill(path)
  const { url } = await start()
  expect(await query(url, 'select 1')).toEqual(['1'])
})

it.each([
  ['a small machine', 256 * 2 ** 20, 48],
  ['a machine of two gigabytes', 2 * 2 ** 30, 256],
  ['a large machine', 64 * 2 ** 30, 256],
])('uses an eighth of the memory for buffers, within bounds: %s', (_name, bytes, megabytes) => {
  expect(buffersOf(bytes)).toBe(megabytes)
})

it('ignores a stale lock file whose process ID was reused', async () => {
  await (await startCopy()).stop()
  await writeFile(join(dataFolder, 'postgres/postmaster.pid'), `${process.pid}\n${dataFolder}/postgres\n1\n5432\n`)
  const { url } = await start()
  expect(await query(url, 'select 1')).toEqual(['1'])
})

it('rejects data of another major version', async () => {
  await (await startCopy()).stop()
  await writeFile(join(dataFolder, 'postgres/PG_VERSION'), '15\n')
  await expect(start()).rejects.toThrow(/was created by PostgreSQL 15, but this release includes PostgreSQL 18/)
})

it('works in a folder whose path is too long for a socket', async () => {
  const { url } = await start(join(dataFolder, 'a'.repeat(60), 'b'.repeat(60)))
  expect(await query(url, 'select 1')).toEqual(['1'])
})

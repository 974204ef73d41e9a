import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLogger } from '#log.ts'
import { type Postgres, startPostgres } from './embedded.ts'
import { buffersOf } from './launch.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'

// Each test makes a whole cluster, which a busy machine does slowly.
vi.setConfig({ testTimeout: 120_000 })

let dataFolder: string
const started: Postgres[] = []
beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'glacis-postgres-'))
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

async function ask(url: string, statement: string): Promise<string[]> {
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

it('keeps what was written over a stop and a start', async () => {
  const first = await start()
  await ask(first.url, `create table kept as select 'yes' as word`)
  await first.stop()
  const second = await start()
  expect(await ask(second.url, 'select word from kept')).toEqual(['yes'])
})

const mayBeAnyone =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--user', '--map-user=65534', 'true'], { uid: 1234567 }).status === 0

it.runIf(mayBeAnyone)('runs under a user id that has no name', async () => {
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

it('compares text by code point and has Unicode letters', async () => {
  const { url } = await start()
  expect(await ask(url, `select upper('grüße') || ('a' < 'B')::text`)).toEqual(['GRÜßEfalse'])
})

it('listens on no network address', async () => {
  const { url } = await start()
  expect(await ask(url, 'show listen_addresses')).toEqual([''])
})

it('holds several installations that are made at the same time, and share the one role', async () => {
  const { url } = await start()
  const names = ['one', 'two', 'three', 'four']
  for (const name of names) await ask(url, `create database ${name}`)
  const made = names.map(async (name) => {
    const own = new URL(url)
    own.pathname = `/${name}`
    const db = new Kysely({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: own.href, max: 2 }) }),
    })
    await migrate(db)
    await db.destroy()
    return Number(await ask(own.href, 'select count(*) from kysely_migration'))
  })
  expect(await Promise.all(made)).toEqual(names.map(() => Object.keys(migrations).length))
})

it('comes back after a kill, with what was committed', async () => {
  const { url } = await start(dataFolder, true)
  await ask(url, `create table kept as select 'yes' as word`)
  process.kill(await serverPid(), 'SIGKILL')
  await expect.poll(() => ask(url, 'select word from kept').catch(() => []), { timeout: 60_000 }).toEqual(['yes'])
})

it('comes back when what kept it from starting has passed', async () => {
  const { promise: complained, resolve } = Promise.withResolvers<void>()
  const output = { write: (line: string) => void (line.includes('restart failed') && resolve()) }
  const postgres = await startPostgres({ dataFolder, log: createLogger({ level: 'error', output }), isDurable: false })
  started.push(postgres)
  const needed = join(dataFolder, 'postgres/global/pg_control')
  await rename(needed, `${needed}.aside`)
  process.kill(await serverPid(), 'SIGKILL')
  await complained
  await rename(`${needed}.aside`, needed)
  await expect.poll(() => ask(postgres.url, 'select 1').catch(() => []), { timeout: 60_000 }).toEqual(['1'])
})

/** A process that starts the database and is killed; without setpriv on its PATH nothing tells the server. */
async function abandon(path: string | undefined): Promise<void> {
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
  ['that is still running', '/nowhere'],
  ['that is about to leave', process.env['PATH']],
])('starts in place of a server %s after its supervisor was killed', async (_name, path) => {
  await abandon(path)
  const { url } = await start()
  expect(await ask(url, 'select 1')).toEqual(['1'])
})

it.each([
  ['a small machine', 256 * 2 ** 20, 48],
  ['a machine of two gigabytes', 2 * 2 ** 30, 256],
  ['a large machine', 64 * 2 ** 30, 256],
])('keeps pages in an eighth of the memory, within bounds: %s', (_name, bytes, megabytes) => {
  expect(buffersOf(bytes)).toBe(megabytes)
})

it('is not held up by a lock file whose number now belongs to somebody else', async () => {
  await (await start()).stop()
  await writeFile(join(dataFolder, 'postgres/postmaster.pid'), `${process.pid}\n${dataFolder}/postgres\n1\n5432\n`)
  const { url } = await start()
  expect(await ask(url, 'select 1')).toEqual(['1'])
})

it('refuses the data of another major version with a sentence', async () => {
  await (await start()).stop()
  await writeFile(join(dataFolder, 'postgres/PG_VERSION'), '15\n')
  await expect(start()).rejects.toThrow(/was created by PostgreSQL 15, but this release includes PostgreSQL 18/)
})

it('works in a folder whose path is too long for a socket', async () => {
  const { url } = await start(join(dataFolder, 'a'.repeat(60), 'b'.repeat(60)))
  expect(await ask(url, 'select 1')).toEqual(['1'])
})

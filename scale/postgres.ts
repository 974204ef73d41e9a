/**
 * PostgreSQL servers from our package, and PgBouncer as a distribution packages it, for tests of poolers, replicas, and
 * failover.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile, chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPrograms } from '../apps/server/src/database/programs.ts'
import { freePort } from '../e2e/ports.ts'
import { withClient } from '../faults/query.ts'

const run = promisify(execFile)
const pgbouncer = '/usr/sbin/pgbouncer'

/** Why the tests can't run; null if they can. */
export const missingPrograms = existsSync(pgbouncer) ? null : 'pgbouncer is not installed'

/** PostgreSQL doesn't run as root. */
async function unprivileged(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const id = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o700)
  await own(folder)
}

async function own(path: string): Promise<void> {
  const { uid, gid } = await unprivileged()
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid)
}

export interface Server {
  readonly folder: string
  readonly port: number
  readonly url: string
  query(text: string): Promise<void>
  /** Ends all of its processes immediately. */
  kill(): Promise<void>
}

/** @param primary the server to replicate, if the new server is to be a streaming replica */
export async function startServer(folder: string, primary?: Server): Promise<Server> {
  const as = await unprivileged()
  const { postgres, initdb } = await findPrograms({ uid: as.uid, gid: as.gid }, '/var/cache/glacis')
  const port = await freePort()
  await makeFolder(folder)
  if (primary) await copyServer(primary, folder)
  else {
    await run(initdb, ['-D', folder, '-U', 'glacis', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'], {
      ...as,
      cwd: '/',
    })
    // A killed process loses nothing that it wrote, as long as the machine stays up.
    await appendFile(join(folder, 'postgresql.conf'), "fsync = off\nmax_connections = 60\ntimezone = 'Europe/Zurich'\n")
  }
  const options = ['-D', folder, '-p', String(port), '-k', '', '-h', '127.0.0.1']
  const child = spawn(postgres, options, { ...as, cwd: '/', stdio: 'ignore', detached: true })
  const url = `postgresql://glacis@127.0.0.1:${port}/postgres`
  await untilAnswering(url, child)
  if (!primary) await withClient(url, (client) => client.query('create database glacis'))
  const databaseUrl = url.replace('/postgres', '/glacis')
  return {
    folder,
    port,
    url: databaseUrl,
    query: async (text) => void (await withClient(databaseUrl, (client) => client.query(text))),
    kill: () => end(child, 'SIGKILL'),
  }
}

/** A base backup, as PostgreSQL's manual describes it for copies of the files. */
async function copyServer({ folder: source, port, url }: Server, folder: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query("select pg_backup_start('copy', true)")
    await run('cp', ['-a', `${source}/.`, folder])
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
    await writeFile(join(folder, 'backup_label'), rows[0]?.labelfile ?? '')
  })
  await rm(join(folder, 'postmaster.pid'))
  await writeFile(join(folder, 'standby.signal'), '')
  await own(join(folder, 'standby.signal'))
  await appendFile(join(folder, 'postgresql.conf'), `primary_conninfo = 'host=127.0.0.1 port=${port} user=glacis'\n`)
  await own(join(folder, 'backup_label'))
}

export interface Pooler {
  /** Transactions of different clients share sessions. */
  readonly url: string
  /** Each client has its own session. */
  readonly sessionUrl: string
  /** Sends new transactions to another server. */
  repoint(server: Server): Promise<void>
  close(): Promise<void>
}

export async function startPooler(folder: string, server: Server): Promise<Pooler> {
  const as = await unprivileged()
  const port = await freePort()
  await makeFolder(folder)
  const file = join(folder, 'pgbouncer.ini')
  const configure = async (target: Server) => {
    const database = `host=127.0.0.1 port=${target.port} dbname=glacis user=glacis`
    await writeFile(
      file,
      `[databases]
glacis = ${database} pool_mode=transaction pool_size=8
glacis_session = ${database} pool_mode=session pool_size=20
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
server_login_retry = 1
server_connect_timeout = 2
`,
    )
  }
  await configure(server)
  const child = spawn(pgbouncer, [file], { ...as, cwd: '/', stdio: 'ignore', detached: true })
  const url = `postgresql://glacis@127.0.0.1:${port}/glacis`
  await untilAnswering(url, child)
  return {
    url,
    sessionUrl: `${url}_session`,
    async repoint(target) {
      await configure(target)
      child.kill('SIGHUP')
    },
    close: () => end(child, 'SIGTERM'),
  }
}

async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + 30_000
  for (;;) {
    try {
      return void (await withClient(url, (client) => client.query('select 1')))
    } catch (error) {
      if (performance.now() > deadline || child.exitCode !== null) throw error
    }
    await new Promise((done) => setTimeout(done, 100))
  }
}

/** Signals the whole process group: a server's processes outlive their parent. */
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exit = once(child, 'exit')
  process.kill(-child.pid, signal)
  await exit
}

/**
 * The embedded PostgreSQL: started with us, restarted when it crashes, stopped with us.
 *
 * It listens on a Unix socket alone, in a folder that only its account and root may enter, so there
 * is no port to attack and no password to lose. Every write that it acknowledges is on disk.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { totalmem } from 'node:os'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from '#log.ts'
import { Obstacle } from '#obstacle.ts'
import { clearRemains, type Cluster, makeCluster, openCluster, stopSignals, takeSeat } from './cluster.ts'
import { findPrograms } from './native.ts'

/** Tuned for little memory at rest; one machine, tens of connections. */
const settings = {
  listen_addresses: '',
  max_connections: '40',
  shared_buffers: `${buffersOf(memory())}MB`,
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  // No replica will ever read our log, so it holds only what recovery needs.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '512MB',
  checkpoint_timeout: '15min',
  // Each of these would be a process of its own that mostly sleeps.
  io_method: 'sync',
  max_parallel_workers: '0',
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  max_logical_replication_workers: '0',
  autovacuum_worker_slots: '2',
  autovacuum_max_workers: '2',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '',
  // Statements hold our users' data; a failing one is logged by whoever sent it.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
}

/** Bytes that this machine, or the container we run in, has. */
function memory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity)
}

/**
 * Megabytes in which the server keeps pages: an eighth of the memory, within bounds. They are taken when pages are read
 * and not at the start, but for a thirtieth that says which page is where. With few of them a scan that writes pushes
 * out what it is about to need, and page after page goes to the system and comes back.
 */
export function buffersOf(memoryBytes: number): number {
  return Math.round(Math.min(Math.max(memoryBytes / 8 / 2 ** 20, 48), 1024))
}

const quickButForgetful = { max_connections: '200', fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/** Crash recovery may have to read the whole log. */
const startMsMax = 300_000
/** A server that dies more often than this within `crashWindowMs` will not get better by itself. */
const crashesMax = 5
const crashWindowMs = 60_000

const leavingMsMax = 10_000
const lookAgainMs = 100

export interface Postgres {
  /** For `pg` and for libpq: the Unix socket, the owner of everything, the database `glacis`. */
  readonly url: string
  /** Resolves when the server crashed so often that we gave up; never otherwise. */
  readonly lost: Promise<Obstacle>
  /** Resolves when the server has ended, at the latest after five seconds. */
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Made when it is missing. The caller makes sure that no other process uses it. */
  readonly dataFolder: string
  readonly log: Logger
  /** False trades every promise about crashes for speed; for tests. */
  readonly isDurable?: boolean
}

/**
 * Starts PostgreSQL on the data folder, after making the cluster on the first start and after
 * clearing away what a crash left behind.
 *
 * @throws Obstacle when the folder or the platform does not allow it
 */
export async function startPostgres({ dataFolder, log, isDurable = true }: PostgresOptions): Promise<Postgres> {
  const cluster = await openCluster(dataFolder)
  const isRoot = cluster.account.uid !== undefined
  const programs = await findPrograms(cluster.account, isRoot ? '/var/cache/glacis' : dataFolder)
  await makeCluster(cluster, programs, isDurable)
  await clearRemains(cluster)

  const lost = Promise.withResolvers<Obstacle>()
  const crashes: number[] = []
  let isStopping = false
  let server = await run()

  async function run(): Promise<ChildProcess> {
    const child = await launchWhenFree(programs.postgres, cluster, { log, isDurable })
    child.once('exit', (code, signal) => {
      if (!isStopping) void revive(signal ?? `code ${code}`)
    })
    return child
  }

  async function revive(ending: string): Promise<void> {
    const now = Date.now()
    crashes.push(now)
    log.error({ ending }, 'the embedded database ended unexpectedly')
    try {
      if (crashes.filter((at) => at > now - crashWindowMs).length > crashesMax) throw new Error('it keeps crashing')
      await clearRemains(cluster)
      server = await run()
      log.info('the embedded database is back')
      if (isStopping) await end(server)
    } catch (cause) {
      lost.resolve(new Obstacle(`The embedded database in ${cluster.folder} cannot be kept running.`, { cause }))
    }
  }

  try {
    const url = socketUrl(cluster)
    await makeDatabase(url)
    return {
      url,
      lost: lost.promise,
      async stop() {
        isStopping = true
        await end(server)
      },
    }
  } catch (error) {
    isStopping = true
    await end(server)
    throw error
  }
}

/** Where a cluster's server is reached: its Unix socket, as the owner of everything. */
export function socketUrl({ socketFolder }: Pick<Cluster, 'socketFolder'>): string {
  return `postgresql://glacis@localhost/glacis?host=${encodeURIComponent(socketFolder)}`
}

/** The children of a server that was killed leave a moment after it; until then none may start. */
async function launchWhenFree(...words: Parameters<typeof launch>): Promise<ChildProcess> {
  const patience = Date.now() + leavingMsMax
  for (;;) {
    try {
      return await launch(...words)
    } catch (error) {
      const isOccupied = error instanceof Error && error.message.includes('is still in use')
      if (!isOccupied || Date.now() > patience) throw error
      await wait(lookAgainMs)
    }
  }
}

async function launch(
  postgres: string,
  cluster: Cluster,
  { log, isDurable }: { log: Logger; isDurable: boolean },
): Promise<ChildProcess> {
  await using seat = await takeSeat(cluster)
  const chosen = { ...settings, ...(isDurable ? {} : quickButForgetful), unix_socket_directories: seat.socketFolder }
  const command = [...dieWithUs(), postgres, '-D', seat.folder]
  for (const [name, value] of Object.entries(chosen)) command.push('-c', `${name}=${value}`)

  const [program = '', ...words] = command
  // A session of its own: Ctrl-C in the terminal is for us, and we end the server when we are ready.
  const child = spawn(program, words, {
    ...seat.spawn,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', ...seat.handles],
  })
  await untilReady(child, log)
  return child
}

let prefix: readonly string[] | undefined
/** Linux can tell the server when we are gone, however suddenly; it then shuts down in good order. */
function dieWithUs(): readonly string[] {
  const command = ['setpriv', '--pdeathsig', 'INT', '--']
  prefix ??= spawnSync('setpriv', [...command.slice(1), 'true']).status === 0 ? command : []
  return prefix
}

/** Follows what the server says, for as long as it lives. */
async function untilReady(child: ChildProcess, log: Logger): Promise<void> {
  const ready = Promise.withResolvers<void>()
  let complaint = ''
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.includes('database system is ready to accept connections')) ready.resolve()
      if (/^(FATAL|PANIC)/.test(line)) complaint = line
      log.debug({ line }, 'postgres')
    })
  }
  child.once('error', ready.reject)
  child.once('exit', (code) => ready.reject(new Error(`postgres ended with code ${code}. ${complaint}`.trim())))
  const timer = setTimeout(() => ready.reject(new Error('postgres did not become ready')), startMsMax)
  try {
    await ready.promise
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function makeDatabase(url: string): Promise<void> {
  const wanted = new pg.Client({ connectionString: url })
  try {
    await wanted.connect()
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === '3D000')) throw error
    const client = new pg.Client({ connectionString: url.replace('/glacis?', '/postgres?') })
    await client.connect()
    await client.query('create database glacis')
    await client.end()
    return
  }
  await wanted.end()
}

async function end(child: ChildProcess): Promise<void> {
  for (const { signal, waitMs } of stopSignals) {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit', { signal: AbortSignal.timeout(waitMs) }).catch(() => undefined)
  }
}

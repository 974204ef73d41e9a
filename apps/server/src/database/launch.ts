/** Launches the embedded PostgreSQL: its settings, and waiting until it is ready. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { totalmem } from 'node:os'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '#log.ts'
import { type Cluster, openFolderAccess } from './cluster.ts'
import type { Programs } from './programs.ts'

/** Tuned for low idle memory on one machine with tens of connections. */
const settings = {
  listen_addresses: '',
  max_connections: '40',
  shared_buffers: `${buffersOf(memory())}MB`,
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  // There are no replicas, so the WAL only needs to support crash recovery.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '512MB',
  checkpoint_timeout: '15min',
  // Each of these would be a mostly idle process.
  max_parallel_workers: '0',
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  max_logical_replication_workers: '0',
  autovacuum_max_workers: '2',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '',
  // Statements contain user data, so failing ones are logged only by the caller.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
}

/** Settings that earlier versions don't support. */
const settingsSince18 = { io_method: 'sync', autovacuum_worker_slots: '2' }

/** Memory of the machine or container in bytes. */
function memory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity)
}

/**
 * Megabytes of `shared_buffers`: an eighth of the memory, within bounds. PostgreSQL allocates a thirtieth of them at the
 * start and the rest as pages are read.
 */
export function buffersOf(memoryBytes: number): number {
  return Math.round(Math.min(Math.max(memoryBytes / 8 / 2 ** 20, 48), 256))
}

const settingsWithoutDurability = {
  max_connections: '200',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
}

/** Long enough for a crash recovery. */
const startTimeoutMs = 300_000
const retryMsMax = 10_000
const retryMs = 100

/** Launches the server; retries while child processes of a killed server are still exiting. */
export async function launchWithRetry(...args: Parameters<typeof launch>): Promise<ChildProcess> {
  const deadline = Date.now() + retryMsMax
  for (;;) {
    try {
      return await launch(...args)
    } catch (error) {
      const isInUse = error instanceof Error && error.message.includes('is still in use')
      if (!isInUse || Date.now() > deadline) throw error
      await wait(retryMs)
    }
  }
}

async function launch(
  { postgres, major }: Programs,
  cluster: Cluster,
  { log, isDurable }: { log: Logger; isDurable: boolean },
): Promise<ChildProcess> {
  await using access = await openFolderAccess(cluster)
  const options = {
    ...settings,
    ...(Number(major) >= 18 ? settingsSince18 : {}),
    ...(isDurable ? {} : settingsWithoutDurability),
    unix_socket_directories: access.socketFolder,
  }
  const command = [...parentDeathSignal(), postgres, '-D', access.folder]
  for (const [name, value] of Object.entries(options)) command.push('-c', `${name}=${value}`)

  const [program = '', ...args] = command
  // Its own session, so that Ctrl-C in the terminal does not stop the server before us.
  const child = spawn(program, args, {
    ...access.spawn,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', ...access.handles],
  })
  await untilReady(child, log)
  return child
}

let prefix: readonly string[] | undefined
/** On Linux, the server receives SIGINT when this process dies, even after SIGKILL. */
function parentDeathSignal(): readonly string[] {
  const command = ['setpriv', '--pdeathsig', 'INT', '--']
  prefix ??= spawnSync('setpriv', [...command.slice(1), 'true']).status === 0 ? command : []
  return prefix
}

/** Waits until the server is ready, and keeps logging its output. */
async function untilReady(child: ChildProcess, log: Logger): Promise<void> {
  const ready = Promise.withResolvers<void>()
  let lastError = ''
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.includes('database system is ready to accept connections')) ready.resolve()
      if (/^(FATAL|PANIC)/.test(line)) lastError = line
      log.debug({ line }, 'postgres')
    })
  }
  child.once('error', ready.reject)
  child.once('exit', (code) => ready.reject(new Error(`postgres exited with code ${code}. ${lastError}`.trim())))
  const timer = setTimeout(() => ready.reject(new Error('postgres did not become ready in time')), startTimeoutMs)
  try {
    await ready.promise
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** One start of the embedded PostgreSQL: how it is set, and when it is ready. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { totalmem } from 'node:os'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '#log.ts'
import { type Cluster, takeSeat } from './cluster.ts'

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
const leavingMsMax = 10_000
const lookAgainMs = 100

/** The children of a server that was killed leave a moment after it; until then none may start. */
export async function launchWhenFree(...words: Parameters<typeof launch>): Promise<ChildProcess> {
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

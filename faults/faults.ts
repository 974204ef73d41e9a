/** The faults. Each ends by itself, and the installation has to recover from it. */
import { setTimeout as wait } from 'node:timers/promises'
import type { RunningAgent } from './agent.ts'
import type { Clock } from './clock.ts'
import { type Installation, processNames } from './installation.ts'
import { withClient } from './query.ts'
import type { Random } from './random.ts'
import type { ReceiverMode, Receiver } from './receivers.ts'

export interface Stage {
  readonly agent: RunningAgent
  /** The clock of all processes except the database and the agent; null if it can't be set. */
  readonly clock: Clock | null
  readonly installation: Installation
  readonly random: Random
  readonly webhooks: Receiver
  readonly mail: Receiver
}
export type Fault = (stage: Stage) => Promise<void>

/** How long a stall lasts: longer than the timeouts of a request and of a database connection. */
const stallMs = 4000

const kill =
  (name: string): Fault =>
  async ({ installation }) => {
    await installation.kill(name)
    await installation.start(name)
  }

/** Longer than a lease, so that another worker takes over. */
const pauseMs = 5000

const setReceiverMode =
  (of: 'webhooks' | 'mail', during: ReceiverMode): Fault =>
  async (stage) => {
    stage[of].mode = during
    await wait(stallMs)
    stage[of].mode = 'accepting'
  }

/** The clock jumps twice: to another time, and back. */
const setClock =
  (seconds: number): Fault =>
  async ({ clock }) => {
    await clock?.shift(seconds)
    await wait(stallMs)
    await clock?.shift(0)
  }

export const faults: Readonly<Record<string, Fault>> = {
  'kill the API': kill('api'),
  'kill a worker': kill('worker 1'),
  'kill both workers': async ({ installation }) => {
    await Promise.all([installation.kill('worker 1'), installation.kill('worker 2')])
    await Promise.all([installation.start('worker 1'), installation.start('worker 2')])
  },
  'kill everything': async ({ installation }) => {
    await Promise.all(processNames.map((name) => installation.kill(name)))
    for (const name of processNames) await installation.start(name)
  },
  'kill the agent': ({ agent }) => agent.restart(),
  'pause a worker': async ({ installation }) => {
    installation.signal('worker 1', 'SIGSTOP')
    await wait(pauseMs)
    installation.signal('worker 1', 'SIGCONT')
  },
  'kill a database connection': async ({ installation, random }) => {
    const pids = await connections(installation)
    // PostgreSQL ends all other connections too, and recovers from its log.
    if (pids.length > 0) process.kill(random.pick(pids), 'SIGKILL')
  },
  'kill the database': async ({ installation }) => void process.kill(await installation.postmaster(), 'SIGKILL'),
  'cut all database connections': async ({ installation }) => {
    await withClient(installation.databaseUrl, (client) =>
      client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
      ),
    )
  },
  'stall the database': async ({ installation }) => {
    const pids = await connections(installation)
    for (const pid of pids) signal(pid, 'SIGSTOP')
    await wait(stallMs)
    for (const pid of pids) signal(pid, 'SIGCONT')
  },
  'fill the disk of the database': async ({ installation }) => {
    const free = await installation.fillDisk?.()
    await wait(stallMs)
    await free?.()
  },
  'set the clock an hour ahead': setClock(3600),
  'set the clock back by an hour': setClock(-3600),
  'stall the webhook receiver': setReceiverMode('webhooks', 'stalling'),
  'fail webhooks': setReceiverMode('webhooks', 'failing'),
  'stall the mail server': setReceiverMode('mail', 'stalling'),
  'fail emails': setReceiverMode('mail', 'failing'),
}

async function connections({ databaseUrl }: Installation): Promise<number[]> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<{ pid: number }>(
      "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    ),
  )
  return rows.map(({ pid }) => pid)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The connection has ended in the meantime.
  }
}

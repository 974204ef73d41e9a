/**
 * The embedded PostgreSQL: started with us, restarted when it crashes, stopped with us.
 *
 * It listens on a Unix socket alone, in a folder that only its account and root may enter, so there
 * is no port to attack and no password to lose. Every write that it acknowledges is on disk.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from '#log.ts'
import { Obstacle } from '#obstacle.ts'
import { clearRemains, type Cluster, makeCluster, openCluster, stopSignals } from './cluster.ts'
import { launchWhenFree } from './launch.ts'
import { findPrograms } from './native.ts'

/** A server that dies more often than this within `crashWindowMs` will not get better by itself. */
const crashesMax = 5
const crashWindowMs = 60_000

/** Between two attempts to start it again, longer each time. */
const restartMs = { first: 1000, most: 30_000 }

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
      await startAgain(now)
      if (isStopping) await end(server)
    } catch (cause) {
      const words = cause instanceof Error ? cause.message : String(cause)
      lost.resolve(
        new Obstacle(`The embedded database in ${cluster.folder} cannot be kept running: ${words}`, { cause }),
      )
    }
  }

  /** What kept it from starting may pass; a full disk for as long as it takes, anything else within a minute. */
  async function startAgain(since: number): Promise<void> {
    for (let waitMs = restartMs.first; ; waitMs = Math.min(2 * waitMs, restartMs.most)) {
      try {
        await clearRemains(cluster)
        server = await run()
        return log.info('the embedded database is back')
      } catch (cause) {
        if (isStopping) return
        const isFull = cause instanceof Error && cause.message.includes('No space left on device')
        if (!isFull && Date.now() > since + crashWindowMs) throw cause
        const next = isFull
          ? 'the disk is full: the embedded database waits for room'
          : 'the embedded database stays away'
        log.error({ err: cause }, next)
        await wait(waitMs, undefined, { ref: false })
        if (isStopping) return
      }
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

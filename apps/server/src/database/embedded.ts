/**
 * The embedded PostgreSQL: starts and stops with Glacis and is restarted after a crash.
 *
 * It listens only on a Unix socket in a private folder, so it needs no port and no password. Commits are durable.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from '#log.ts'
import { CliError } from '#cli-error.ts'
import { cleanUpAfterCrash, type Cluster, createCluster, openCluster, stopSignals } from './cluster.ts'
import { launchWithRetry } from './launch.ts'
import { findPrograms } from './programs.ts'

/** More crashes within `crashWindowMs` are treated as a permanent failure. */
const crashesMax = 5
const crashWindowMs = 60_000

/** Backoff between restart attempts. */
const restartMs = { first: 1000, most: 30_000 }

export interface Postgres {
  /** Connection URL for `pg` and libpq, as the owner of the database. */
  readonly url: string
  /** Resolves if the server fails permanently. */
  readonly failed: Promise<CliError>
  /** Resolves when the server has stopped, within five seconds. */
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Created if missing. The caller ensures that no other process uses it. */
  readonly dataFolder: string
  readonly log: Logger
  /** False turns off fsync, for tests. */
  readonly isDurable?: boolean
  /** The unpacked npm package of another version; by default, this release's. */
  readonly packageFolder?: string | undefined
}

/**
 * Starts PostgreSQL, after creating the cluster on the first start and cleaning up after a crash.
 *
 * @throws CliError with the reason if it doesn't start
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  try {
    return await start(options)
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    const { dataFolder } = options
    const message = isDiskFull(cause)
      ? `The disk of ${dataFolder} is full. Free some space, or choose a folder on another disk.`
      : `The embedded database in ${dataFolder} failed to start: ${reasonOf(cause)}`
    throw new CliError(message, { cause })
  }
}

/** PostgreSQL's programs report it in their output only. */
function isDiskFull(error: unknown): boolean {
  return reasonOf(error).includes('No space left on device')
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function start({ dataFolder, log, isDurable = true, packageFolder }: PostgresOptions): Promise<Postgres> {
  const cluster = await openCluster(dataFolder)
  const isRoot = cluster.user.uid !== undefined
  const programs = await findPrograms(cluster.user, isRoot ? '/var/cache/glacis' : dataFolder, packageFolder)
  await createCluster(cluster, programs, isDurable)
  await cleanUpAfterCrash(cluster)

  const failed = Promise.withResolvers<CliError>()
  const crashes: number[] = []
  let isStopping = false
  let server = await run()

  async function run(): Promise<ChildProcess> {
    const child = await launchWithRetry(programs, cluster, { log, isDurable })
    child.once('exit', (code, signal) => {
      if (!isStopping) void recoverFromCrash(signal ?? `code ${code}`)
    })
    return child
  }

  async function recoverFromCrash(exitReason: string): Promise<void> {
    const now = Date.now()
    crashes.push(now)
    log.error({ exitReason }, 'embedded database crashed')
    try {
      if (crashes.filter((at) => at > now - crashWindowMs).length > crashesMax) throw new Error('It keeps crashing')
      await restart(now)
      if (isStopping) await end(server)
    } catch (cause) {
      failed.resolve(new CliError(`The embedded database in ${cluster.folder} failed: ${reasonOf(cause)}`, { cause }))
    }
  }

  /** Retries restarts: indefinitely while the disk is full, otherwise for a minute. */
  async function restart(since: number): Promise<void> {
    for (let waitMs = restartMs.first; ; waitMs = Math.min(2 * waitMs, restartMs.most)) {
      try {
        await cleanUpAfterCrash(cluster)
        server = await run()
        return log.info('embedded database restarted')
      } catch (cause) {
        if (isStopping) return
        const isFull = isDiskFull(cause)
        if (!isFull && Date.now() > since + crashWindowMs) throw cause
        const next = isFull ? 'disk full, embedded database restart delayed' : 'embedded database restart failed'
        log.error({ err: cause }, next)
        await wait(waitMs, undefined, { ref: false })
        if (isStopping) return
      }
    }
  }

  try {
    const url = socketUrl(cluster)
    await createDatabaseIfMissing(url)
    return {
      url,
      failed: failed.promise,
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

/** Connection URL of a cluster's Unix socket, as the owner of the database. */
export function socketUrl({ socketFolder }: Pick<Cluster, 'socketFolder'>): string {
  return `postgresql://glacis@localhost/glacis?host=${encodeURIComponent(socketFolder)}`
}

async function createDatabaseIfMissing(url: string): Promise<void> {
  const glacisClient = new pg.Client({ connectionString: url })
  try {
    await glacisClient.connect()
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === '3D000')) throw error
    const client = new pg.Client({ connectionString: url.replace('/glacis?', '/postgres?') })
    await client.connect()
    await client.query('create database glacis')
    await client.end()
    return
  }
  await glacisClient.end()
}

async function end(child: ChildProcess): Promise<void> {
  for (const { signal, waitMs } of stopSignals) {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit', { signal: AbortSignal.timeout(waitMs) }).catch(() => undefined)
  }
}

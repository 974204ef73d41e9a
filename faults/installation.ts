/** Glacis as several processes that share one PostgreSQL. Each of them can be killed. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres } from '../apps/server/src/database/embedded.ts'
import { createLogger } from '../apps/server/src/log.ts'
import { freePort } from '../e2e/ports.ts'
import { type Product, startProduct } from '../lab/product.ts'

/** The roles of each process. */
export type Roles = Readonly<Record<string, string>>
const fewProcesses: Roles = { api: 'api,identity', 'worker 1': 'worker', 'worker 2': 'worker' }
export const processNames: readonly string[] = Object.keys(fewProcesses)

export interface Installation {
  /** The public URL: that of the API, if there is no proxy. */
  readonly url: string
  readonly databaseUrl: string
  /** Where emails are written while no mail server is set. */
  readonly outbox: string
  start(name: string): Promise<void>
  /** Stops a process as an operator would, and resolves when it has ended. */
  terminate(name: string): Promise<void>
  /** Kills a process without a chance to clean up. It has to be started again. */
  kill(name: string): Promise<void>
  /** Sends a signal, such as one that pauses it. */
  signal(name: string, signal: NodeJS.Signals): void
  /** The process ID of a running process. */
  pidOf(name: string): number
  /** The port of each process. */
  readonly ports: Readonly<Record<string, number>>
  /** The main process of PostgreSQL, which is restarted by itself. */
  postmaster(): Promise<number>
  /** The folder for temporary files of all processes. */
  readonly temporary: string
  /** Fills the disk of the database and returns a function that frees it; null if it has no disk of its own. */
  readonly fillDisk: (() => Promise<() => Promise<void>>) | null
  /** Settings for processes that are started from now on. */
  settings: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/**
 * @param folder for data and the database
 * @param publicPort of a proxy in front of the processes; by default, the API is public
 * @param isDurable false for a database that is faster and accepts more connections, and must not be killed
 */
export async function startInstallation(
  folder: string,
  {
    roles = fewProcesses,
    publicPort,
    isDurable = true,
  }: { readonly roles?: Roles; readonly publicPort?: number; readonly isDurable?: boolean } = {},
): Promise<Installation> {
  const [databaseFolder, temporary] = [join(folder, 'database'), join(folder, 'temporary')]
  await mkdir(databaseFolder)
  await mkdir(temporary)
  const hasOwnDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1g', 'tmpfs', databaseFolder]).status === 0
  const postgres = await startPostgres({
    dataFolder: databaseFolder,
    log: createLogger({ level: 'silent' }),
    isDurable,
  })
  const running = new Map<string, Product>()
  const ports: Record<string, number> = {}
  for (const name of Object.keys(roles)) ports[name] = await freePort()
  const url = `http://localhost:${publicPort ?? ports['api']}`
  const end = async (name: string, signal: NodeJS.Signals) => {
    const child = running.get(name)?.process
    running.delete(name)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
  }
  const installation: Installation = {
    url,
    ports,
    databaseUrl: postgres.url,
    // Emails are written by the worker that sends them.
    outbox: join(folder, 'data', 'worker 1'),
    temporary,
    fillDisk: hasOwnDisk ? () => fillDisk(databaseFolder) : null,
    settings: {},
    async start(name) {
      const dataFolder = join(folder, 'data', name)
      await mkdir(dataFolder, { recursive: true })
      const settings = {
        TMPDIR: temporary,
        DATABASE_URL: postgres.url,
        GLACIS_URL: url,
        GLACIS_ROLES: roles[name] ?? '',
        GLACIS_LOG_LEVEL: 'error',
        GLACIS_SCAN_NETWORKS: '127.0.0.0/8',
        GLACIS_WEBHOOK_NETWORKS: '127.0.0.0/8',
        ...installation.settings,
      }
      running.set(name, await startProduct({ port: ports[name] ?? 0, dataFolder, settings }))
    },
    terminate: (name) => end(name, 'SIGTERM'),
    kill: (name) => end(name, 'SIGKILL'),
    pidOf: (name) => running.get(name)?.process.pid ?? 0,
    signal: (name, signal) => void running.get(name)?.process.kill(signal),
    async postmaster() {
      const [pid = ''] = (await readFile(join(databaseFolder, 'postgres/postmaster.pid'), 'utf8')).split('\n')
      return Number(pid)
    },
    async stop() {
      await Promise.all([...running.values()].map((product) => product.stop()))
      await postgres.stop()
      if (hasOwnDisk) spawnSync('umount', [databaseFolder])
    },
  }
  return installation
}

async function fillDisk(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'ballast')
  const file = await open(path, 'w')
  const megabyte = Buffer.alloc(1024 ** 2, 1)
  try {
    for (;;) await file.write(megabyte)
  } catch {
    // Full.
  } finally {
    await file.close()
  }
  return () => rm(path)
}

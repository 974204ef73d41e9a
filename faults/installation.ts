/** Glacis as several processes over one PostgreSQL, each of which can be killed. */
import { spawnSync } from 'node:child_process'
import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres } from '../apps/server/src/database/embedded.ts'
import { createLogger } from '../apps/server/src/log.ts'
import { freePort } from '../e2e/ports.ts'
import { type Product, startProduct } from '../lab/product.ts'

const roles = { api: 'api,identity', 'worker 1': 'worker', 'worker 2': 'worker' } as const
export type ProcessName = keyof typeof roles
export const processNames: readonly ProcessName[] = ['api', 'worker 1', 'worker 2']

export interface Installation {
  /** Of the API. */
  readonly url: string
  readonly databaseUrl: string
  /** Where emails are written while no mail server is set. */
  readonly outbox: string
  start(name: ProcessName): Promise<void>
  /** Kills a process without a chance to clean up. It has to be started again. */
  kill(name: ProcessName): Promise<void>
  /** Sends a signal, such as one that pauses it. */
  signal(name: ProcessName, signal: NodeJS.Signals): void
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

/** @param folder for data and the database */
export async function startInstallation(folder: string): Promise<Installation> {
  const [databaseFolder, temporary] = [join(folder, 'database'), join(folder, 'temporary')]
  await mkdir(databaseFolder)
  await mkdir(temporary)
  const hasOwnDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1g', 'tmpfs', databaseFolder]).status === 0
  const postgres = await startPostgres({ dataFolder: databaseFolder, log: createLogger({ level: 'silent' }) })
  const running = new Map<ProcessName, Product>()
  const ports = { api: await freePort(), 'worker 1': await freePort(), 'worker 2': await freePort() }
  const installation: Installation = {
    url: `http://localhost:${ports.api}`,
    databaseUrl: postgres.url,
    outbox: join(folder, 'data'),
    temporary,
    fillDisk: hasOwnDisk ? () => fillDisk(databaseFolder) : null,
    settings: {},
    async start(name) {
      // Emails are written into the data folder of the worker that sends them.
      const dataFolder = join(folder, name === 'api' ? 'api' : 'data', name === 'worker 2' ? 'second' : '')
      await mkdir(dataFolder, { recursive: true })
      const settings = {
        TMPDIR: temporary,
        DATABASE_URL: postgres.url,
        GLACIS_URL: `http://localhost:${ports.api}`,
        GLACIS_ROLES: roles[name],
        GLACIS_LOG_LEVEL: 'error',
        GLACIS_SCAN_NETWORKS: '127.0.0.0/8',
        GLACIS_WEBHOOK_NETWORKS: '127.0.0.0/8',
        ...installation.settings,
      }
      running.set(name, await startProduct({ port: ports[name], dataFolder, settings }))
    },
    async kill(name) {
      const child = running.get(name)?.process
      running.delete(name)
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const exit = Promise.withResolvers<void>()
      child.once('exit', () => exit.resolve())
      child.kill('SIGKILL')
      await exit.promise
    },
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

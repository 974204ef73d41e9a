/** The folder of the embedded PostgreSQL: who owns it, its first making, and what a crash left in it. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir, open, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { Obstacle } from '#obstacle.ts'
import type { Account, Programs } from './native.ts'

/** `nobody` on every system we know; PostgreSQL refuses to run as root. */
const nobody = 65_534
/** Linux keeps a socket's path in 108 bytes, macOS in 104, each with a NUL at its end. */
const socketPathBytesMax = 103
const socketName = '.s.PGSQL.5432'

export interface Cluster {
  readonly folder: string
  /** Where the Unix socket stands; mode 0700, so that only the account and root come in. */
  readonly socketFolder: string
  readonly account: Account
}

/**
 * Opens the data folder and finds out under which account its database runs: our own, or for root
 * the one that owns the database already, or `nobody`.
 *
 * @throws Obstacle when the folder cannot be used
 */
export async function openCluster(dataFolder: string): Promise<Cluster> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  const folder = join(await realpath(dataFolder), 'postgres')
  const owner = await stat(folder).catch(() => undefined)
  const account = accountFor(folder, owner)
  const socketFolder = await makeSocketFolder(join(await realpath(dataFolder), 'run'), account)
  return { folder, socketFolder, account }
}

function accountFor(folder: string, owner: { uid: number; gid: number } | undefined): Account {
  const self = process.getuid?.()
  if (self === 0) return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : { uid: nobody, gid: nobody }
  if (owner && owner.uid !== self) {
    throw new Obstacle(
      `The database in ${folder} belongs to another user (id ${owner.uid}), perhaps because Glacis was started as root; ` +
        'start it as that user or choose another folder with GLACIS_DATA.',
    )
  }
  return { uid: undefined, gid: undefined }
}

async function makeSocketFolder(preferred: string, account: Account): Promise<string> {
  const short = join(tmpdir(), `glacis-${createHash('sha256').update(preferred).digest('hex').slice(0, 16)}`)
  const folder = Buffer.byteLength(join(preferred, socketName)) <= socketPathBytesMax ? preferred : short
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await lstat(folder)
  // Everyone may write in the temporary folder: what we did not make there we do not trust.
  const trusted = [process.getuid?.(), account.uid]
  if (!found.isDirectory() || !trusted.includes(found.uid)) {
    throw new Obstacle(`${folder} belongs to someone else; remove it or choose a shorter folder with GLACIS_DATA.`)
  }
  await handOver(folder, account)
  return folder
}

async function handOver(folder: string, { uid, gid }: Account): Promise<void> {
  await chmod(folder, 0o700)
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
}

/**
 * Makes the cluster where there is none yet. It is made aside and renamed, so that a crash on the
 * way leaves nothing that looks like a database.
 *
 * @param isDurable false leaves out the final sync; for tests
 * @throws Obstacle when the folder holds the data of another major version
 */
export async function makeCluster(cluster: Cluster, programs: Programs, isDurable: boolean): Promise<void> {
  const version = await readFile(join(cluster.folder, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (version?.trim() === programs.major) return
  if (version !== undefined) {
    throw new Obstacle(
      `The database in ${cluster.folder} was made by PostgreSQL ${version.trim()}, and this release brings ` +
        `PostgreSQL ${programs.major}; move the data with a dump and restore, or choose another folder with GLACIS_DATA.`,
    )
  }
  const draft = `${cluster.folder}.part`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft)
  await handOver(draft, cluster.account)
  await runInitdb(draft, cluster, programs.initdb, isDurable)
  await rename(draft, cluster.folder)
}

async function runInitdb(draft: string, cluster: Cluster, initdb: string, isDurable: boolean): Promise<void> {
  await using seat = await takeSeat({ ...cluster, folder: draft })
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const trust = ['--username=glacis', '--auth-local=trust', '--auth-host=reject']
  const sync = isDurable ? [] : ['--no-sync']
  const child = spawn(initdb, ['-D', seat.folder, ...locale, ...trust, '--no-instructions', ...sync], {
    ...seat.spawn,
    stdio: ['ignore', 'ignore', 'pipe', ...seat.handles],
  })
  const [complaint, code] = await Promise.all([
    child.stderr ? text(child.stderr) : '',
    new Promise((done, fail) => child.once('error', fail).once('exit', done)),
  ])
  if (code !== 0) throw new Error(`initdb failed: ${complaint.trim()}`)
}

/** How a child process under the cluster's account reaches the cluster's two folders. */
export interface Seat extends AsyncDisposable {
  readonly folder: string
  readonly socketFolder: string
  /** To stand behind the three standard streams in `stdio`. */
  readonly handles: readonly number[]
  readonly spawn: {
    readonly cwd: string
    readonly env: Record<string, string>
    readonly uid?: number
    readonly gid?: number
  }
}

/**
 * The account that serves root's database may not walk through root's folders. On Linux it need
 * not: it inherits both folders as open files and reaches them under `/proc/self/fd`.
 */
export async function takeSeat({ folder, socketFolder, account }: Cluster): Promise<Seat> {
  const spawn = { cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env['PATH'] ?? '' } }
  const { uid, gid } = account
  if (uid === undefined || gid === undefined) {
    return { folder, socketFolder, handles: [], spawn, [Symbol.asyncDispose]: async () => undefined }
  }
  if (process.platform !== 'linux') {
    const close = async () => undefined
    return { folder, socketFolder, handles: [], spawn: { ...spawn, uid, gid }, [Symbol.asyncDispose]: close }
  }
  const opened = [await open(folder), await open(socketFolder)]
  return {
    folder: '/proc/self/fd/3',
    socketFolder: '/proc/self/fd/4',
    handles: opened.map((handle) => handle.fd),
    spawn: { ...spawn, uid, gid },
    async [Symbol.asyncDispose]() {
      for (const handle of opened) await handle.close()
    },
  }
}

/**
 * Ends a server that an earlier process of ours left behind, and removes its lock files, whose
 * process numbers may by now belong to anybody. The caller holds the data folder's lock.
 */
export async function clearRemains({ folder, socketFolder }: Cluster): Promise<void> {
  const lockFile = join(folder, 'postmaster.pid')
  const pid = Number((await readFile(lockFile, 'utf8').catch(() => '')).split('\n')[0])
  if (pid > 0 && (await isServerOf(folder, pid))) await endServer(pid, () => isServerOf(folder, pid))
  for (const path of [lockFile, join(socketFolder, socketName), join(socketFolder, `${socketName}.lock`)]) {
    await rm(path, { force: true })
  }
}

/** Whether that process is a PostgreSQL which works in that folder. Without /proc the number must do. */
async function isServerOf(folder: string, pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return isAlive(pid)
  const [program, place] = await Promise.all(
    ['exe', 'cwd'].map((link) => readlink(`/proc/${pid}/${link}`).catch(() => '')),
  )
  return basename(program ?? '').startsWith('postgres') && place === folder
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** PostgreSQL's smart shutdown lets clients leave; then the fast one, the immediate one, and no ceremony. */
export const stopSignals = [
  { signal: 'SIGTERM', waitMs: 500 },
  { signal: 'SIGINT', waitMs: 2500 },
  { signal: 'SIGQUIT', waitMs: 1000 },
  { signal: 'SIGKILL', waitMs: 1000 },
] as const

async function endServer(pid: number, isStillThere: () => Promise<boolean>): Promise<void> {
  for (const { signal, waitMs } of stopSignals) {
    process.kill(pid, signal)
    const patience = Date.now() + waitMs
    while (Date.now() < patience) {
      if (!(await isStillThere())) return
      await wait(20)
    }
  }
}

/** The data folder of the embedded PostgreSQL: ownership, initialization, and cleanup after a crash. */
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmod,
  chown,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CliError } from '#cli-error.ts'
import type { SystemUser, Programs } from './programs.ts'

/** The ID of `nobody` on all supported systems. PostgreSQL refuses to run as root. */
const nobody = 65_534
/** The maximum path length of a Unix socket is 107 bytes on Linux and 103 on macOS. */
const socketPathBytesMax = 103
const socketName = '.s.PGSQL.5432'

export interface Cluster {
  readonly folder: string
  /** Folder of the Unix socket, with mode 0700. */
  readonly socketFolder: string
  readonly user: SystemUser
}

/**
 * Opens the data folder and determines the user that runs the database: our own, or as root the owner of the database
 * or `nobody`.
 *
 * @throws CliError if the folder is unusable
 */
export async function openCluster(dataFolder: string): Promise<Cluster> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  const folder = join(await realpath(dataFolder), 'postgres')
  const owner = await stat(folder).catch(() => undefined)
  const user = systemUserFor(folder, owner)
  const socketFolder = await createSocketFolder(join(await realpath(dataFolder), 'run'), user)
  return { folder, socketFolder, user: user }
}

function systemUserFor(folder: string, owner: { uid: number; gid: number } | undefined): SystemUser {
  const self = process.getuid?.()
  if (self === 0) return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : { uid: nobody, gid: nobody }
  if (owner && owner.uid !== self) {
    throw new CliError(
      `The database in ${folder} belongs to another user (ID ${owner.uid}), possibly because Glacis was started as root. ` +
        'Start it as that user, or set GLACIS_DATA to another folder.',
    )
  }
  return { uid: undefined, gid: undefined }
}

async function createSocketFolder(preferred: string, user: SystemUser): Promise<string> {
  const short = join(tmpdir(), `glacis-${createHash('sha256').update(preferred).digest('hex').slice(0, 16)}`)
  const folder = Buffer.byteLength(join(preferred, socketName)) <= socketPathBytesMax ? preferred : short
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const stats = await lstat(folder)
  // The temporary folder is world-writable, so don't trust a folder that another user created.
  const trusted = [process.getuid?.(), user.uid]
  if (!stats.isDirectory() || !trusted.includes(stats.uid)) {
    throw new CliError(
      `${folder} belongs to another user. Remove it, or set GLACIS_DATA to a folder with a shorter path.`,
    )
  }
  await restrictToUser(folder, user)
  return folder
}

async function restrictToUser(folder: string, { uid, gid }: SystemUser): Promise<void> {
  await chmod(folder, 0o700)
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
}

/**
 * Creates the cluster if it doesn't exist. It is created under a temporary name and renamed, so that a crash leaves no
 * partial database.
 *
 * @param isDurable false skips the final sync, for tests
 * @throws CliError if the data is of another major version
 */
export async function createCluster(cluster: Cluster, programs: Programs, isDurable: boolean): Promise<void> {
  const version = await readFile(join(cluster.folder, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (version?.trim() === programs.major) return
  if (version !== undefined) {
    throw new CliError(
      `The database in ${cluster.folder} was created by PostgreSQL ${version.trim()}, but this release includes ` +
        `PostgreSQL ${programs.major}. Run: npx glacis upgrade --postgres`,
    )
  }
  const [old] = await earlierClusters(cluster.folder)
  if (old !== undefined)
    throw new CliError(`An upgrade of the database was interrupted (${old}). Run: npx glacis upgrade --postgres`)
  const draft = `${cluster.folder}.part`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft)
  await restrictToUser(draft, cluster.user)
  await runInitdb(draft, cluster, programs.initdb, isDurable)
  await rename(draft, cluster.folder)
}

/** The folders that upgrades have kept, newest version first: `postgres-17` next to `postgres`. */
export async function earlierClusters(folder: string): Promise<string[]> {
  const names = await readdir(dirname(folder))
  const versionOf = (name: string) => Number(/^postgres-(\d+)$/.exec(name)?.[1] ?? 0)
  return names
    .filter((name) => versionOf(name) > 0)
    .toSorted((a, b) => versionOf(b) - versionOf(a))
    .map((name) => join(dirname(folder), name))
}

async function runInitdb(draft: string, cluster: Cluster, initdb: string, isDurable: boolean): Promise<void> {
  await using access = await openFolderAccess({ ...cluster, folder: draft })
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const trust = ['--username=glacis', '--auth-local=trust', '--auth-host=reject']
  const sync = isDurable ? [] : ['--no-sync']
  const args = ['-D', access.folder, ...locale, ...trust, '--no-instructions', ...sync]
  const mapping = await withUserName()
  const child = spawn(mapping ? 'unshare' : initdb, mapping ? [...mapping, initdb, ...args] : args, {
    ...access.spawn,
    stdio: ['ignore', 'ignore', 'pipe', ...access.handles],
  })
  const [stderr, code] = await Promise.all([
    child.stderr ? text(child.stderr) : '',
    new Promise((done, fail) => child.once('error', fail).once('exit', done)),
  ])
  if (code !== 0) throw new Error(`initdb failed: ${stderr.trim()}`)
}

/**
 * initdb rejects a user ID without an entry in /etc/passwd, which is common in containers. A user namespace maps our ID
 * to one with a name; files still belong to our ID.
 *
 * @returns the arguments of `unshare`; null if our ID has a name
 * @throws CliError if the system does not allow user namespaces
 */
async function withUserName(): Promise<readonly string[] | null> {
  if (hasUserName()) return null
  const mapping = ['--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--']
  try {
    await promisify(execFile)('unshare', [...mapping, 'true'])
    return mapping
  } catch (cause) {
    const id = process.getuid?.()
    throw new CliError(
      `PostgreSQL needs a username, and user ID ${id} has no entry in /etc/passwd. Add one to the image ` +
        `(echo "glacis:x:${id}:${process.getgid?.()}::/tmp:/sbin/nologin" >> /etc/passwd), run as a user that has ` +
        'one, or set DATABASE_URL to use an existing server.',
      { cause },
    )
  }
}

/** The container image names an arbitrary user with nss_wrapper, which PostgreSQL needs too. */
function userNames(): Record<string, string> {
  const names = ['LD_PRELOAD', 'NSS_WRAPPER_PASSWD', 'NSS_WRAPPER_GROUP']
  if (!process.env['NSS_WRAPPER_PASSWD']) return {}
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']))
}

function hasUserName(): boolean {
  try {
    userInfo()
    return true
  } catch {
    return false
  }
}

/** How a child process run by the cluster's user accesses the cluster's two folders. */
export interface FolderAccess extends AsyncDisposable {
  readonly folder: string
  readonly socketFolder: string
  /** File descriptors to append to the standard streams in `stdio`. */
  readonly handles: readonly number[]
  readonly spawn: {
    readonly cwd: string
    readonly env: Record<string, string>
    readonly uid?: number
    readonly gid?: number
  }
}

/**
 * The unprivileged user of root's database can't traverse root's folders. On Linux, it inherits both folders as open
 * file descriptors and uses them as `/proc/self/fd`.
 */
export async function openFolderAccess({ folder, socketFolder, user }: Cluster): Promise<FolderAccess> {
  const spawn = { cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env['PATH'] ?? '', ...userNames() } }
  const { uid, gid } = user
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
 * Stops a server left running by an earlier process, and removes its lock files, whose process IDs may have been
 * reused. The caller holds the data folder's lock.
 */
export async function cleanUpAfterCrash({ folder, socketFolder }: Cluster): Promise<void> {
  const lockFile = join(folder, 'postmaster.pid')
  const pid = Number((await readFile(lockFile, 'utf8').catch(() => '')).split('\n')[0])
  if (pid > 0 && (await isServerOf(folder, pid))) await stopServer(pid, () => isServerOf(folder, pid))
  for (const path of [lockFile, join(socketFolder, socketName), join(socketFolder, `${socketName}.lock`)]) {
    await rm(path, { force: true })
  }
}

/** Whether the process is a PostgreSQL server on this folder. Without /proc, only checks that it is alive. */
async function isServerOf(folder: string, pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return isAlive(pid)
  const [program, workingFolder] = await Promise.all(
    ['exe', 'cwd'].map((link) => readlink(`/proc/${pid}/${link}`).catch(() => '')),
  )
  return basename(program ?? '').startsWith('postgres') && workingFolder === folder
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** PostgreSQL's smart, fast, and immediate shutdown, then SIGKILL. */
export const stopSignals = [
  { signal: 'SIGTERM', waitMs: 500 },
  { signal: 'SIGINT', waitMs: 2500 },
  { signal: 'SIGQUIT', waitMs: 1000 },
  { signal: 'SIGKILL', waitMs: 1000 },
] as const

async function stopServer(pid: number, isRunning: () => Promise<boolean>): Promise<void> {
  for (const { signal, waitMs } of stopSignals) {
    process.kill(pid, signal)
    const deadline = Date.now() + waitMs
    while (Date.now() < deadline) {
      if (!(await isRunning())) return
      await wait(20)
    }
  }
}

/** Creates the data folder and locks it for one process. */
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { CliError } from './cli-error.ts'
import { errorCode, systemReason } from './error-code.ts'

/** How long to wait for a process that is shutting down. */
const waitMsMax = 3000
const retryMs = 100

/**
 * Creates the data folder if it does not exist and locks it. The lock is a file with our process ID and start time, so
 * that a stale lock of a killed process or an earlier boot is detected and taken over.
 *
 * @returns a function that releases the lock
 * @throws CliError if the folder is not writable or another process has locked it
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'glacis.pid')
  const draft = `${file}.${process.pid}`
  const self = `${process.pid} ${await processIdentity(process.pid)}\n`
  try {
    await createFolder(folder)
    await writeFile(draft, self)
  } catch (cause) {
    throw new CliError(
      `Can't write to the data folder ${folder} (${systemReason(cause)}). Set GLACIS_DATA to another folder.`,
      {
        cause,
      },
    )
  }
  try {
    await acquire(file, draft, folder)
  } finally {
    await rm(draft, { force: true })
  }
  return async () => {
    if ((await contentOf(file)) === self) await rm(file, { force: true })
  }
}

/** @returns whether another process that is still running has locked the folder */
export async function isInUse(folder: string): Promise<boolean> {
  return isLocked(await contentOf(join(folder, 'glacis.pid')))
}

/** @returns whether a process locked the folder and ended without releasing it */
export async function isAbandoned(folder: string): Promise<boolean> {
  const holder = await contentOf(join(folder, 'glacis.pid'))
  return holder !== '' && !(await isLocked(holder))
}

/** Like `mkdir` with `recursive`, which loops forever on file systems that reject new folders with ENOENT. */
async function createFolder(folder: string): Promise<void> {
  const create = () => mkdir(folder, { mode: 0o700 })
  await create().catch(async (error: unknown) => {
    if (errorCode(error) === 'EEXIST') return
    if (errorCode(error) !== 'ENOENT') throw error
    await createFolder(dirname(folder))
    await create()
  })
}

async function acquire(file: string, draft: string, folder: string): Promise<void> {
  const deadline = Date.now() + waitMsMax
  while (!(await tryLink(draft, file))) {
    const holder = await contentOf(file)
    if (!(await isLocked(holder))) {
      await removeStale(file, holder)
    } else if (Date.now() > deadline) {
      throw new CliError(
        `Glacis is already running in ${folder} (process ${holder.split(' ')[0]}). ` +
          'Stop it, or set GLACIS_DATA and GLACIS_PORT to another folder and port.',
      )
    } else await wait(retryMs)
  }
}

/** Creating a hard link is atomic, so only one process succeeds. */
async function tryLink(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Two processes can find the same stale lock. Removes only the file that was checked, not a new lock in its place. */
async function removeStale(file: string, checked: string): Promise<void> {
  const stalePath = `${file}.${process.pid}.stale`
  await rename(file, stalePath).catch(() => undefined)
  if ((await contentOf(stalePath)) !== checked) await link(stalePath, file).catch(() => undefined)
  await rm(stalePath, { force: true })
}

async function isLocked(content: string): Promise<boolean> {
  const [pid = '', birth = ''] = content.trim().split(' ')
  return (
    Number(pid) > 0 && birth !== '' && Number(pid) !== process.pid && (await processIdentity(Number(pid))) === birth
  )
}

/**
 * Distinguishes a process from a later one with the same ID: on Linux its start time in clock ticks since boot
 * (field 22 of proc_pid_stat(5)) and the boot ID. Empty if the process is dead.
 */
async function processIdentity(pid: number): Promise<string> {
  if (process.platform !== 'linux') return isAlive(pid) ? 'alive' : ''
  const [status, boot] = await Promise.all([
    contentOf(`/proc/${pid}/stat`),
    contentOf('/proc/sys/kernel/random/boot_id'),
  ])
  // The second field is a name in parentheses that can contain anything, so counting starts after it.
  const [state = '', ...fields] = status.slice(status.lastIndexOf(')') + 2).split(' ')
  return status === '' || 'ZX'.includes(state) ? '' : `${boot.trim()}/${fields[18]}`
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

function contentOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}

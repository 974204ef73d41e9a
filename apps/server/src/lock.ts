/** The data folder: made, proved writable, and held by one process at a time. */
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Obstacle } from './obstacle.ts'

/** A process that was told to stop a moment ago may still be leaving. */
const leavingMsMax = 3000
const lookAgainMs = 100

/**
 * Makes the data folder if need be and takes it for this process. The lock is a file with our
 * process number and birth, so that one left by a killed process, or by another boot of the
 * machine or container, is recognised and taken over.
 *
 * @returns gives the folder back
 * @throws Obstacle when the folder cannot be written or a living process holds it
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'glacis.pid')
  const draft = `${file}.${process.pid}`
  const self = `${process.pid} ${await birthOf(process.pid)}\n`
  try {
    await makeFolder(folder)
    await writeFile(draft, self)
  } catch (cause) {
    throw new Obstacle(
      `The data folder ${folder} cannot be written (${reason(cause)}); choose another with GLACIS_DATA.`,
      {
        cause,
      },
    )
  }
  try {
    await takeOver(file, draft, folder)
  } finally {
    await rm(draft, { force: true })
  }
  return async () => {
    if ((await contentOf(file)) === self) await rm(file, { force: true })
  }
}

/** As `mkdir` with `recursive`, which goes round in circles where a file system refuses new folders with ENOENT. */
async function makeFolder(folder: string): Promise<void> {
  const make = () => mkdir(folder, { mode: 0o700 })
  await make().catch(async (error: unknown) => {
    if (reason(error) === 'EEXIST') return
    if (reason(error) !== 'ENOENT') throw error
    await makeFolder(dirname(folder))
    await make()
  })
}

async function takeOver(file: string, draft: string, folder: string): Promise<void> {
  const patience = Date.now() + leavingMsMax
  while (!(await tryLink(draft, file))) {
    const holder = await contentOf(file)
    if (!(await isHeld(holder))) {
      await removeStale(file, holder)
    } else if (Date.now() > patience) {
      throw new Obstacle(
        `Glacis is already running here (process ${holder.split(' ')[0]} holds ${folder}); ` +
          'stop it, or give this one another folder and port with GLACIS_DATA and GLACIS_PORT.',
      )
    } else await wait(lookAgainMs)
  }
}

/** Making a second name for a file is atomic: of two processes one wins. */
async function tryLink(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (reason(error) === 'EEXIST') return false
    throw error
  }
}

/** Two processes may find the same stale lock; only the file that was judged may go. */
async function removeStale(file: string, judged: string): Promise<void> {
  const aside = `${file}.${process.pid}.stale`
  await rename(file, aside).catch(() => undefined)
  if ((await contentOf(aside)) !== judged) await link(aside, file).catch(() => undefined)
  await rm(aside, { force: true })
}

async function isHeld(content: string): Promise<boolean> {
  const [pid = '', birth = ''] = content.trim().split(' ')
  return Number(pid) > 0 && birth !== '' && Number(pid) !== process.pid && (await birthOf(Number(pid))) === birth
}

/**
 * What tells a process from a later one of the same number: on Linux its start in clock ticks
 * since the boot (field 22 of proc_pid_stat(5)) and the boot itself. Empty when it is dead.
 */
async function birthOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return isAlive(pid) ? 'alive' : ''
  const [status, boot] = await Promise.all([
    contentOf(`/proc/${pid}/stat`),
    contentOf('/proc/sys/kernel/random/boot_id'),
  ])
  // The second field is a name in parentheses and may hold anything, so counting starts behind it.
  const [state = '', ...fields] = status.slice(status.lastIndexOf(')') + 2).split(' ')
  return status === '' || 'ZX'.includes(state) ? '' : `${boot.trim()}/${fields[18]}`
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return reason(error) === 'EPERM'
  }
}

function contentOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}

function reason(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

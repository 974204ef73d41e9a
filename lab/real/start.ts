/** Starts rows of the laboratory and stops them. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Program, Row } from './row.ts'

/** Rows that run. */
export interface RunningRows {
  readonly started: readonly string[]
  /** Rows that did not come up, with the reason. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[]
  stop(): Promise<void>
}

const listenMs = 90_000
const run = promisify(execFile)

/**
 * Starts all rows side by side and waits until each listens.
 *
 * @param folder of this run; each row gets a folder below it, and a log
 */
export async function startRows(
  rows: readonly Row[],
  { folder, node, packagesOf }: { folder: string; node: string; packagesOf: (row: Row) => string },
): Promise<RunningRows> {
  const children: ChildProcess[] = []
  const pidFiles: string[] = []
  const failed: { id: string; reason: string }[] = []
  const started: string[] = []
  mkdirSync(join(folder, 'log'), { recursive: true })
  chmodSync(folder, 0o755)
  const begin = async (row: Row) => {
    try {
      const own = join(folder, row.id)
      mkdirSync(own, { recursive: true, mode: 0o755 })
      const program = row.prepare({ folder: own, packages: packagesOf(row), node })
      if (program.user) await run('chown', [program.user, own])
      for (const [name = '', ...words] of program.before ?? []) await runAs(program, own, [name, ...words])
      if (program.pidFile) pidFiles.push(program.pidFile)
      children.push(launch(program, own, join(folder, 'log', `${row.id}.log`)))
      for (const place of row.listens) await listening(place)
      for (const words of program.after ?? []) await untilDone(() => runAs(program, own, words))
      started.push(row.id)
    } catch (error) {
      failed.push({
        id: row.id,
        reason: error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error),
      })
    }
  }
  await Promise.all(rows.map(begin))
  const stop = async () => {
    await stopAll(children, pidFiles)
    endStrays(folder)
  }
  return { started, failed, stop }
}

function wordsFor({ user }: Program, words: readonly string[]): readonly string[] {
  return user ? ['setpriv', `--reuid=${user}`, `--regid=${groupOf(user)}`, '--init-groups', ...words] : words
}

function groupOf(user: string): string {
  return user === 'nobody' ? 'nogroup' : user
}

async function runAs(program: Program, cwd: string, words: readonly string[]): Promise<void> {
  const [name = '', ...rest] = wordsFor(program, words)
  await run(name, rest, { cwd, timeout: 60_000 })
}

function launch(program: Program, cwd: string, logFile: string): ChildProcess {
  const [name = '', ...words] = wordsFor(program, program.command)
  const log = openSync(logFile, 'w')
  const env = { ...process.env, ...program.environment }
  const child = spawn(name, words, { cwd, env, detached: true, stdio: ['ignore', log, log] })
  child.on('error', () => undefined)
  closeSync(log)
  return child
}

async function listening(place: string): Promise<void> {
  const [host = '', port = ''] = place.split(':')
  await untilDone(async () => {
    const socket = connect({ host, port: Number(port) })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    socket.once('connect', () => resolve())
    socket.once('error', () => reject(new Error(`nothing listens on ${place}`)))
    await promise.finally(() => socket.destroy())
  })
}

async function untilDone(work: () => Promise<void>): Promise<void> {
  const stopAt = performance.now() + listenMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > stopAt) throw error
      await delay(200)
    }
  }
}

/** Each program leads a process group of its own, which ends whole. */
async function stopAll(children: readonly ChildProcess[], pidFiles: readonly string[]): Promise<void> {
  for (const file of pidFiles) if (existsSync(file)) signalGroup(Number(readFileSync(file, 'utf8')), 'SIGTERM')
  const signalAll = (signal: NodeJS.Signals) => {
    for (const { pid } of children) if (pid) signalGroup(pid, signal)
  }
  signalAll('SIGTERM')
  await Promise.race([Promise.all(children.map(ended)), delay(4000, undefined, { ref: false })])
  signalAll('SIGKILL')
}

/** Some programs start helpers that leave their group; on the command line these name the folder of this run. */
function endStrays(folder: string): void {
  const numbers = existsSync('/proc/self/cmdline') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
  for (const number of numbers.map(Number).filter((one) => one !== process.pid)) {
    try {
      if (readFileSync(`/proc/${number}/cmdline`, 'utf8').includes(`${folder}/`)) process.kill(number, 'SIGTERM')
    } catch {
      // It has ended meanwhile, or belongs to somebody else.
    }
  }
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  child.once('exit', () => resolve())
  return promise
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended already.
  }
}

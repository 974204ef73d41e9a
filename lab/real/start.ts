/** Starts and stops rows of the lab. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Program, Row } from './row.ts'

/** The running rows. */
export interface RunningRows {
  readonly started: readonly string[]
  /** Rows that failed to start, with the reason. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[]
  stop(): Promise<void>
}

const listenMs = 90_000
const run = promisify(execFile)

/**
 * Starts all rows concurrently and waits until each listens.
 *
 * @param folder of this run; each row gets a subfolder and a log
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
  const start = async (row: Row) => {
    try {
      const rowFolder = join(folder, row.id)
      mkdirSync(rowFolder, { recursive: true, mode: 0o755 })
      const program = row.prepare({ folder: rowFolder, packages: packagesOf(row), node })
      if (program.user) await run('chown', [program.user, rowFolder])
      for (const [name = '', ...args] of program.before ?? []) await runAs(program, rowFolder, [name, ...args])
      if (program.pidFile) pidFiles.push(program.pidFile)
      children.push(launch(program, rowFolder, join(folder, 'log', `${row.id}.log`)))
      for (const endpoint of row.listens) await untilListening(endpoint)
      for (const args of program.after ?? []) await retry(() => runAs(program, rowFolder, args))
      started.push(row.id)
    } catch (error) {
      failed.push({
        id: row.id,
        reason: error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error),
      })
    }
  }
  await Promise.all(rows.map(start))
  const stop = async () => {
    await stopAll(children, pidFiles)
    stopStrayProcesses(folder)
  }
  return { started, failed, stop }
}

function asUser({ user }: Program, args: readonly string[]): readonly string[] {
  return user ? ['setpriv', `--reuid=${user}`, `--regid=${groupOf(user)}`, '--init-groups', ...args] : args
}

function groupOf(user: string): string {
  return user === 'nobody' ? 'nogroup' : user
}

async function runAs(program: Program, cwd: string, args: readonly string[]): Promise<void> {
  const [name = '', ...rest] = asUser(program, args)
  await run(name, rest, { cwd, timeout: 60_000 })
}

function launch(program: Program, cwd: string, logFile: string): ChildProcess {
  const [name = '', ...args] = asUser(program, program.command)
  const log = openSync(logFile, 'w')
  const env = { ...process.env, ...program.environment }
  const child = spawn(name, args, { cwd, env, detached: true, stdio: ['ignore', log, log] })
  child.on('error', () => undefined)
  closeSync(log)
  return child
}

async function untilListening(endpoint: string): Promise<void> {
  const [host = '', port = ''] = endpoint.split(':')
  await retry(async () => {
    const socket = connect({ host, port: Number(port) })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    socket.once('connect', () => resolve())
    socket.once('error', () => reject(new Error(`Nothing is listening on ${endpoint}`)))
    await promise.finally(() => socket.destroy())
  })
}

async function retry(work: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + listenMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await delay(200)
    }
  }
}

/** Each program runs in its own process group, which is stopped as a whole. */
async function stopAll(children: readonly ChildProcess[], pidFiles: readonly string[]): Promise<void> {
  for (const file of pidFiles) if (existsSync(file)) signalGroup(Number(readFileSync(file, 'utf8')), 'SIGTERM')
  const signalAll = (signal: NodeJS.Signals) => {
    for (const { pid } of children) if (pid) signalGroup(pid, signal)
  }
  signalAll('SIGTERM')
  await Promise.race([Promise.all(children.map(exited)), delay(4000, undefined, { ref: false })])
  signalAll('SIGKILL')
}

/** Some programs start helpers that leave the process group. Their command lines contain the folder of this run. */
function stopStrayProcesses(folder: string): void {
  const numbers = existsSync('/proc/self/cmdline') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
  for (const number of numbers.map(Number).filter((item) => item !== process.pid)) {
    try {
      if (readFileSync(`/proc/${number}/cmdline`, 'utf8').includes(`${folder}/`)) process.kill(number, 'SIGTERM')
    } catch {
      // It has exited, or belongs to another user.
    }
  }
}

function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  child.once('exit', () => resolve())
  return promise
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has exited.
  }
}

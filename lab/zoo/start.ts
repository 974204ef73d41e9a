/** Starts and stops variants of programs. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Entry, Variant } from './entry.ts'
import { packagesFolder, type VariantName } from './install.ts'
import { proxyConfiguration, proxyFile } from './proxy.ts'
import { retry, untilTcp, untilUdp } from './ready.ts'

/** One variant of a program on its own address. */
export interface Run {
  readonly entry: Entry
  readonly variant: VariantName
  readonly address: string
}

/** The running programs. */
export interface RunningPrograms {
  readonly started: readonly Run[]
  /** Programs that failed to start, with the reason. */
  readonly failed: readonly { readonly run: Run; readonly reason: string }[]
  stop(): Promise<void>
}

interface StartOptions {
  /** The folder of this run; each program gets a subfolder and a log. */
  readonly folder: string
  readonly cache: string
  /** The Node that runs npm programs. */
  readonly node: string
}
interface Prepared {
  readonly definition: Variant
  /** The program's own address. */
  readonly address: string
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
}

const commandMs = 240_000
const stopMs = 5000
const execute = promisify(execFile)

/** Starts all programs concurrently and waits until each is ready. */
export async function startPrograms(runs: readonly Run[], options: StartOptions): Promise<RunningPrograms> {
  const { folder } = options
  const children: ChildProcess[] = []
  const pidFiles: string[] = []
  const failed: { run: Run; reason: string }[] = []
  const started: Run[] = []
  mkdirSync(join(folder, 'log'), { recursive: true })
  chmodSync(folder, 0o755)
  const start = async (run: Run) => {
    const { id } = run.entry
    const log = join(folder, 'log', `${id}-${run.variant}.log`)
    try {
      const program = await prepare(run, options)
      const { definition } = program
      for (const command of definition.before) await runShell(command, program)
      if (definition.pidFile) pidFiles.push(join(program.folder, definition.pidFile))
      const own = commandsOf(definition).map((command) => launch(command, program, log))
      children.push(...own)
      const isAlive = () =>
        own.every((child) => child.exitCode === null || (child.exitCode === 0 && definition.pidFile !== undefined))
      for (const port of definition.tcp ?? run.entry.tcp) await untilTcp(run.address, port, isAlive)
      for (const port of definition.basicAuth) await untilTcp(program.address, port, isAlive)
      for (const port of definition.udp ?? run.entry.udp) await untilUdp(run.address, port)
      for (const command of definition.after) await retry(() => runShell(command, program))
      started.push(run)
    } catch (error) {
      failed.push({ run, reason: `${error instanceof Error ? firstLines(error.message) : String(error)}${tail(log)}` })
    }
  }
  await Promise.all(runs.map(start))
  const stop = async () => {
    await stopAll(children, pidFiles)
    stopStrayProcesses(folder)
  }
  return { started, failed, stop }
}

function commandsOf({ run, basicAuth }: Variant): readonly string[] {
  return [...[run].flat(), ...(basicAuth.length > 0 ? [`nginx -p $FOLDER -c $FOLDER/${proxyFile}`] : [])]
}

function firstLines(text: string): string {
  return text.split('\n').slice(0, 3).join(' ').slice(0, 300)
}

function tail(log: string): string {
  if (!existsSync(log)) return ''
  const lines = readFileSync(log, 'utf8').trim().split('\n').slice(-3)
  return lines.join('') === '' ? '' : ` | ${lines.join(' | ').slice(-400)}`
}

async function prepare(run: Run, { folder: root, cache, node }: StartOptions): Promise<Prepared> {
  const { entry, variant, address } = run
  const definition = entry[variant]
  if (!definition) throw new Error(`${entry.id} has no ${variant} variant`)
  const folder = join(root, `${entry.id}-${variant}`)
  const packages = packagesFolder(cache, entry, variant)
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const modules = join(packages, 'node_modules')
  if (existsSync(modules)) symlinkSync(modules, join(folder, 'node_modules'))
  // Not scanned; programs behind a proxy listen there.
  const inner = address.replace(/^127\.84\./, '127.85.')
  const own = definition.basicAuth.length > 0 ? inner : address
  const fill = (text: string) =>
    text
      .replaceAll('{{address}}', own)
      .replaceAll('{{inner}}', inner)
      .replaceAll('{{folder}}', folder)
      .replaceAll('{{packages}}', packages)
  for (const [path, text] of Object.entries({ ...entry.files, ...definition.files })) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, fill(text), { mode: text.startsWith('#!') ? 0o755 : 0o644 })
  }
  if (own === inner) writeFileSync(join(folder, proxyFile), proxyConfiguration(address, inner, definition.basicAuth))
  const path = [
    join(modules, '.bin'),
    join(packages, 'venv/bin'),
    join(packages, 'bin'),
    dirname(node),
    '/usr/sbin',
    '/usr/bin',
    '/sbin',
    '/bin',
  ]
  const environment = {
    PATH: path.join(':'),
    LANG: 'C.UTF-8',
    HOME: folder,
    ADDRESS: own,
    INNER: inner,
    FOLDER: folder,
    PACKAGES: packages,
    NODE: node,
    ...Object.fromEntries(Object.entries(definition.environment).map(([key, value]) => [key, fill(value)])),
  }
  if (definition.user) await execute('chown', ['-R', definition.user, folder])
  return { definition, address: own, folder, environment }
}

function asUser(user: string | undefined, args: readonly string[]): readonly string[] {
  const group = user === 'nobody' ? 'nogroup' : user
  return user ? ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--init-groups', ...args] : args
}

async function runShell(command: string, { definition, folder, environment }: Prepared): Promise<void> {
  const [name = '', ...rest] = asUser(definition.user, ['sh', '-ec', command])
  await execute(name, rest, { cwd: folder, env: environment, timeout: commandMs })
}

/** Each program runs in its own process group, which is stopped as a whole. */
function launch(command: string, { definition, folder, environment }: Prepared, log: string): ChildProcess {
  const [name = '', ...args] = asUser(definition.user, ['sh', '-ec', command])
  const output = openSync(log, 'a')
  const child = spawn(name, args, {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ['ignore', output, output],
  })
  child.on('error', () => undefined)
  closeSync(output)
  return child
}

async function stopAll(children: readonly ChildProcess[], pidFiles: readonly string[]): Promise<void> {
  for (const file of pidFiles) if (existsSync(file)) signalGroup(Number(readFileSync(file, 'utf8')), 'SIGTERM')
  const signalAll = (signal: NodeJS.Signals) => {
    for (const { pid } of children) if (pid) signalGroup(pid, signal)
  }
  signalAll('SIGTERM')
  const deadline = Promise.withResolvers<void>()
  const timer = setTimeout(deadline.resolve, stopMs)
  await Promise.race([Promise.all(children.map(exited)), deadline.promise])
  clearTimeout(timer)
  signalAll('SIGKILL')
}

/** Some programs start helpers that leave the process group. Their command line or environment names this run's folder. */
function stopStrayProcesses(folder: string): void {
  const numbers = existsSync('/proc/self/cmdline') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
  for (const number of numbers.map(Number).filter((item) => item !== process.pid)) {
    try {
      if (readFileSync(`/proc/${number}/cmdline`, 'utf8').includes(`${folder}/`)) process.kill(number, 'SIGKILL')
      else if (readFileSync(`/proc/${number}/environ`, 'utf8').includes(`FOLDER=${folder}/`))
        process.kill(number, 'SIGKILL')
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

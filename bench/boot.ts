/**
 * Measures the second `npm start` until the server is ready, including npm's own start, and the memory of all
 * processes when idle. One line of JSON per figure. Linux only, because it reads /proc.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'

const root = resolve(import.meta.dirname, '..')
const rounds = 5
/** Long enough for the first jobs to finish and the heap to stabilize. */
const settleMs = 10_000

const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-bench-'))
const settings = {
  GLACIS_PORT: String(await freePort()),
  GLACIS_DATA: dataFolder,
  GLACIS_LOG_LEVEL: 'error',
  GLACIS_FEEDS: 'off',
}
try {
  await stop((await start()).npm)
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { npm, readyMs } = await start()
    times.push(readyMs)
    await stop(npm)
  }
  const npmAloneMs = timed(() => execFileSync('npm', ['--version'], { cwd: root }))
  report({ figure: 'second start until ready', value: median(times), unit: 'ms', limit: 1500 })
  report({ figure: 'of which npm alone', value: npmAloneMs, unit: 'ms', limit: 1500 })

  const { npm } = await start()
  await wait(settleMs)
  const processes = await processTreeOf(npm.pid ?? 0)
  const sizes = await Promise.all(processes.map(proportionalBytes))
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6
  report({ figure: `idle memory, ${processes.length} processes (PSS)`, value: megabytes, unit: 'MB', limit: 300 })
  await stop(npm)
} finally {
  await rm(dataFolder, { recursive: true, force: true })
}

async function start(): Promise<{ npm: ChildProcess; readyMs: number }> {
  const startedAt = performance.now()
  const npm = spawn('npm', ['start'], {
    cwd: root,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  for await (const line of createInterface({ input: npm.stdout })) {
    if (line.startsWith('Glacis is ready')) break
  }
  return { npm, readyMs: performance.now() - startedAt }
}

async function stop(npm: ChildProcess): Promise<void> {
  const exit = once(npm, 'exit')
  npm.kill('SIGINT')
  await exit
}

/** A process and all of its descendants. */
async function processTreeOf(ancestor: number): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  const parents = new Map<number, number>()
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    parents.set(pid, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const tree = [ancestor]
  for (const member of tree) {
    tree.push(...[...parents].filter(([, parent]) => parent === member).map(([pid]) => pid))
  }
  return tree
}

/** The proportional set size, in which a page shared by n processes counts as 1/n for each. */
async function proportionalBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

function timed(work: () => unknown): number {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function report(row: { figure: string; value: number; unit: string; limit: number }): void {
  console.log(JSON.stringify(row))
}

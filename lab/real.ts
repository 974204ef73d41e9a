/**
 * `npm run lab`: starts real programs with known weaknesses on loopback addresses, scans them with this version of
 * Glacis, and compares the findings with the known weaknesses.
 *
 * Commands: `install`, `serve` (start and wait) or `check` (start, scan, compare, stop), followed by options.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { spawnSync } from 'node:child_process'
import { compare } from './real/compare.ts'
import { everywhereRow } from './real/debian.ts'
import { install, packagesOf } from './real/install.ts'
import { scanned } from './real/scanned.ts'
import { startRows } from './real/start.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cache: { type: 'string', default: join(tmpdir(), 'glacis-lab') },
    node: { type: 'string', default: process.execPath },
    profile: { type: 'string', default: 'gentle' },
    only: { type: 'string' },
    save: { type: 'string' },
    isolated: { type: 'boolean', default: false },
  },
})
const log = (line: string) => console.error(line)
const rows = install(values.cache, log).filter(({ id }) => !values.only || values.only.split(',').includes(id))
const packages = (row: (typeof rows)[number]) => packagesOf(values.cache, row)

if (positionals[0] !== 'install') process.exit(await run(positionals[0] === 'serve'))

async function run(isServeOnly: boolean): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'glacis-lab-run-'))
  // The DNS server only listens on addresses of an interface.
  if (values.isolated) spawnSync('ip', ['address', 'add', '127.78.0.11/32', 'dev', 'lo'])
  const concurrentRows = rows.filter((row) => row !== everywhereRow)
  const options = { folder, node: values.node, packagesOf: packages }
  const lab = await startRows(concurrentRows, options)
  for (const { id, reason } of lab.failed) log(`${id} failed to start: ${reason}`)
  log(`${lab.started.length} programs are running. Logs: ${join(folder, 'log')}`)
  try {
    if (isServeOnly) return await untilInterrupted()
    const result = await scanned(values.profile, addressesOf())
    const last = rows.includes(everywhereRow) && values.isolated ? await startRows([everywhereRow], options) : undefined
    const lastResult = last && (await scanned(values.profile, ['127.78.0.45'], '111'))
    await last?.stop()
    const started = [...lab.started, ...(last?.started ?? [])]
    return await compare({ started, result, lastResult, save: values.save, nodeVersion: nodeVersion() })
  } finally {
    await lab.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function nodeVersion(): string {
  return spawnSync(values.node, ['--version'], { encoding: 'utf8' }).stdout.trim().replace(/^v/, '')
}

function addressesOf(): readonly string[] {
  return ['127.77.0.1-127.77.0.63', '127.78.0.1-127.78.0.45']
}

function untilInterrupted(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const timer = setInterval(() => undefined, 60_000)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(0))
  return promise.finally(() => clearInterval(timer))
}

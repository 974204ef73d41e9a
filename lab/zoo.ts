/**
 * `npm run lab`: starts real programs on loopback addresses, weak and hardened, scans them with this version of Glacis,
 * and compares the result with what is known about them.
 *
 * Commands: `install`, `serve` (start and wait), or `check`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { batchesOf } from './zoo/batches.ts'
import { keyOf, readResult, scannerDigest, writeResult, type StoredRun } from './zoo/cache.ts'
import { readCatalog, type Entry } from './zoo/entry.ts'
import { evaluate } from './zoo/evaluate.ts'
import { install, packagesFolder } from './zoo/install.ts'
import { compareWithNmap } from './zoo/nmap.ts'
import { scanned } from './zoo/scanned.ts'
import { startPrograms, type Run } from './zoo/start.ts'
import { printTable, type Line } from './zoo/table.ts'
import { versionOf } from './zoo/versions.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cache: { type: 'string', default: process.env['GLACIS_LAB_CACHE'] ?? join(tmpdir(), 'glacis-lab') },
    node: { type: 'string', default: process.execPath },
    only: { type: 'string' },
    all: { type: 'boolean', default: false },
    blind: { type: 'boolean', default: false },
    /** Scan again even if there is a result. */
    again: { type: 'boolean', default: false },
    /** Folder that the programs' logs are copied to. */
    logs: { type: 'string' },
    scan: { type: 'string', default: '' },
    /** Compare the identification of the weak variants with nmap's. */
    nmap: { type: 'boolean', default: false },
    isolated: { type: 'boolean', default: false },
  },
})
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const log = (line: string) => console.error(line)
const { cache, node } = values
const entries = selected()
const skipped = install(cache, entries, { canDownload: !values.isolated, log })
const usable = entries.filter(({ id }) => !skipped.has(id))

if (positionals[0] !== 'install') process.exit(positionals[0] === 'serve' ? await serve() : await check())

/** The developed set unless chosen otherwise. */
function selected(): readonly Entry[] {
  const catalog = readCatalog()
  if (values.only === undefined) return catalog.filter(({ isBlind }) => values.all || isBlind === values.blind)
  const names = values.only.split(',')
  const unknown = names.filter((name) => !catalog.some(({ id }) => id === name))
  if (unknown.length > 0) throw new Error(`No program in lab/programs is named ${unknown.join(', ')}`)
  return catalog.filter(({ id }) => names.includes(id))
}

async function check(): Promise<number> {
  const digest = scannerDigest()
  const keys = new Map(usable.map((entry) => [entry, keyOf(entry, versionsOf(entry), digest)]))
  const keyFor = (entry: Entry) => keys.get(entry) ?? ''
  const cached = (entry: Entry) => (values.again ? undefined : readResult(cache, entry, keyFor(entry)))
  const fresh = new Set(usable.filter((entry) => !cached(entry)))
  const batches = batchesOf([...fresh])
  const runs = new Map<string, StoredRun>()
  for (const [index, batch] of batches.entries()) {
    log(`Batch ${index + 1} of ${batches.length}: ${[...new Set(batch.map(({ entry }) => entry.id))].join(' ')}`)
    for (const [run, result] of await runBatch(batch)) runs.set(`${run.entry.id} ${run.variant}`, result)
    for (const { entry } of batch) store(entry, keyFor(entry), runs)
  }
  const lines = entries.map((entry): Line => {
    const result = skipped.has(entry.id) ? undefined : readResult(cache, entry, keyFor(entry))
    if (!result) return { entry, skipped: skipped.get(entry.id) ?? 'no result' }
    const evaluation = evaluate(entry, result.weak.observations, result.hardened?.observations, ({ version }) =>
      versionOf(version, packagesFolder(cache, entry, 'weak')),
    )
    const { seconds, memoryMiB } = result.weak
    return { entry, evaluation, seconds, memoryMiB, isCached: !fresh.has(entry) }
  })
  printTable(lines)
  return lines.some((line) => 'evaluation' in line && line.evaluation.falseProved > 0) ? 1 : 0
}

/** Only complete results count. */
function store(entry: Entry, key: string, runs: ReadonlyMap<string, StoredRun>): void {
  const weak = runs.get(`${entry.id} weak`)
  const hardened = runs.get(`${entry.id} hardened`)
  if (weak && (hardened || !entry.hardened)) writeResult(cache, entry, { key, weak, ...(hardened ? { hardened } : {}) })
}

/** Installed versions of everything that the program consists of. */
function versionsOf(entry: Entry): string[] {
  return entry.install.apt.map((name) => spawnSync('dpkg-query', ['-W', name], { encoding: 'utf8' }).stdout.trim())
}

async function runBatch(batch: readonly Run[]): Promise<Map<Run, StoredRun>> {
  const folder = await mkdtemp(join(tmpdir(), 'glacis-lab-run-'))
  addAddresses(batch)
  const programs = await startPrograms(batch, { folder, cache, node })
  const results = new Map<Run, StoredRun>()
  const stopAndExit = () => void programs.stop().finally(() => process.exit(1))
  for (const signal of endSignals) process.once(signal, stopAndExit)
  try {
    for (const { run, reason } of programs.failed) {
      log(`${run.entry.id} ${run.variant} failed to start: ${reason}`)
      skipped.set(run.entry.id, `the ${run.variant} variant failed to start: ${reason}`)
    }
    if (programs.started.length === 0) return results
    const scans = Map.groupBy(programs.started, (run) => optionsOf(run).join(' '))
    for (const runs of scans.values()) {
      const targets = runs.map(({ entry, address }) => entry.hostname ?? address)
      const options = [...optionsOf(runs[0]), ...values.scan.split(' ').filter((option) => option !== '')]
      const { observations, seconds, memoryMiB } = await scanned(targets, options)
      for (const run of runs) {
        const own = observations.filter((item) => 'address' in item && item.address === run.address)
        results.set(run, { observations: own, seconds: seconds / runs.length, memoryMiB })
      }
    }
    if (values.nmap) await printComparison(results)
    return results
  } finally {
    for (const signal of endSignals) process.off(signal, stopAndExit)
    await programs.stop()
    if (values.logs) cpSync(join(folder, 'log'), values.logs, { recursive: true })
    // Fails if a program left a file system mounted in it.
    await rm(folder, { recursive: true, force: true }).catch((error: Error) => log(error.message))
  }
}

/** Options that an entry needs. Runs with the same options share a scan. */
function optionsOf(run: Run | undefined): string[] {
  if (!run) return []
  const { allow, callbacks, hostname, scannedPorts } = run.entry
  const ports = scannedPorts.length > 0 ? ['--ports', scannedPorts.join(',')] : []
  const resolver = hostname === undefined ? [] : ['--resolver', run.address]
  const server = callbacks ? ['--callbacks', '127.0.0.1:18600'] : []
  return [...allow.flatMap((kind) => ['--allow', kind]), ...server, ...ports, ...resolver]
}

/** nmap mostly waits, so all programs are compared concurrently. */
async function printComparison(results: ReadonlyMap<Run, StoredRun>): Promise<void> {
  const weak = [...results].filter(([run]) => run.variant === 'weak')
  const lines = weak.map(async ([run, { observations }]) => {
    const comparison = await compareWithNmap(run, observations)
    if (!comparison) return
    const [product] = run.entry.products
    const truth = product && versionOf(product.version, packagesFolder(cache, run.entry, 'weak'))
    const { id, nmap, ours } = comparison
    console.log(`| ${id} | ${ours} | ${nmap} | ${product?.name ?? run.entry.title} ${truth ?? ''} |`)
  })
  await Promise.all(lines)
}

/**
 * Some programs only listen on addresses of an interface. Others don't get one, because the scanner would connect from
 * the same address, which programs such as Dovecot trust.
 */
function addAddresses(batch: readonly Run[]): void {
  if (!values.isolated) return
  for (const { address } of batch.filter(({ entry }) => entry.interface))
    spawnSync('ip', ['address', 'add', `${address}/32`, 'dev', 'lo'])
}

async function serve(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'glacis-lab-run-'))
  const [batch = []] = batchesOf(usable)
  addAddresses(batch)
  const programs = await startPrograms(batch, { folder, cache, node })
  for (const { run, reason } of programs.failed) log(`${run.entry.id} ${run.variant} failed to start: ${reason}`)
  for (const { entry, variant, address } of programs.started) log(`${address} ${entry.id} ${variant}`)
  log(`Logs: ${join(folder, 'log')}`)
  try {
    return await untilInterrupted()
  } finally {
    await programs.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function untilInterrupted(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const timer = setInterval(() => undefined, 60_000)
  for (const signal of endSignals) process.once(signal, () => resolve(0))
  return promise.finally(() => clearInterval(timer))
}

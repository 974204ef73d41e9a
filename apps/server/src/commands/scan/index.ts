/** `glacis scan`: the scanner alone on the command line. It needs no server, no database and no account. */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { packFolders } from '#packs/index.ts'
import { loadPacks, scan } from '@glacis/scanner'
import { startCallbacks } from '#callbacks.ts'
import { Obstacle } from '#obstacle.ts'
import { readOrder, scanUsage } from '#commands/scan/order.ts'
import type { ScanOrder } from '#commands/scan/order.ts'
import { createProgress } from '#commands/scan/progress.ts'
import { writerOf } from '#commands/scan/writer.ts'
import { isProven } from '#commands/scan/result.ts'

/**
 * Scans what the words name and writes what it sees to standard output, by default as text for a
 * person. Progress and warnings go to standard error, a bar to a terminal alone.
 *
 * @returns the exit code: 0 nothing proven, 1 something proven, 2 a wrong word or a failed run, which
 *   is said in one sentence
 */
export async function runScanCommand(words: readonly string[], root: string): Promise<number> {
  const stopping = new AbortController()
  const stop = () => stopping.abort(new Obstacle('The scan was stopped before its end.'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  try {
    if (words.includes('--help') || words.includes('-h')) {
      process.stdout.write(scanUsage)
      return 0
    }
    return (await run(await readOrder(words, stopping.signal), root, stopping.signal)) ? 1 : 0
  } catch (error) {
    const reason = stopping.signal.aborted ? stopping.signal.reason : error
    const message = reason instanceof Error ? reason.message : String(reason)
    process.stderr.write(`${reason instanceof Obstacle ? message : `The scan failed: ${message.split('\n', 1)[0]}`}\n`)
    return 2
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
  }
}

async function run(order: ScanOrder, root: string, signal: AbortSignal): Promise<boolean> {
  const packs = await loadPacks(await foldersOf(order, root))
  if (packs.checks.length === 0) throw new Obstacle(`No check could be read in ${order.templates.join(', ')}.`)
  const progress = createProgress(process.stderr, order.job.hosts.length)
  const writer = writerOf(order.format, new Map(packs.checks.map((check) => [check.id, check])), write)
  const isOwn = order.templates.length === 0
  let proven = false
  for (const { file, reason } of isOwn ? [] : packs.problems) {
    writer.take({ kind: 'problem', level: 'warn', message: `${file}: ${reason}`.slice(0, 1000) })
  }
  const callbacks = order.callbacks && (await startCallbacks(order.callbacks, '--callbacks'))
  const withoutAccelerator = (reason: string) =>
    progress.above(() => void process.stderr.write(`Ports are swept without the accelerator: ${reason}.\n`))
  const options = { packs, signal, limits: order.limits, withoutAccelerator, ...(callbacks && { callbacks }) }
  try {
    for await (const observation of scan(order.job, options)) {
      if (observation.kind === 'progress') progress.show(observation)
      else progress.above(() => writer.take(observation))
      if (observation.kind === 'finding') proven ||= isProven(observation, packs.checks, isOwn)
    }
  } finally {
    progress.end()
    await callbacks?.close()
  }
  writer.end()
  await drained()
  return proven
}

async function foldersOf({ templates }: ScanOrder, root: string) {
  // A command has no data folder of its own.
  const cache = join(root, 'node_modules/.cache/glacis')
  const own = { ...packFolders(root, []), cache }
  if (templates.length === 0) return own
  for (const folder of templates) {
    await access(folder).catch(() => {
      throw new Obstacle(`The folder ${folder} of --templates cannot be read.`)
    })
  }
  const { checks, fingerprints } = packFolders(root, templates)
  const isOurs = (folder: string) => own.checks.includes(folder)
  return { checks: checks.filter((folder) => !isOurs(folder)), fingerprints, cache, native: false }
}

function write(text: string): void {
  process.stdout.write(text)
}

/** The program ends by `process.exit`, which does not wait for a pipe. */
function drained(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  process.stdout.write('', () => resolve())
  return promise
}

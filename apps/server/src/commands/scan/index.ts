/** `glacis scan`: a standalone scan from the command line, without server, database, or account. */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { packFolders } from '#packs/index.ts'
import { loadPacks, scan } from '@glacis/scanner'
import { startCallbacks } from '#callbacks.ts'
import { CliError } from '#cli-error.ts'
import { readScanNetworks } from '#config.ts'
import { parseArguments, scanUsage, type ScanArguments } from '#commands/scan/arguments.ts'
import { selectedChecks } from '#commands/scan/nuclei-options.ts'
import { createProgress } from '#commands/scan/progress.ts'
import { createWriter } from '#commands/scan/writer.ts'
import { isConfirmedFinding } from '#commands/scan/result.ts'

type Environment = Parameters<typeof readScanNetworks>[0]

/**
 * Runs a scan and writes its results to standard output, as text by default. Warnings go to
 * standard error; the progress bar only appears on a terminal.
 *
 * @returns the exit code: 0 no confirmed findings, 1 confirmed findings, 2 usage error, failed scan,
 * or no response from the port or URL in the address
 */
export async function runScanCommand(
  args: readonly string[],
  { environment, root }: { readonly environment: Environment; readonly root: string },
): Promise<number> {
  const stopping = new AbortController()
  const stop = () => stopping.abort(new CliError('The scan was stopped before it finished.'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  // Such as `head`, which closes the pipe after its last line.
  process.stdout.on('error', () => stopping.abort(new CliError('The scan was stopped because its output was closed.')))
  try {
    if (args.includes('--help') || args.includes('-h')) {
      process.stdout.write(scanUsage)
      return 0
    }
    const scanArguments = await parseArguments(args, readScanNetworks(environment), stopping.signal)
    return await run(scanArguments, root, stopping.signal)
  } catch (error) {
    const reason = stopping.signal.aborted ? stopping.signal.reason : error
    const message = reason instanceof Error ? reason.message : String(reason)
    process.stderr.write(`${reason instanceof CliError ? message : `The scan failed: ${message.split('\n', 1)[0]}`}\n`)
    return 2
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
  }
}

async function run(scanArguments: ScanArguments, root: string, signal: AbortSignal): Promise<number> {
  const packs = await loadPacks(await packFoldersFor(scanArguments, root))
  const usesBuiltInChecks = scanArguments.templates.length === 0
  const problems = usesBuiltInChecks ? [] : packs.problems
  for (const { file, reason } of problems) process.stderr.write(`Template not run: ${file}: ${reason}\n`)
  if (packs.checks.length === 0)
    throw new CliError(`No checks could be loaded from ${scanArguments.templates.join(', ')}.`)
  const progress = createProgress(process.stderr, scanArguments.job.hosts.length)
  const writer = createWriter(scanArguments.format, new Map(packs.checks.map((check) => [check.id, check])), write)
  let isConfirmed = false
  let hasService = false
  // Text already has them on standard error.
  for (const { file, reason } of scanArguments.format === 'text' ? [] : problems) {
    writer.add({ kind: 'problem', level: 'warn', message: `${file}: ${reason}`.slice(0, 1000) })
  }
  const callbacks = scanArguments.callbacks && (await startCallbacks(scanArguments.callbacks, '--callbacks'))
  const withoutAccelerator = (reason: string) =>
    progress.above(() => void process.stderr.write(`Scanning ports without the native accelerator: ${reason}.\n`))
  const options = {
    ...scanArguments.options,
    packs,
    signal,
    limits: scanArguments.limits,
    isExhaustive: !usesBuiltInChecks,
    withoutAccelerator,
    ...(callbacks && { callbacks }),
  }
  const checks = selectedChecks(packs.checks, scanArguments.filter)
  if (checks?.length === 0) throw new CliError('No check matches --tags, --severity, and --id.')
  const job = { ...scanArguments.job, ...(checks && { checks }) }
  try {
    for await (const observation of scan(job, options)) {
      if (observation.kind === 'progress') progress.show(observation)
      else progress.above(() => writer.add(observation))
      hasService ||= observation.kind === 'service'
      if (observation.kind === 'finding')
        isConfirmed ||= isConfirmedFinding(observation, packs.checks, usesBuiltInChecks)
    }
  } finally {
    progress.end()
    await callbacks?.close()
  }
  writer.end()
  await drained()
  if (scanArguments.expectsService && !hasService && !isConfirmed) {
    process.stderr.write('No service responded at the given address. Check the port and that the service is running.\n')
    return 2
  }
  return isConfirmed ? 1 : 0
}

async function packFoldersFor({ templates }: ScanArguments, root: string) {
  // The command has no data folder.
  const cache = join(root, 'node_modules/.cache/glacis')
  // Tests validate the built-in fingerprints.
  const builtIn = { ...packFolders(root, []), cache, validatesPatterns: false }
  if (templates.length === 0) return builtIn
  for (const folder of templates) {
    await access(folder).catch(() => {
      throw new CliError(`Can't read ${folder} given in --templates. Check that it exists and is readable.`)
    })
  }
  const { checks, fingerprints } = packFolders(root, templates)
  const isBuiltIn = (folder: string) => builtIn.checks.includes(folder)
  return { checks: checks.filter((folder) => !isBuiltIn(folder)), fingerprints, cache, native: false }
}

function write(text: string): void {
  process.stdout.write(text)
}

/** `process.exit` doesn't wait for a pipe to drain. */
function drained(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  process.stdout.write('', () => resolve())
  return promise
}

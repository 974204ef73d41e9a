/** Entry point of the agent: scans inside a private network and reports to its server. */
import { setTimeout as pause } from 'node:timers/promises'
import { CliError } from './cli-error.ts'
import { createClient, RejectedError, toSentence, UnreachableError } from './client.ts'
import { print, runAgent, UpdateAvailable, version } from './loop.ts'
import { type Options, readOptions, usage } from './options.ts'
import { prepareFolder } from './state.ts'
import { describeProgram, fetchUpdate, isUpdated, runUpdate, updateExitCode } from './update.ts'
import { configureNetwork } from './network.ts'

/** Time allowed for a clean shutdown before the process exits, in milliseconds. */
const shutdownTimeoutMs = 5000

process.exit(await main())

/**
 * @returns the exit code: 0 stopped, 1 an error that the operator can fix, 2 invalid arguments, 78 rejected by the
 * server
 */
async function main(): Promise<number> {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${usage}\n`)
    return 0
  }
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => stopping.abort(new Error('the agent is stopping')))
  }
  // The installed program, which runs this one as its update, has ended.
  process.once('disconnect', () => stopping.abort(new Error('the agent is stopping')))
  stopping.signal.addEventListener('abort', () => {
    void pause(shutdownTimeoutMs, undefined, { ref: false }).then(() => process.exit(1))
  })
  try {
    const options = await readOptions(args, process.env)
    await configureNetwork(options.caFile, process.env)
    if (options.isCheckOnly) await checkServer(options.server, stopping.signal)
    else return await runNewest(options, args, stopping.signal)
    return 0
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    process.stderr.write(`${error.message}\n`)
    return error.exitCode
  }
}

/** @throws CliError with the reason why the server can't be reached from this machine */
async function checkServer(server: string, signal: AbortSignal): Promise<void> {
  try {
    const program = await describeProgram(createClient(server, ''), signal)
    print(`${server} is reachable and has version ${program.version}.`)
  } catch (error) {
    const isConnectionError = error instanceof UnreachableError || error instanceof RejectedError
    throw new CliError(isConnectionError ? toSentence(error.message) : `${server} is not a Glacis server.`, {
      cause: error,
    })
  }
}

/** Runs this program or its update, and again when the server has been updated in the meantime. */
async function runNewest(options: Options, args: readonly string[], signal: AbortSignal): Promise<number> {
  while (!signal.aborted) {
    const code = options.updates && !isUpdated ? await runAvailableUpdate(options, args, signal) : null
    if (code === updateExitCode) continue
    if (code !== null) return code
    try {
      await runAgent(options, signal)
      return 0
    } catch (error) {
      if (!(error instanceof UpdateAvailable)) throw error
      if (isUpdated) return updateExitCode
    }
  }
  return 0
}

/** @returns the exit code of the update; null if this program has to run */
async function runAvailableUpdate(
  { server, token, stateFolder }: Options,
  args: readonly string[],
  signal: AbortSignal,
): Promise<number | null> {
  try {
    await prepareFolder(stateFolder)
    const update = await fetchUpdate(createClient(server, ''), version, stateFolder, signal)
    if (update === null) return null
    print(`Updating to version ${update.version} (${update.digest.slice(0, 12)}).`)
    const code = await runUpdate(update, { args, token, stateFolder, signal })
    if (code === null) print(`Version ${update.version} did not connect within a minute. Version ${version} continues.`)
    return code
  } catch (error) {
    if (error instanceof CliError) throw error
    print(`No update: ${toSentence(error instanceof Error ? error.message : String(error))}`)
    return null
  }
}

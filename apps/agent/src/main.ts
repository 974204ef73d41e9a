/** Entry point of the agent: scans inside a private network and reports to its server. */
import { setTimeout as pause } from 'node:timers/promises'
import { CliError } from './cli-error.ts'
import { readOptions, usage } from './options.ts'
import { runAgent } from './loop.ts'
import { configureNetwork } from './network.ts'

/** Time allowed for a clean shutdown before the process exits, in milliseconds. */
const shutdownTimeoutMs = 5000

process.exit(await main())

/**
 * @returns the exit code: 0 stopped, 1 an error that the operator can fix, 78 rejected by the
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
  stopping.signal.addEventListener('abort', () => {
    void pause(shutdownTimeoutMs, undefined, { ref: false }).then(() => process.exit(1))
  })
  try {
    const options = await readOptions(args, process.env)
    await configureNetwork(options.caFile, process.env)
    await runAgent(options, stopping.signal)
    return 0
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    process.stderr.write(`${error.message}\n`)
    return error.exitCode
  }
}

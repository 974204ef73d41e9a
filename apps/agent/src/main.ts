/** The agent: scans from inside a closed network and reports to the server it belongs to. */
import { setTimeout as pause } from 'node:timers/promises'
import { Obstacle } from './obstacle.ts'
import { readOptions, usage } from './options.ts'
import { runAgent } from './loop.ts'

/** How long a stop may take before it is cut off, in milliseconds. */
const stopMsMax = 5000

process.exit(await main())

/** @returns the exit code: 0 stopped, 1 something that a person can mend, 78 the server will not have this agent */
async function main(): Promise<number> {
  const words = process.argv.slice(2)
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(`${usage}\n`)
    return 0
  }
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => stopping.abort(new Error('the agent is stopping')))
  }
  stopping.signal.addEventListener('abort', () => {
    void pause(stopMsMax, undefined, { ref: false }).then(() => process.exit(1))
  })
  try {
    await runAgent(await readOptions(words, process.env), stopping.signal)
    return 0
  } catch (error) {
    if (!(error instanceof Obstacle)) throw error
    process.stderr.write(`${error.message}\n`)
    return error.exitCode
  }
}

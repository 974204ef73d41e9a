/** Runs Vitest under the Node that Glacis needs. Plain JavaScript for Node 20. */
import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { cacheFolder, nodeProgram, root } from './node.mjs'

/** Ends a run that hangs outside of any test; tests have their own timeouts. */
const runMsMax = 30 * 60_000

/**
 * In megabytes. The tests of the portal run in threads of this process, where each file creates a page. A large young
 * generation takes a tenth less CPU time.
 */
const youngGeneration = '--min-semi-space-size=32'

/** Runs `vitest run` in the terminal and retries a failed test once; resolves to the exit code. */
export function runVitest(...args) {
  return start(['--retry=1', ...args], runMsMax)
}

/** Without retries or a time limit: long tests have their own limits, and must pass on the first attempt. */
export function runSoakTests(...args) {
  return start(['--project=soak', ...args], 0)
}

/** Without retries or a time limit, and with the output of each test as it is written. */
export function runFuzzing(...args) {
  return start(['--testTimeout=0', '--disableConsoleIntercept', ...args], 0)
}

function start(args, timeout) {
  return new Promise((done) => {
    const options = { cwd: root, env: testEnvironment(), stdio: ['ignore', 'inherit', 'inherit'], timeout }
    const vitest = [youngGeneration, join(root, 'node_modules/vitest/vitest.mjs'), 'run']
    const child = spawn(nodeProgram(), [...vitest, ...args], options)
    child.once('error', () => done(1))
    child.once('exit', (code, signal) => {
      if (signal !== null)
        console.error(
          `The tests were ended by ${signal}${timeout > 0 ? `. Their time limit is ${timeout / 60_000} minutes` : ''}.`,
        )
      done(code ?? 1)
    })
  })
}

/** Without the user's own Glacis settings, and with the installed Node and tools first on the PATH. */
export function testEnvironment() {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(GLACIS_|DATABASE_URL$|npm_)/.test(name))
  const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`
  return { ...Object.fromEntries(inherited), PATH: path, NODE_COMPILE_CACHE: join(cacheFolder, 'compiled-for-tests') }
}

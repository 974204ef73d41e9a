/**
 * `npm test`: everything that must hold, from a clone with nothing installed. Ends with what failed
 * and one line `N passed, N failed` over all of it, each of the static checks counting as one test.
 */
import { styleText } from 'node:util'
import { prepareChromium } from './chromium.mjs'
import { root } from './node.mjs'
import { buildPortal, install, run, say } from './prepare.mjs'
import { conclude, environment, runTests } from './vitest.mjs'

const checks = [
  ['types of server, packages and tools', 'tsc', '-p', '.'],
  ['types of the portal', 'tsc', '-p', 'apps/portal'],
  ['lint and import rules', 'oxlint'],
  ['format', 'oxfmt', '--check', '.'],
  ['dead code', 'knip'],
  ['undeclared packages', 'knip', '--strict', '--include', 'unlisted,unresolved'],
]
const total = { passed: 0, failures: [], unstable: [] }

await install({ dev: true })
Object.assign(process.env, environment())
process.chdir(root)

// Many tests wait and leave processors idle: what the stories need is made ready meanwhile.
const [tested] = await Promise.all([runTests(['node', 'alone', 'portal']), checkAndPrepare()])
add(tested)
add(await runTests(['e2e']))

conclude(total)

async function checkAndPrepare() {
  for (const [name, program, ...words] of checks) {
    const { code, output } = await run(program, ...words)
    if (code === 0) total.passed++
    else total.failures.push({ name, reason: `${program} ended with ${code}` })
    say(`${mark(code === 0)} ${name}`)
    if (code !== 0) say(output)
  }
  await buildPortal()
  if ((await prepareChromium()) === null) say('There is no Chromium and none could be installed; name one in CHROMIUM.')
}

function add({ passed, failures, unstable }) {
  total.passed += passed
  total.failures.push(...failures)
  total.unstable.push(...unstable)
}

function mark(isGood) {
  if (!process.stderr.isTTY) return isGood ? 'ok  ' : 'FAIL'
  return isGood ? styleText('green', '✓') : styleText('red', '✗')
}

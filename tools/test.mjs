/**
 * `npm test`: static checks and all tests, from a clone with nothing installed. The last line is
 * `N passed, N failed` over everything; each static check counts as one test.
 */
import { mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { prepareBrowserTests } from './chromium.mjs'
import { root } from './node.mjs'
import { install, run, logProgress } from './prepare.mjs'
import { runVitest, testEnvironment } from './vitest.mjs'

const checks = [
  // Several checkers would resolve the same types several times.
  ['types of server, packages, and tools', 'tsc', '-p', '.', '--checkers', '1'],
  ['types of the portal', 'tsc', '-p', 'apps/portal', '--checkers', '1'],
  ['lint', 'oxlint'],
  ['format', 'oxfmt', '--check', '.'],
  ['dead code', 'knip'],
  ['spelling', 'cspell', 'lint', '--no-progress', '--quiet', '.'],
  ['undeclared packages', 'knip', '--strict', '--include', 'unlisted,unresolved'],
]

Object.assign(process.env, testEnvironment())
const installed = install({ dev: true })
const results = await Promise.all([installed.then(runChecks), prepareBrowserTests(installed).then(runTests)])
const failures = results.flatMap(({ failed }) => failed)
const passed = results.reduce((sum, result) => sum + result.passed, 0)
for (const failure of failures) console.log(`FAILED ${failure}`)
console.log(`${passed} passed, ${failures.length} failed`)
process.exit(failures.length > 0 ? 1 : 0)

/** The static checks run while the tests are prepared and while they wait for sockets, and give way to those that don't. */
async function runChecks() {
  // The type checkers are written in Go. With its default, collecting garbage takes a quarter of their time.
  process.env['GOGC'] = '400'
  const failed = []
  for (const [name, program, ...args] of checks) {
    const { code, output } = await run('nice', '-n', '5', program, ...args)
    if (code === 0) continue
    logProgress(output)
    failed.push(`${name}: ${program} exited with ${code}`)
  }
  return { passed: checks.length - failed.length, failed }
}

async function runTests(chromium) {
  if (chromium === null) logProgress('No Chromium found, and it could not be installed. Set CHROMIUM to its path.')
  const folder = mkdtempSync(join(tmpdir(), 'glacis-test-'))
  const report = join(folder, 'report.json')
  const code = await runVitest(
    '--project=!soak',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  )
  const { numPassedTests, testResults } = await readReport(report)
  await rm(folder, { recursive: true, force: true })
  const failed = testResults.flatMap(failuresOf)
  // An error outside of any test, or a run that was killed.
  if (code !== 0 && failed.length === 0) failed.push(`vitest exited with ${code}; see its output above`)
  return { passed: numPassedTests, failed }
}

async function readReport(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return { numPassedTests: 0, testResults: [] }
  }
}

/** Names the file, the test, and the reason; a file that doesn't load counts as one failure. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(root, name)
  const tests = assertionResults.filter((test) => test.status === 'failed')
  if (tests.length > 0) return tests.map((test) => `${file} > ${test.fullName}: ${reason(test.failureMessages[0])}`)
  return status === 'failed' ? [`${file}: ${reason(message) || 'a hook failed; see its error above'}`] : []
}

/** Its first lines, without the calls. The first one alone may say only that a process ended. */
function reason(text = '') {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  return lines.slice(0, 6).join(' ⏎ ').slice(0, 600)
}

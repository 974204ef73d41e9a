/** Runs projects of vitest in sight of a person and counts what passed and failed. Node 20. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { cacheFolder, root } from './node.mjs'
import { tallyVariable } from './tally.mjs'

/** Nothing that we test takes so long; what hangs is ended and counts as failed. */
const wholeRunMsMax = 12 * 60_000

/** More files than these fail for no passing reason. */
const filesAgainMax = 3

/**
 * What fails is run once more by itself: sockets, processes and browsers of a busy machine are not always in time. What
 * then passes counts as passed and is told as unstable, for somebody to mend.
 *
 * @param projects names of vitest.config.ts
 * @param words more words for vitest
 * @returns how many tests passed; what failed, each with its `name` and `reason`; and what failed at first. A file that
 *   does not load, or a run that ends in any other trouble, counts as one that failed
 */
export async function runTests(projects, words = []) {
  const { passed, failures } = await runOnce(projects, words)
  const files = [...new Set(failures.map(({ file }) => file))]
  if (files.length === 0 || files.length > filesAgainMax || files.includes(null))
    return { passed, failures, unstable: [] }
  console.log(`Once more: ${files.join(' ')}`)
  const again = await runOnce(projects, files)
  const unstable = failures.filter(({ name }) => !again.failures.some((other) => other.name === name))
  return { passed: passed + unstable.length, failures: again.failures, unstable }
}

async function runOnce(projects, words) {
  const folder = await mkdtemp(join(tmpdir(), 'glacis-tally-'))
  const file = join(folder, 'tally.json')
  const chosen = projects.flatMap((name) => ['--project', name])
  const reporters = ['--reporter=default', `--reporter=${join(root, 'tools/tally.mjs')}`]
  const code = await inSight('vitest', ['run', ...chosen, ...reporters, ...words], { [tallyVariable]: file })
  const { passed, failures } = JSON.parse(await readFile(file, 'utf8').catch(() => '{"passed":0,"failures":[]}'))
  await rm(folder, { recursive: true, force: true })
  const unexplained = { file: null, name: 'vitest', reason: `ended with ${code}, and named no test` }
  return { passed, failures: code === 0 || failures.length > 0 ? failures : [unexplained] }
}

/** Says what failed, where the eye falls last, then the sum, and ends the process. */
export function conclude({ passed, failures, unstable }) {
  for (const { name, reason } of unstable) console.log(`UNSTABLE ${name}: ${reason}`)
  for (const { name, reason } of failures) console.log(`FAILED ${name}: ${reason}`)
  console.log(`${passed} passed, ${failures.length} failed`)
  process.exit(failures.length > 0 ? 1 : 0)
}

function inSight(program, words, variables) {
  return new Promise((done) => {
    const child = spawn(join(root, 'node_modules/.bin', program), words, {
      cwd: root,
      env: { ...environment(), ...variables },
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: wholeRunMsMax,
    })
    child.once('error', () => done(1))
    child.once('exit', (code) => done(code ?? 1))
  })
}

/**
 * The tools run on our Node, and a person's own settings of Glacis stay out of the tests. What was
 * compiled for one file of tests is there for the next, which has a process of its own.
 */
export function environment() {
  const kept = Object.entries(process.env).filter(([name]) => !/^(GLACIS_|DATABASE_URL$|npm_)/.test(name))
  const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`
  const compiled = join(cacheFolder, 'compiled-for-tests')
  return { ...Object.fromEntries(kept), PATH: path, NODE_COMPILE_CACHE: compiled }
}

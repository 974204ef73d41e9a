/**
 * `npm run fuzz [runs]`: a million generated inputs for each parser, a hundred thousand requests to the API and to the
 * identity service, and schemathesis. With a number, each property runs that often. `FUZZ_SEED` repeats a run.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { nodeProgram, root } from './node.mjs'
import { install, logProgress } from './prepare.mjs'
import { runFuzzing } from './vitest.mjs'

const [runs] = process.argv.slice(2)
if (runs !== undefined && !/^[1-9]\d*$/.test(runs)) {
  console.error('Usage: npm run fuzz [runs]')
  process.exit(2)
}
await install({ dev: true })
process.env['FUZZ_SEED'] ??= String(Date.now() % 2 ** 31)
logProgress(`FUZZ_SEED=${process.env['FUZZ_SEED']}`)

let isClean = true
/** Parsers run in parallel, the properties of one file in sequence. */
for (const [byDefault, ...files] of [
  ['1000000', 'fuzz/parsers.test.ts', 'fuzz/replies.test.ts', 'fuzz/feeds.test.ts', 'fuzz/backups.test.ts'],
  ['100000', 'fuzz/api.test.ts', 'packages/identity/src/fuzz.test.ts'],
]) {
  process.env['FUZZ_RUNS'] = runs ?? byDefault
  if ((await runFuzzing('--project=node', ...files)) !== 0) isClean = false
}
const { status } = spawnSync(nodeProgram(), [join(root, 'fuzz/schemathesis.ts')], { stdio: 'inherit' })
process.exit(isClean && status === 0 ? 0 : 1)

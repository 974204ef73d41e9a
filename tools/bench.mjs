/**
 * `npm run bench [name …]`: runs the benchmarks of `bench/` and compares each figure with its limit or with a peer in
 * the same run. Ratios are comparable; absolute figures depend on the machine.
 */
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { nodeProgram, root } from './node.mjs'
import { buildPortal, install, run } from './prepare.mjs'

const names = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => basename(file, '.ts'))
const selected = process.argv.slice(2)
if (!selected.every((name) => names.includes(name))) {
  console.error(`Usage: npm run bench [name …]\nBenchmarks: ${names.join(', ')}`)
  process.exit(2)
}
await install({ dev: false })
await buildPortal()
let isWithinLimits = true
for (const name of selected.length ? selected : names) {
  const { code, output } = await run(nodeProgram(), join(root, 'bench', `${name}.ts`))
  console.log(name)
  for (const line of output.split('\n')) console.log(line.startsWith('{') ? format(JSON.parse(line)) : `  ${line}`)
  if (code !== 0) isWithinLimits = false
}
process.exit(isWithinLimits ? 0 : 1)

/** Formats a figure. A figure above its limit or below its minimum fails the run. */
function format({ figure, value, unit, limit, least }) {
  if (value > limit || value < least) isWithinLimits = false
  const bound = limit ?? least
  const measured = `${unit === '×' ? value.toFixed(2) : Math.round(value)} ${unit}`.padStart(9)
  const share = `${Math.round((100 * value) / (bound || 1))} %`.padStart(6)
  const name = least === undefined ? 'limit' : 'least'
  return `  ${figure.padEnd(60)}${measured}   ${name} ${String(bound).padStart(5)} ${unit.padEnd(3)}${share}`
}

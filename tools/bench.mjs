/**
 * `npm run bench [name …]`: every benchmark of `bench/`, each figure against its limit or against a
 * peer in the same run; ratios compare, absolute figures depend on the machine.
 */
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { nodeProgram, root } from './node.mjs'
import { buildPortal, install, run } from './prepare.mjs'

await install({ dev: false })
await buildPortal()
const chosen = process.argv.slice(2)
const names = readdirSync(join(root, 'bench')).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
let isGood = true
for (const name of names
  .map((file) => basename(file, '.ts'))
  .filter((name) => !chosen.length || chosen.includes(name))) {
  const { code, output } = await run(nodeProgram(), join(root, 'bench', `${name}.ts`))
  console.log(name)
  for (const line of output.split('\n')) console.log(line.startsWith('{') ? format(JSON.parse(line)) : `  ${line}`)
  if (code !== 0) isGood = false
}
process.exit(isGood ? 0 : 1)

/** One row of the table; above its limit, or below what it must reach at least, a figure fails the run. */
function format({ figure, value, unit, limit, least }) {
  if (value > limit || value < least) isGood = false
  const bound = limit ?? least
  const measured = `${unit === '×' ? value.toFixed(2) : Math.round(value)} ${unit}`.padStart(9)
  const share = `${Math.round((100 * value) / (bound || 1))} %`.padStart(6)
  const name = least === undefined ? 'limit' : 'least'
  return `  ${figure.padEnd(60)}${measured}   ${name} ${String(bound).padStart(5)} ${unit.padEnd(3)}${share}`
}

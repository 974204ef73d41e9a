/** `npm run faults [count] [seed]`: prints each fault and a table of them, and exits with 1 if an invariant was violated. */
import { runFaults } from './run.ts'

const [count = '200', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2)
if (![count, seed].every((value) => /^\d+$/.test(value))) {
  console.error('Usage: npm run faults [count] [seed]')
  process.exit(2)
}
console.log(`seed ${seed}`)
const byFault = new Map<string, { count: number; slowestMs: number; problems: number }>()
let done = 0
const outcomes = await runFaults(Number(count), Number(seed), ({ fault, recoveredAfterMs, work, problems }) => {
  const row = byFault.get(fault) ?? { count: 0, slowestMs: 0, problems: 0 }
  byFault.set(fault, {
    count: row.count + 1,
    slowestMs: Math.max(row.slowestMs, recoveredAfterMs),
    problems: row.problems + problems.length,
  })
  console.log(`${++done} ${fault}: recovered after ${recoveredAfterMs} ms ${JSON.stringify(work)}`)
  for (const problem of problems) console.log(`  ${problem}`)
})
console.table(Object.fromEntries(byFault))
process.exit(outcomes.some(({ problems }) => problems.length > 0) ? 1 : 0)

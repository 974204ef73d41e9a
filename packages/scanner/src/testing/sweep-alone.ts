/**
 * Sweeps the ports of one address in a separate process and prints the reading: address, first
 * port, count.
 */
import { limitsByProfile } from '#budget.ts'
import { createGuard } from '#guard.ts'
import { createSweeper } from '#ports.ts'

const [address = '', first = '', count = ''] = process.argv.slice(2)
const ports = Array.from({ length: Number(count) }, (_, index) => Number(first) + index)
const limits = { ...limitsByProfile.deep, sweepWorkers: 1 }
const sweeper = createSweeper({ guard: createGuard({ allow: [address] }), limits, signal: AbortSignal.timeout(20_000) })
process.stdout.write(JSON.stringify(await sweeper.host(address, ports)))
await sweeper.close()

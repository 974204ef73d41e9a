/** Runs a property many times, and bounds the time and the memory that it takes. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'

/** How often each property runs, and where it starts. `npm run fuzz` sets them; a slice runs with the other tests. */
export const { FUZZ_RUNS: fuzzRuns, FUZZ_SEED: fuzzSeed } = process.env
export const seed = Number(fuzzSeed ?? 20_261_124)

/** CPU milliseconds for one input. Inputs have at most a few kilobytes. */
const cpuMsMax = 250
/** What may stay in memory after all inputs: caches of bounded size. */
const retainedMiBMax = 64

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void // defined by the flag

/**
 * @param sliceRuns how often it runs with the other tests
 * @throws with the smallest input that fails, its seed and path
 */
export async function holds<T>(inputs: fc.Arbitrary<T>, check: (input: T) => unknown, sliceRuns = 500): Promise<void> {
  const before = heapMiB()
  const property = fc.asyncProperty(inputs, async (input) => {
    const start = process.threadCpuUsage()
    await check(input)
    const { user, system } = process.threadCpuUsage(start)
    const cpuMs = (user + system) / 1000
    if (cpuMs > cpuMsMax) throw new Error(`Took ${Math.round(cpuMs)} ms of CPU time`)
  })
  await fc.assert(property, { numRuns: Number(fuzzRuns ?? sliceRuns), seed })
  const retained = heapMiB() - before
  if (retained > retainedMiBMax) throw new Error(`${Math.round(retained)} MiB are still in use`)
}

function heapMiB(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 1024 ** 2
}

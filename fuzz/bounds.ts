/** Runs a property many times, and bounds the time and the memory that it takes. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect } from 'vitest'

/** The number of runs per property, and the seed. `npm run fuzz` sets them; a slice runs with the other tests. */
export const { FUZZ_RUNS: fuzzRuns, FUZZ_SEED: fuzzSeed } = process.env
export const seed = Number(fuzzSeed ?? 20_261_124)

/** CPU milliseconds for one input. Inputs have at most a few kilobytes. */
const cpuMsMax = 250
/** Maximum wall time for one input; generous, because other programs may use the machine. */
export const hangMs = 20_000
/** How much the process may grow in the meantime, garbage included. */
const growthMiBMax = 512
/** Interval between lines of progress. */
export const progressMs = 30_000
/** Garbage that a measurement of the heap may contain. Collecting it takes longer than some properties. */
const garbageMiBMax = 32
/** Reading the clock takes longer than some parsers. */
const inputsPerClockCheck = 100

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void // defined by the flag

interface Limits {
  /** How often it runs with the other tests. */
  readonly sliceRuns?: number
  /** The share of the runs of one parser, if several properties divide them. */
  readonly share?: number
  /** Memory that may remain in use after all inputs, for caches of bounded size. */
  readonly retainedMiBMax?: number
  /** The share of inputs that the parser has to accept. With less, the inputs only test the first validation. */
  readonly acceptedMin?: number
}

/**
 * @param check returns whether the parser accepted the input
 * @throws with the smallest input that fails, its seed and path
 */
export async function holds<T>(
  inputs: fc.Arbitrary<T>,
  check: (input: T) => boolean | Promise<boolean>,
  { sliceRuns = 200, share = 1, acceptedMin = 0.05, retainedMiBMax = 64 }: Limits = {},
): Promise<void> {
  const runs = fuzzRuns === undefined ? sliceRuns : Math.ceil(Number(fuzzRuns) * share)
  if (heapMiB() > baselineMiB + garbageMiBMax) baselineMiB = collectedHeapMiB()
  const rssBefore = process.resourceUsage().maxRSS / 1024
  const [start, cpuStart] = [performance.now(), process.cpuUsage()]
  let [count, accepted, slowestMs, reportedAt] = [0, 0, 0, start]
  const report = () => {
    const { user, system } = process.cpuUsage(cpuStart)
    const seconds = (performance.now() - start) / 1000
    const figures = [
      `${count} inputs in ${seconds.toFixed(0)} s`,
      `${((user + system) / count).toFixed(0)} µs of CPU time each`,
      `slowest ${slowestMs.toFixed(1)} ms`,
      `${((accepted / count) * 100).toFixed(0)} % accepted`,
      `grown by ${(process.resourceUsage().maxRSS / 1024 - rssBefore).toFixed(0)} MiB`,
    ]
    if (fuzzRuns !== undefined) console.log(`${expect.getState().currentTestName}: ${figures.join(', ')}`)
  }
  const property = fc.asyncProperty(inputs, async (input) => {
    const cpu = process.threadCpuUsage()
    const isAccepted = await check(input)
    const { user, system } = process.threadCpuUsage(cpu)
    const cpuMs = (user + system) / 1000
    if (cpuMs > cpuMsMax) throw new Error(`Took ${Math.round(cpuMs)} ms of CPU time`)
    count++
    if (isAccepted) accepted++
    slowestMs = Math.max(slowestMs, cpuMs)
    if (count % inputsPerClockCheck > 0 || performance.now() < reportedAt + progressMs) return
    reportedAt = performance.now()
    report()
  })
  await fc.assert(property, { numRuns: runs, seed, timeout: hangMs })
  report()
  const retained = () => heapMiB() - baselineMiB
  if (retained() > retainedMiBMax) collectGarbage()
  if (retained() > retainedMiBMax) throw new Error(`${Math.round(retained())} MiB are still in use`)
  const growth = process.resourceUsage().maxRSS / 1024 - rssBefore
  if (growth > growthMiBMax) throw new Error(`The process grew by ${Math.round(growth)} MiB`)
  if (accepted < acceptedMin * count) throw new Error(`Only ${accepted} of ${count} inputs were accepted`)
}

/** The heap in use when garbage was last collected. */
let baselineMiB = -Infinity

function collectedHeapMiB(): number {
  collectGarbage()
  return heapMiB()
}

function heapMiB(): number {
  return process.memoryUsage().heapUsed / 1024 ** 2
}

/** Every parser of what targets send, on hostile input of 1×, 2×, 4×, and 8× the size. */
import { getHeapStatistics } from 'node:v8'
import { afterAll, expect, it } from 'vitest'
import { growingParsers, type GrowingParser } from '#template/testing/growing-parsers.ts'

const factors = [1, 2, 4, 8] as const
/** Growth from 1× to 8×, relative to linear growth. Quadratic cost grows eight times faster than linear. */
const toleranceMax = 4
/** The system counts processor time in ticks, so short runs are repeated this long. */
const sampleMs = 8
const repeatsMax = 256
/** Below this, fixed costs dominate. */
const allocatedMbMin = 0.5
interface Cost {
  readonly cpuMs: number
  readonly allocatedMb: number
}
const table: Record<string, Record<string, string>> = {}

it.each(growingParsers)('SEC-D1 $name grows at most linearly in time and memory', async (parser) => {
  let growth = await measure(parser, 1)
  // Other tests share the caches of the processor.
  for (let retry = 0; retry < 2 && isExcessive(growth); retry++) growth = await measure(parser, 2)
  expect(growth.time).toBeLessThan(toleranceMax)
  expect(growth.memory).toBeLessThan(toleranceMax)
})

afterAll(() => {
  // oxlint-disable-next-line no-console -- the table is the result of `npm run hostile`
  if (process.env['npm_lifecycle_event'] === 'hostile') console.table(table)
})

interface Growth {
  readonly time: number
  readonly memory: number
}

function isExcessive({ time, memory }: Growth): boolean {
  return Math.max(time, memory) >= toleranceMax
}

/** @param runs number of runs; the cheapest counts */
async function measure(parser: GrowingParser, runs: number): Promise<Growth> {
  const repeats = await repeatsFor(parser)
  const costs: Cost[] = []
  for (const factor of factors) costs.push(await costOf(parser, factor, repeats, runs))
  // A parser that takes no measurable time even when repeated can only grow from half a tick.
  const times = costs.map(({ cpuMs }) => Math.max(cpuMs, sampleMs / repeats / 2))
  const sizes = costs.map(({ allocatedMb }) => Math.max(allocatedMb, allocatedMbMin))
  const [time, memory] = [relativeGrowth(times), relativeGrowth(sizes)]
  table[parser.name] = Object.fromEntries([
    ...factors.map((factor, at) => [
      `${factor}×`,
      `${costs[at]?.cpuMs.toFixed(2)} ms ${costs[at]?.allocatedMb.toFixed(1)} MB`,
    ]),
    ['time / linear', time.toFixed(2)],
    ['memory / linear', memory.toFixed(2)],
  ])
  return { time, memory }
}

function relativeGrowth(values: readonly number[]): number {
  const [first = 1] = values
  return Math.max(...values.map((value, at) => value / first / (factors[at] ?? 1)))
}

/** How often the smallest input must be read for a time that can be measured. Also warms up. */
async function repeatsFor({ make, units, run }: GrowingParser): Promise<number> {
  const text = make(units)
  const startedAt = cpuMs()
  let repeats = 0
  while (repeats < repeatsMax && cpuMs() - startedAt < sampleMs) {
    await run(text)
    repeats += 1
  }
  return repeats
}

/** The lowest of the runs: processor time of this thread, and bytes allocated on its heap. */
async function costOf(
  { make, units, run }: GrowingParser,
  factor: number,
  repeats: number,
  runs: number,
): Promise<Cost> {
  const text = make(units * factor)
  const costs: Cost[] = []
  for (let count = 0; count < runs; count++) {
    const [allocated, startedAt] = [allocatedBytes(), cpuMs()]
    for (let repeat = 0; repeat < repeats; repeat++) await run(text)
    costs.push({
      cpuMs: (cpuMs() - startedAt) / repeats,
      allocatedMb: (allocatedBytes() - allocated) / repeats / 1e6,
    })
  }
  return {
    cpuMs: Math.min(...costs.map((cost) => cost.cpuMs)),
    allocatedMb: Math.min(...costs.map((cost) => cost.allocatedMb)),
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function allocatedBytes(): number {
  return getHeapStatistics().total_allocated_bytes
}

import { expect, it } from 'vitest'
import { evaluateFlow, parseFlow } from '#template/flow.ts'

/** Runs a flow over blocks with given results; returns its result and the blocks that ran. */
async function run(source: string, blocks: readonly boolean[]) {
  const flow = parseFlow(source, blocks.length)
  if (typeof flow === 'string') throw new Error(flow)
  const ran: number[] = []
  const verdict = await evaluateFlow(flow, blocks.length, async (at) => {
    ran.push(at + 1)
    return blocks[at] ?? false
  })
  return [verdict, ran.join(' ')]
}

it.each<[string, readonly boolean[], boolean, string]>([
  ['http(1) && http(2)', [true, true], true, '1 2'],
  ['http(1) && http(2)', [false, true], false, '1'],
  ['http(1) || http(2)', [true, true], true, '1'],
  ['http(1) || http(2)', [false, true], true, '1 2'],
  ['http(1) || http(2) && http(3)', [false, true, false], false, '1 2 3'],
  ['(http(1) || http(2)) && http(3)', [true, true, true], true, '1 3'],
  ['!http(1) && http(2);\n', [false, true], true, '1 2'],
  ['http()', [false, true], true, '1 2'],
  ['http (2)', [false, true], true, '2'],
])('%s with results %j is %s after running %s', async (source, blocks, verdict, ran) => {
  expect(await run(source, blocks)).toEqual([verdict, ran])
})

it.each([
  'http(3)',
  'http(0)',
  'http(1) & http(2)',
  'http(1) && code(1)',
  'for (let a of b) { http(1) }',
  'http(1) && (http(2)',
  'http(1) http(2)',
  '',
  `${'('.repeat(200)}http(1)${')'.repeat(200)}`,
  `${'!'.repeat(200)}http(1)`,
])('rejects %j', (source) => {
  expect(parseFlow(source, 2)).toEqual(expect.any(String))
})

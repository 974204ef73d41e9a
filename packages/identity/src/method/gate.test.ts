import { expect, it } from 'vitest'
import { createGate } from '#method/gate.ts'

it('lets so many pass at once, in the order in which they came, and survives what fails', async () => {
  const gate = createGate(2)
  const started: number[] = []
  let inside = 0
  let most = 0
  const work = async (id: number) => {
    started.push(id)
    most = Math.max(most, ++inside)
    await new Promise(setImmediate)
    inside -= 1
    if (id === 1) throw new Error('failed')
    return id
  }
  const results = await Promise.allSettled([0, 1, 2, 3, 4].map((id) => gate(() => work(id))))
  expect([most, started]).toEqual([2, [0, 1, 2, 3, 4]])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', ...Array(3).fill('fulfilled')])
  expect(await gate(() => work(5))).toBe(5)
})

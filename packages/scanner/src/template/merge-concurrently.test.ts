import { expect, it } from 'vitest'
import { mergeConcurrently } from '#template/merge-concurrently.ts'

const signal = new AbortController().signal

it('yields the values of all generators with limited concurrency', async () => {
  let under = 0
  let most = 0
  const seen: number[] = []
  const work = async function* (item: number) {
    most = Math.max(most, ++under)
    yield item
    await Promise.resolve()
    yield -item
    under--
  }
  for await (const value of mergeConcurrently([1, 2, 3, 4, 5], 2, signal, work)) seen.push(value)
  expect(seen.toSorted((a, b) => a - b)).toEqual([-5, -4, -3, -2, -1, 1, 2, 3, 4, 5])
  expect(most).toBe(2)
})

it("throws a generator's error after its values", async () => {
  const seen: string[] = []
  const work = async function* (item: string) {
    yield item
    throw new Error('broken')
  }
  const read = async () => {
    for await (const value of mergeConcurrently(['a'], 3, signal, work)) seen.push(value)
  }
  await expect(read()).rejects.toThrow('broken')
  expect(seen).toEqual(['a'])
})

it('stops its generators when the consumer stops', async () => {
  const stopped: string[] = []
  const work = async function* (item: string, stop: AbortSignal) {
    yield item
    await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }))
    stopped.push(item)
  }
  for await (const _value of mergeConcurrently(['a'], 3, signal, work)) break
  expect(stopped).toEqual(['a'])
})

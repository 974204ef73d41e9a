import { describe, expect, it } from 'vitest'
import { createBudget } from '#budget.ts'
import { createChannel } from '#channel.ts'
import { forEachOf } from '#pool.ts'

const forever = new AbortController().signal
const soon = () => new Promise((resolve) => setImmediate(resolve))

describe('forEachOf', () => {
  it('processes all items with limited concurrency', async () => {
    let inside = 0
    let most = 0
    const done: number[] = []
    await forEachOf([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      most = Math.max(most, ++inside)
      await soon()
      inside--
      done.push(item)
    })
    expect(new Set(done)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7]))
    expect(most).toBe(3)
  })

  it('starts nothing after an error, awaits the rest, and throws it', async () => {
    const done: number[] = []
    const work = async (item: number) => {
      await soon()
      if (item === 1) throw new Error('one')
      await soon()
      done.push(item)
    }
    await expect(forEachOf([1, 2, 3, 4, 5], 2, work)).rejects.toThrow('one')
    expect(done).toEqual([2])
  })
})

describe('createChannel', () => {
  it('applies backpressure and preserves the order', async () => {
    const channel = createChannel<number>(2)
    let written = 0
    const writing = (async () => {
      for (const item of [1, 2, 3, 4]) {
        await channel.put(item)
        written++
      }
      channel.end()
    })()
    await soon()
    expect(written).toBe(2)
    expect(await Array.fromAsync(channel)).toEqual([1, 2, 3, 4])
    await writing
  })

  it('throws its error, also to a waiting reader', async () => {
    const channel = createChannel<number>(2)
    const reading = Array.fromAsync(channel)
    channel.end({ reason: new Error('over') })
    await expect(reading).rejects.toThrow('over')
  })

  it('releases waiting writers when it ends', async () => {
    const channel = createChannel<number>(1)
    await channel.put(1)
    const writing = channel.put(2)
    channel.end()
    await writing
    expect(await Array.fromAsync(channel)).toEqual([1])
  })
})

describe('createBudget', () => {
  it("rejects with the signal's reason while waiting", async () => {
    const budget = createBudget({ requestsPerSecond: 1000, requestsPerHostPerSecond: 0.001 })
    const stop = new AbortController()
    await budget.take('10.0.0.1', stop.signal)
    const waiting = budget.take('10.0.0.1', stop.signal)
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })

  it('does not delay one host because of another', async () => {
    const budget = createBudget({ requestsPerSecond: 1000, requestsPerHostPerSecond: 0.001 })
    await budget.take('10.0.0.1', forever)
    await budget.take('10.0.0.2', forever)
    await expect(budget.take('10.0.0.1', AbortSignal.timeout(20))).rejects.toThrow()
  })
})

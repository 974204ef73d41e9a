import { expect, it } from 'vitest'
import { createLanes } from '#net/lanes.ts'

const { signal } = new AbortController()

it('lets no more inside than there are places, in the order of arrival', async () => {
  const lanes = createLanes(2)
  const log: string[] = []
  const first = await lanes.enter('a', signal)
  await lanes.enter('a', signal)
  const third = lanes.enter('a', signal).then((leave) => (log.push('third'), leave))
  const fourth = lanes.enter('a', signal).then((leave) => (log.push('fourth'), leave))
  await lanes.enter('b', signal)
  expect(log).toEqual([])
  first()
  first()
  const leave = await third
  expect(log).toEqual(['third'])
  leave()
  await fourth
  expect(log).toEqual(['third', 'fourth'])
})

it('forgets who gives up waiting', async () => {
  const lanes = createLanes(1)
  const leave = await lanes.enter('a', signal)
  const stop = new AbortController()
  const waiting = lanes.enter('a', stop.signal)
  stop.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  leave()
  await expect(lanes.enter('a', signal)).resolves.toBeTypeOf('function')
})

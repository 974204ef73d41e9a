import { expect, it } from 'vitest'
import { nextTask } from '#lib/first-paint.ts'
import { turn } from '#lib/turns.ts'

it('lets the first go at once and the others one to a task, in their order', async () => {
  const gone: string[] = []
  const go = (name: string) => turn().then(() => gone.push(name))
  const all = ['a', 'b', 'c'].map(go)
  await Promise.resolve().then(() => undefined)
  expect(gone).toEqual(['a'])
  for (let before = gone.length; gone.length < all.length; before = gone.length) {
    await nextTask()
    expect(gone.length - before).toBeLessThanOrEqual(1)
  }
  expect(gone).toEqual(['a', 'b', 'c'])
})

it('keeps nobody waiting after a quiet moment', async () => {
  await turn()
  await nextTask()
  await nextTask()
  let isGone = false
  void turn().then(() => (isGone = true))
  await Promise.resolve().then(() => undefined)
  expect(isGone).toBe(true)
})

import { expect, it } from 'vitest'
import { createBuilds } from './index.ts'
import { sample } from './testing/sample.ts'

it('renders in the background and returns the report once it is ready', async () => {
  const builds = createBuilds()
  expect(await builds.get('a', sample, 'pdf', 0)).toBe('building')
  const [first, second] = await Promise.all([1, 2].map(() => builds.get('a', sample, 'pdf', 60_000)))
  expect(first).toBe(second)
  const later = { ...sample, generatedAt: '2030-01-01T00:00:00.000Z' }
  expect(await builds.get('a', later, 'pdf', 0)).toBe(first)
  expect(await builds.get('b', sample, 'json', 60_000)).toMatchObject({
    contentType: 'application/json; charset=utf-8',
  })
})

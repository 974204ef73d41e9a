import { expect, it } from 'vitest'
import { createBuilds } from './index.ts'
import { sample } from './testing/sample.ts'

it('renders in the background and returns the report once it is ready', async () => {
  const builds = createBuilds()
  expect(await builds.get('a', sample, 'pdf', 0)).toBe('building')
  const [one, other] = await Promise.all([1, 2].map(() => builds.get('a', sample, 'pdf', 60_000)))
  expect(one).toBe(other)
  const later = { ...sample, generatedAt: '2030-01-01T00:00:00.000Z' }
  expect(await builds.get('a', later, 'pdf', 0)).toBe(one)
  expect(await builds.get('b', sample, 'json', 60_000)).toMatchObject({
    contentType: 'application/json; charset=utf-8',
  })
})

/** What a browser has to load, against its limits. */
import { expect, it } from 'vitest'
import { weights } from './bundle.ts'

const firstMax = 160_000
const laterMax = 40_000

it('shows the portal after at most 160 KB of JavaScript, compressed', async () => {
  expect((await weights()).first).toBeLessThanOrEqual(firstMax)
})

it('loads at most 40 KB for each further part', async () => {
  const { later } = await weights()
  expect(later.length).toBeGreaterThan(20)
  expect(later.filter(({ bytes }) => bytes > laterMax)).toEqual([])
})

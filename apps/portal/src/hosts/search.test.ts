import { expect, it } from 'vitest'
import { hostsInput, isFiltered } from '#hosts/search.ts'

const now = Date.parse('2026-11-21T15:30:00Z')

it.each([
  [{}, {}],
  [{ q: 'port:443' }, { query: 'port:443' }],
  [
    { severity: ['high'], criticality: ['low'] },
    { severities: ['CATEGORY_HIGH'], criticalities: ['CRITICALITY_LOW'] },
  ],
  // Whole days: the same question all day long.
  [{ age: 'new' }, { newSince: '2026-11-14T00:00:00.000Z' }],
  [{ age: 'gone' }, { notSeenSince: '2026-10-22T00:00:00.000Z' }],
] as const)('%j asks for %j', (search, filter) => {
  expect(hostsInput(search, now).filter).toEqual(expect.objectContaining(filter))
  expect(isFiltered(search)).toBe(Object.keys(filter).length > 0)
})

it('orders as the address says', () => {
  expect(hostsInput({ sort: 'address' }).orderBy).toBe('ORDER_BY_ADDRESS')
  expect(hostsInput({}).orderBy).toBeUndefined()
})

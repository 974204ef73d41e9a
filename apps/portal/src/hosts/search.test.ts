import { expect, it } from 'vitest'
import { hostsInput } from '#hosts/search.ts'
import { countFilters } from '#lib/search-schema.ts'

const now = Date.parse('2026-11-21T15:30:00Z')

it.each([
  [{}, {}],
  [{ q: 'port:443' }, { query: 'port:443' }],
  [
    { severity: ['high'], criticality: ['low'] },
    { severities: ['CATEGORY_HIGH'], criticalities: ['CRITICALITY_LOW'] },
  ],
  // Rounded to whole days, so the query stays the same all day.
  [{ age: 'new' }, { newSince: '2026-11-14T00:00:00.000Z' }],
  [{ age: 'gone' }, { notSeenSince: '2026-10-22T00:00:00.000Z' }],
] as const)('maps %j to %j', (search, filter) => {
  expect(hostsInput(search, now).filter).toEqual(expect.objectContaining(filter))
  expect(countFilters(search)).toBe(Object.keys(filter).length)
})

it('maps the sort order', () => {
  expect(hostsInput({ sort: 'address' }).orderBy).toBe('ORDER_BY_ADDRESS')
  expect(hostsInput({}).orderBy).toBeUndefined()
})

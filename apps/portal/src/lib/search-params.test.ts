import { expect, it } from 'vitest'
import { parseSearch, stringifySearch } from '#lib/search-params.ts'

it('keeps values as text', () => {
  expect(parseSearch('?q=2024&create=true&id=012345')).toEqual({ q: '2024', create: 'true', id: '012345' })
})

it('reads a repeated name as a list', () => {
  expect(parseSearch('?severity=high&severity=low&severity=none')).toEqual({ severity: ['high', 'low', 'none'] })
})

it('repeats list values and omits missing ones', () => {
  expect(stringifySearch({ severity: ['high', 'low'], q: undefined, after: [], create: true })).toBe(
    '?severity=high&severity=low&create=true',
  )
  expect(stringifySearch({ q: undefined })).toBe('')
})

it('encodes a URL as a value', () => {
  const search = { return_to: 'https://portal.example.ch/scope?create=true#top' }
  expect(parseSearch(stringifySearch(search))).toEqual(search)
})

import { expect, it } from 'vitest'
import { inZone } from '#lib/testing/zone.ts'
import { attributeWords, endOfLifeWords, kindOf, vendorWords } from '#products/words.ts'

it.each([
  ['', 'any'],
  ['*', 'any'],
  ['-', 'not applicable'],
  ['2.4.49', '2.4.49'],
])('an attribute %j reads %s', (value, words) => {
  expect(attributeWords(value)).toBe(words)
})

it('tells the end of support as a word and a day', () => {
  expect(endOfLifeWords({ endOfLife: { state: 'STATE_PAST', date: '2024-06-30' } })).toEqual({
    word: 'Ended',
    variant: 'red',
    day: '30 Jun 2024',
  })
  expect(endOfLifeWords({})).toBeUndefined()
})

it.each(['Pacific/Auckland', 'America/St_Johns'])('tells the same day of the end of support in %s', (zone) => {
  const ended = `it.endOfLifeWords({ endOfLife: { state: 'STATE_PAST', date: '2026-12-31' } }).day`
  expect(inZone(zone, '#products/words.ts', ended)).toBe('31 Dec 2026')
})

it('names the part', () => {
  expect([kindOf({ part: 'o' }), kindOf({ part: '' })]).toEqual(['Operating system', 'Unknown'])
})

it.each([
  ['f5', 'F5'],
  ['openbsd', 'OpenBSD'],
  ['apache', 'Apache'],
  ['php_group', 'PHP Group'],
  ['node\\.js', 'Node.js'],
  ['*', ''],
])('the vendor %s reads %s', (vendor, words) => {
  expect(vendorWords(vendor)).toBe(words)
})

import { expect, it } from 'vitest'
import { readSwissDay, swissDay } from '#lib/swiss-date.ts'

it.each([
  ['18.02.2027', '2027-02-18'],
  [' 1. 2. 2027 ', '2027-02-01'],
  ['29.02.2028', '2028-02-29'],
  ['29.02.2027', undefined],
  ['31.04.2027', undefined],
  ['02/18/2027', undefined],
  ['18.02.27', undefined],
  ['', undefined],
])('reads %j as %s', (text, day) => {
  expect(readSwissDay(text)).toBe(day)
})

it('writes days with their zeros', () => {
  expect([swissDay('2027-02-18'), swissDay('')]).toEqual(['18.02.2027', ''])
})

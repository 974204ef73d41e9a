import { expect, it } from 'vitest'
import { inZone } from '#lib/testing/zone.ts'
import { attributeLabel, supportStatus, partLabel, vendorName } from '#products/labels.ts'

it.each([
  ['', 'any'],
  ['*', 'any'],
  ['-', 'not applicable'],
  ['2.4.49', '2.4.49'],
])('an attribute %j reads %s', (value, expected) => {
  expect(attributeLabel(value)).toBe(expected)
})

it('shows the support status in words', () => {
  expect(supportStatus({ endOfLife: { state: 'STATE_PAST', date: '2024-06-30' } })).toEqual({
    word: 'Ended',
    text: 'Ended 30 Jun 2024',
    variant: 'red',
  })
  const supported = { state: 'STATE_SUPPORTED', date: '2027-10-31' } as const
  expect(supportStatus({ endOfLife: supported })?.text).toBe('Supported until 31 Oct 2027')
  expect(supportStatus({ endOfLife: { ...supported, date: null } })?.text).toBe('Supported')
  expect(supportStatus({})).toBeUndefined()
})

it.each(['Pacific/Auckland', 'America/St_Johns'])('shows the same end-of-support date in %s', (zone) => {
  const ended = `it.supportStatus({ endOfLife: { state: 'STATE_PAST', date: '2026-12-31' } }).text`
  expect(inZone(zone, '#products/labels.ts', ended)).toBe('Ended 31 Dec 2026')
})

it('labels the WFN part', () => {
  expect([partLabel({ part: 'o' }), partLabel({ part: '' })]).toEqual(['Operating system', 'Unknown'])
})

it.each([
  ['f5', 'F5'],
  ['openbsd', 'OpenBSD'],
  ['apache', 'Apache'],
  ['php_group', 'PHP Group'],
  ['node\\.js', 'Node.js'],
  ['*', ''],
])('the vendor %s reads %s', (vendor, expected) => {
  expect(vendorName(vendor)).toBe(expected)
})

import { expect, it } from 'vitest'
import { certificateExpiry } from '#hosts/host-services.tsx'

const now = Date.parse('2026-11-21T12:00:00Z')

it.each([
  ['2027-06-01T00:00:00.000Z', 'Until 1 Jun 2027', undefined],
  ['2026-12-01T12:00:00.000Z', '10 days left', 'yellow'],
  ['2026-11-22T13:00:00.000Z', '1 day left', 'yellow'],
  ['2026-11-21T12:00:00.000Z', 'Expired 21 Nov 2026', 'red'],
  ['sometime', 'sometime', undefined],
])('a certificate until %s: %s', (validTo, text, variant) => {
  expect(certificateExpiry({ validTo }, now)).toEqual({ text, variant })
})

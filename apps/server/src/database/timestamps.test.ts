import { expect, it } from 'vitest'
import { toIso } from '#database/timestamps.ts'

it.each([
  ['2026-11-21 06:50:14+00', '2026-11-21T06:50:14.000Z'],
  ['2026-11-21 06:50:14.1+00', '2026-11-21T06:50:14.100Z'],
  ['2026-11-21 06:50:14.194999+00', '2026-11-21T06:50:14.194Z'],
  ['2026-11-21 06:50:14.5+02', '2026-11-21T04:50:14.500Z'],
])('converts %s to %s', (text, iso) => expect(toIso(text)).toBe(iso))

it('rejects an invalid timestamp', () => expect(() => toIso('infinity')).toThrow(RangeError))

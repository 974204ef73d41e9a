import { expect, it } from 'vitest'
import { z } from 'zod/mini'
import * as identity from '#identity.ts'
import { watchProduct, Wfn } from '#product.ts'
import { Duration, Id, Name, SeverityCount, ShortName, Timestamp, UrlOrEmpty } from '#primitives.ts'
import { Scan } from '#scan.ts'
import { Reference } from '#threat.ts'

const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'
const time = '2026-11-21T12:00:00Z'
const wfnMembers =
  'part vendor product version update edition language softwareEdition targetSoftware targetHardware other text'.split(
    ' ',
  )

it('has twelve attributes in a well-formed name', () => {
  expect(Object.keys(Wfn.shape)).toEqual(wfnMembers)
})

it('limits the attributes of a watched product by bytes, not characters', () => {
  const watch = (product: string) => watchProduct.input.safeParse({ name: 'x', wfn: { vendor: 'x', product } })
  expect(watch('a'.repeat(799)).success).toBe(true)
  expect(watch('\u0301'.repeat(400)).error?.issues).toMatchObject([
    { path: ['wfn'], message: 'The attributes of wfn must not exceed 800 bytes in total' },
  ])
})

it('defaults missing counts to zero', () => {
  expect(SeverityCount.parse({ high: 2 })).toEqual({ critical: 0, high: 2, medium: 0, low: 0 })
  expect(Scan.shape.hostCount.parse({})).toEqual({ scannedHosts: 0, affectedHosts: 0 })
})

const blank = [' ', '\u200b', '\u2060\u200b', '\u200f', '\u2800', '\u3164 ']
it.each<[string, z.ZodMiniType, readonly unknown[], readonly unknown[]]>([
  ['a name', Name, ['x', 'x'.repeat(128)], ['', 'x'.repeat(129), 7, ...blank]],
  ['a name with invisible characters', Name, ['a\u200bb', '\u2764\ufe0f'], []],
  ['a short name', ShortName, ['x', ' é '], ['', 'x'.repeat(41), ...blank, 'a\nb', 'a\u001b[2J', 'a\u202eb']],
  ['an id', Id, [id], ['', 'x', '42']],
  ['a timestamp', Timestamp, [time, '2026-11-21T12:00:00.123456+01:00'], ['2026-11-21', '21.11.2026', 1_763_726_400]],
  ['a duration', Duration, ['3s', '3.5s', '-0.25s'], ['3', '3.s', '3,5s', '1e3s', 's', '3.5 s', 3.5]],
  ['a URL or an empty string', UrlOrEmpty, ['', 'https://example.ch/x'], ['example', 'javascript:alert(1)']],
  ['a reference', Reference, [{ url: 'https://x.ch' }, { cve: 'CVE-2024-1' }], [{}, { name: 'x' }, 'x']],
  ['the email of a user', identity.Traits.shape.email, ['a@b.ch'], ['', 'nora', 'a b@c.ch', 'a@b@c.ch']],
])('%s accepts valid and rejects invalid values', (_, schema, good, bad) => {
  const isValid = (value: unknown) => schema.safeParse(value).success
  expect([good.map(isValid), bad.map(isValid)]).toEqual([good.map(() => true), bad.map(() => false)])
})

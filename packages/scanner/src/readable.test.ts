import { expect, it } from 'vitest'
import { isProblem, parseAddress } from '#address.ts'
import { readableAddress } from '#readable.ts'

const written = (text: string) => {
  const address = parseAddress(text)
  if (isProblem(address)) throw new Error(address.problem)
  return readableAddress(address.text)
}

it.each([
  'münchen.example',
  'ετικέτα.example',
  'почта.пример.example',
  'сор.рф',
  'こんにちは世界.example',
  '한국漢字.example',
  'דוגמה.example',
  'ตัวอย่าง.example',
  'straße-24.münchen.example',
  'https://münchen.example:8443/a/xn--x',
])('decodes %j', (text) => {
  expect(written(text)).toBe(text)
})

it.each([
  ['a label that mixes scripts', 'pаypal.example'],
  ['Cyrillic that looks Latin', 'еріс.example'],
  ['Greek that looks Latin', 'ορο.example'],
  ['Armenian that looks Latin', 'հոս.example'],
  ['Greek beside Latin', 'omegaω.example'],
  ['symbols', '☃.example'],
  ['a label that decodes to an empty string', 'xn--a.example'],
  ['a name that is not encoded', 'example.ch'],
  ['an address', '10.0.0.0/28'],
  ['a path', 'https://example.ch/xn--mnchen-3ya'],
])('returns null for %s', (_, text) => {
  expect(written(text)).toBeNull()
})

it('decodes safe labels next to an unsafe one', () => {
  expect(written('pаypal.münchen.example')).toBe('xn--pypal-4ve.münchen.example')
})

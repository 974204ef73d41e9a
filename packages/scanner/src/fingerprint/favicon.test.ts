import { expect, it } from 'vitest'
import { faviconHash, faviconMd5 } from '#fingerprint/favicon.ts'
import { printable, printableBytes } from '#fingerprint/text.ts'

// Reference value from Python: mmh3.hash(codecs.encode(data, 'base64'))
it('hashes the Base64 lines of an icon', () => {
  expect(faviconHash(Buffer.from('hello'))).toBe('1155597304')
  expect(faviconMd5(Buffer.from('hello'))).toBe('5d41402abc4b2a76b9719d911017c592')
})

it.each([
  ['\x1b[31mred\0', '\\x1b[31mred\\x00'],
  ['one\r\n\ttwo', 'one\r\n\ttwo'],
  ['a\u202eb', 'a\\u202eb'],
  ['half \ud800', 'half \ufffd'],
])('makes %j printable', (text, shown) => {
  expect(printable(text, 100)).toBe(shown)
})

it('limits the length after escaping', () => {
  expect(printableBytes(Buffer.alloc(5000), 4096)).toHaveLength(4096)
})

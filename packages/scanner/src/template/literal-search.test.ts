import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createLiteralSearch } from '#template/literal-search.ts'

function found(words: readonly string[], text: string): boolean[] {
  const marks = new Uint8Array(words.length)
  createLiteralSearch(words).mark(text, marks)
  return [...marks].map(Boolean)
}

it.each([
  [['he', 'she', 'his', 'hers'], 'ushers', [true, true, false, true]],
  [['abc', 'bc', 'c'], 'xabcx', [true, true, true]],
  [['same', 'same'], 'the same', [true, true]],
  [['', 'a'], 'a', [false, true]],
  [['Title'], '<TITLE>', [true]],
  [['\xff\x00'], 'a\xff\x00b', [true]],
])('finds %j in %j', (words, text, expected) => {
  expect(found(words, text)).toEqual(expected)
})

it('finds the same as individual searches', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 5 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 60 })
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 20 }), text, (words, whole) => {
      expect(found(words, whole)).toEqual(words.map((word) => whole.includes(word)))
    }),
  )
})

import { describe, expect, it } from 'vitest'
import { compilePattern, requiredLiteral } from '#template/regex.ts'

describe('the literal that a pattern cannot do without', () => {
  it.each([
    ['<title>Acme</title>', '<title>Acme</title>'],
    ['version=[0-9]+ beta', 'version='],
    ['abcd?e', 'abc'],
    ['ab*', ''],
    ['foo|bar', ''],
    ['(?i)admin', ''],
    ['(admin)?root', 'root'],
    ['[]abc]defg', 'defg'],
    ['a\\x41bcde', ''],
    ['x{3}yyyy', 'yyyy'],
    ['\\.php end', 'php end'],
    ['ab', ''],
  ])('%s: %j', (source, literal) => {
    expect(requiredLiteral(source)).toBe(literal)
  })
})

it.each(['(?<=a)b', '(a)\\1', '(', 'a{2000}'])('refuses %s, which RE2 does not know', (source) => {
  expect(compilePattern(source)).toBeNull()
})

it('is not slowed down by a pattern that makes others hang', () => {
  // Exponential in a backtracking engine: this test would never finish.
  expect(compilePattern('(a+)+$')?.test(`${'a'.repeat(50_000)}b`)).toBe(false)
})

it('keeps at most twenty matches', () => {
  expect(compilePattern('a(b)')?.matches('ab'.repeat(100))).toHaveLength(20)
})

it('finds UTF-8 in byte strings', () => {
  expect(compilePattern('Grüße \\d')?.test(Buffer.from('Viele Grüße 7').toString('latin1'))).toBe(true)
})

import { describe, expect, it } from 'vitest'
import { compilePattern, lazyPattern, requiredLiteral } from '#template/regex.ts'

describe('requiredLiteral', () => {
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

it.each(['(?<=a)b', '(a)\\1', '(', 'a{2000}'])('SEC-D2 rejects %s, which is not RE2 syntax', (source) => {
  expect(compilePattern(source)).toBeNull()
})

it('SEC-D2 runs a catastrophic pattern in linear time', () => {
  // Exponential in a backtracking engine: this test would never finish.
  expect(compilePattern('(a+)+$')?.test(`${'a'.repeat(50_000)}b`)).toBe(false)
})

it('returns at most twenty matches', () => {
  expect(compilePattern('a(b)')?.matches('ab'.repeat(100))).toHaveLength(20)
})

it('matches UTF-8 in byte strings', () => {
  expect(compilePattern('Grüße \\d')?.test(Buffer.from('Viele Grüße 7').toString('latin1'))).toBe(true)
})

it.each([
  ['version=([0-9]+)', 'version=12 version=3'],
  ['(?i)NGINX/(\\d)', 'Server: nginx/1'],
  ['a|b', 'xyz'],
])('compiles %s later with the same results', (source, text) => {
  const [lazy, compiled] = [lazyPattern(source), compilePattern(source)]
  expect(lazy.test(text)).toBe(compiled?.test(text))
  expect(lazy.matches(text)).toEqual(compiled?.matches(text))
  expect(lazy.replace(text, '*')).toBe(compiled?.replace(text, '*'))
})

it('compiles a lazy pattern only for a text that may match', () => {
  const invalid = lazyPattern('needle(')
  expect(invalid.test('hay')).toBe(false)
  expect(() => invalid.test('a needle')).toThrow('not RE2 syntax')
})

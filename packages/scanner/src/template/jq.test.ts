import { describe, expect, it } from 'vitest'
import { parseJq } from '#template/jq.ts'

describe('parseJq', () => {
  it.each([
    ['.a.b', { a: { b: 1 } }, [1]],
    ['.a[].b', { a: [{ b: 1 }, { b: 2 }] }, [1, 2]],
    ['.[0].c', [{ c: 'x' }], ['x']],
    ['.a[-1]', { a: [1, 2] }, [2]],
    ['.["a-b"]', { 'a-b': 3 }, [3]],
    ['.a, .b', { a: 1, b: 2 }, [1, 2]],
    ['.[] | to_entries | .[].key', [{ k: 1 }], ['k']],
    [
      '.[] | select(.on == 1) | .id',
      [
        { on: 1, id: 'a' },
        { on: 0, id: 'b' },
      ],
      ['a'],
    ],
    ['.s | select((.n != null) and (.v != null)) | .n, .v', { s: { n: 'x', v: 2 } }, ['x', 2]],
    ['.a // "none"', { a: null }, ['none']],
    ['"v" + .a', { a: '1' }, ['v1']],
    ['.l | map(select(. > 1)) | length', { l: [1, 2, 3] }, [2]],
    ['.e[] | select(.r[] | contains("reg")).d', { e: [{ r: ['a registrant'], d: 5 }] }, [5]],
    ['.a.b.c', 'text', []],
    ['.a[]', { a: 1 }, []],
  ])('%s', (source, input, results) => {
    expect(parseJq(source)?.(input)).toEqual(results)
  })

  it.each([
    '',
    '.a |',
    'reduce .[] as $x (0; . + $x)',
    'input',
    '.a[',
    'select(',
    `${'('.repeat(100)}.${')'.repeat(100)}`,
  ])('returns null for unsupported syntax: %s', (source) => {
    expect(parseJq(source)).toBeNull()
  })

  it('limits results on a hostile document', () => {
    const wide = Array.from({ length: 1_000 }, () => Array.from({ length: 1_000 }, () => 1))
    expect(parseJq('.[] | .[] | .')?.(wide).length).toBeLessThanOrEqual(10_000)
  })

  it.each([
    [Array.from({ length: 19 }, () => '.+.').join('|'), Array.from({ length: 100 }, () => 1)],
    ['(.[]+.[])==(.[]+.[])', Array.from({ length: 1_000 }, (_, index) => index)],
    [Array.from({ length: 19 }, () => '.+.').join('|'), 'text'.repeat(25)],
  ])('ends %s when its budget is spent', (source, input) => {
    expect(() => parseJq(source)?.(input)).toThrow('jq expression exceeds its budget')
  })
})

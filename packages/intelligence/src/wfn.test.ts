import { describe, expect, it } from 'vitest'
import { compareNames, compareValue } from '#wfn-compare.ts'
import { bindUri, parseCpe, parseUri } from '#wfn-uri.ts'
import { bindFormattedString, type CpeName, fromWfn, nameOf, parseFormattedString, quote, toWfn } from '#wfn.ts'
import { vectors, type VectorName } from '#testing/shared-data.ts'

const apache = 'cpe:2.3:a:apache:http_server:2.4.49:*:*:*:*:*:*:*'

describe('CPE names', () => {
  it.each([
    apache,
    'cpe:2.3:a:joomla:joomla\\!:3.9.1:rc1:*:*:*:*:*:*',
    'cpe:2.3:o:cisco:ios:12.2\\(33\\)sxj:*:*:*:*:*:*:*',
    'cpe:2.3:a:openbsd:openssh:9.2:p1:*:*:*:*:*:*',
    'cpe:2.3:a:openbsd:openssh:9.3:-:*:*:*:*:*:*',
  ])('round-trips %s', (text) => {
    const name = parseFormattedString(text)
    expect(name && bindFormattedString(name)).toBe(text)
  })

  it('round-trips through the contract format with unquoted values', () => {
    const name = parseFormattedString('cpe:2.3:a:joomla:joomla\\!:3.9.1:-:*:*:*:*:*:*')
    const wfn = name && toWfn(name)
    expect(wfn).toMatchObject({ product: 'joomla!', update: '-', edition: '' })
    expect(wfn && fromWfn(wfn)).toEqual(name)
  })

  it('keeps characters outside of the basic plane whole', () => {
    const name = nameOf({ part: 'a', vendor: 'acme', product: quote('𝒢lacis') })
    expect(name && bindFormattedString(name).isWellFormed()).toBe(true)
    expect(name && toWfn(name).product).toBe('𝒢lacis')
  })

  it('reads values with needless quoting like those without', () => {
    const name = parseFormattedString('cpe:2.3:a:my\\-co:http\\_server:2\\.4.49:\\-:*:*:*:*:*:*')
    expect(name && bindFormattedString(name)).toBe('cpe:2.3:a:my-co:http_server:2.4.49:\\-:*:*:*:*:*:*')
    expect(name && fromWfn(toWfn({ ...name, update: '*' }))).toEqual({ ...name, update: '*' })
  })

  it.each(['a\\ b', 'a\\\u0000', 'a\\\u0085', 'a\\\ud800'])('rejects %j, which is not printable', (vendor) => {
    expect(nameOf({ part: 'a', vendor })).toBeNull()
  })

  it('splits at unquoted colons only', () => {
    expect(parseFormattedString('cpe:2.3:a:a\\:b:c:1:*:*:*:*:*:*:*')?.vendor).toBe('a\\:b')
  })

  it('parses both bindings', () => {
    expect(parseCpe('cpe:/a:apache:http_server:2.4.49')).toEqual(parseCpe(apache))
  })

  it('rejects an invalid part or value', () => {
    expect(nameOf({ part: 'x' })).toBeNull()
    expect(parseFormattedString('cpe:2.3:a:b')).toBeNull()
    expect(parseFormattedString(apache.replace('2.4.49', '2*9'))).toBeNull()
    expect(parseCpe('http://cpe')).toBeNull()
  })
})

it.each([
  ['*', 'foo', 'superset'],
  ['foo', '*', 'subset'],
  ['*', '-', 'superset'],
  ['-', '*', 'subset'],
  ['-', '-', 'equal'],
  ['-', 'foo', 'disjoint'],
  ['foo', '-', 'disjoint'],
  ['fo*', '-', 'disjoint'],
  ['foo', 'f*', 'undefined'],
  ['*', 'f*', 'undefined'],
  ['9.*', '9.3.2', 'superset'],
  ['9.*', '8.3.2', 'disjoint'],
  ['3', '33.0', 'disjoint'],
  ['a\\*', 'a\\*', 'equal'],
])('compareValue(%s, %s) is %s', (source, target, relation) => {
  expect(compareValue(source, target)).toBe(relation)
})

describe.skipIf(!vectors)('the worked examples of NISTIR 7695 and 7696', () => {
  // One example contains a bare question mark, which the grammar of the URI binding doesn't allow.
  it.each((vectors?.unbind_uri ?? []).filter(({ input }) => !input.includes('?')))(
    'unbinds the URI $input',
    ({ input, wfn, error }) => {
      expect(parseUri(input)).toEqual(error ? null : fromVector(wfn))
    },
  )
  it.each(vectors?.unbind_fs ?? [])('unbinds $input', ({ input, wfn, error }) => {
    expect(parseFormattedString(input)).toEqual(error ? null : fromVector(wfn))
  })
  // One example binds an empty value, which a well-formed name can't contain.
  it.each((vectors?.bind ?? []).filter(({ expected }) => !expected.includes('a::*')))(
    'binds $expected',
    ({ wfn, expected }) => {
      const name = fromVector(wfn)
      const bind = expected.startsWith('cpe:/') ? bindUri : bindFormattedString
      expect(name && bind(name)).toBe(expected)
    },
  )
  it.each(vectors?.name_match ?? [])('compares names %#', ({ source, target, ...verdict }) => {
    const left = fromVector(source)
    const right = fromVector(target)
    const relation = left && right && compareNames(left, right)
    expect({
      disjoint: relation === 'disjoint',
      equal: relation === 'equal',
      subset: relation === 'subset' || relation === 'equal',
      superset: relation === 'superset' || relation === 'equal',
    }).toEqual(verdict)
  })
})

/** Converts a name of the vectors, which use the standard's attribute names and also quote `.`, `-`, and `_`. */
function fromVector(wfn: VectorName | undefined): CpeName | null {
  const { sw_edition, target_sw, target_hw, ...same } = wfn ?? {}
  const all = { ...same, softwareEdition: sw_edition, targetSoftware: target_sw, targetHardware: target_hw }
  const values = Object.entries(all).flatMap(([attribute, value]) => {
    if (value === undefined) return []
    if (typeof value !== 'string') return [[attribute, value.logical === 'NA' ? '-' : '*']]
    return [[attribute, value.toLowerCase().replaceAll(/\\([a-z0-9._-])/g, '$1')]]
  })
  return nameOf(Object.fromEntries(values))
}

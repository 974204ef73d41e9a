import { describe, expect, it } from 'vitest'
import { vectors } from '#testing/shared-data.ts'
import { compareApk } from '#version/apk.ts'
import { compareDebian } from '#version/deb.ts'
import { compareGeneric } from '#version/generic.ts'
import { compareSemver } from '#version/semver.ts'
import { compareVersions } from '#version/version.ts'

describe('compareGeneric', () => {
  it.each([
    ['2.4.49', '2.4.51', -1],
    ['1.0', '1.0.0', 0],
    ['v1.2.3', '1.2.3', 0],
    ['1.10', '1.9', 1],
    ['2.0.0-rc1', '2.0.0', -1],
    ['2.0.0rc1', '2.0.0-rc.1', 0],
    ['9.0.0.M1', '9.0.0', -1],
    ['8.1.0-dev', '8.1.0', -1],
    ['1.0.0-alpha2', '1.0.0-beta1', -1],
    ['1.0.2', '1.0.2k', -1],
    ['1.0.2k', '1.0.2l', -1],
    ['1.0.2z', '1.0.2za', -1],
    ['9.2p1', '9.2p2', -1],
    ['9.2p1', '9.3', -1],
    ['9.2', '9.2p1', -1],
    ['10.2.9-h1', '10.2.9', 1],
    ['1.8.0_202', '1.8.0_181', 1],
    ['1.8.0update202', '1.8.0u202', 0],
    ['2022-01-01', '2022-01-02', -1],
    ['20220101', '2022-01-02', -1],
    ['3.00 (bb6b5a062e)', '3.00', 0],
    ['2.3.19.1+dfsg1', '2.3.19.1', 0],
    ['16.4.1-ee', '16.4.1-ce.0', 0],
    ['123456789012345678901', '123456789012345678902', -1],
    ['0', '2023.1', -1],
  ])('%s against %s: %s', (left, right, order) => {
    expect(compareGeneric(left, right)).toBe(order)
    expect(compareGeneric(right, left)).toBe(order === 0 ? 0 : -order)
  })

  it.each([
    ['2000', '11.7'],
    ['2022-01-01', '3.1'],
    ['5a1', '5'],
    ['1.0-foo', '1.0-bar'],
    ['1.0-foo', '1.0'],
    ['abcdef', '1.0'],
    ['', '1.0'],
    ['1.0p1', '1.0k'],
  ])('returns null for %s and %s', (left, right) => {
    expect(compareGeneric(left, right)).toBeNull()
    expect(compareGeneric(right, left)).toBeNull()
  })
})

describe('compareVersions with product rules', () => {
  it.each([
    ['isc:bind', '9.11.0b1', '9.11.0', -1],
    ['isc:bind', '9.11.0-P1', '9.11.0', 1],
    ['python:python', '3.9.0a1', '3.9.0', -1],
    ['openssl:openssl', '1.1.1-pre2', '1.1.1', -1],
    ['cisco:ios', '12.2(33)SXJ1', '12.2(33)SXJ2', -1],
    ['cisco:ios', '12.2(33)SXJ', '12.2(33)SXH', null],
    ['mariadb:mariadb', '5.5.5-10.11.19-MariaDB-0+deb12u1', '10.11.20', -1],
  ])('%s: %s against %s: %s', (product, left, right, order) => {
    expect(compareVersions(left, right, { product, targetSoftware: '*' })).toBe(order)
  })
  it('compares Node.js packages as semantic versions', () => {
    const scheme = { product: 'vitejs:vite', targetSoftware: 'node.js' }
    expect(compareVersions('6.2.2', '6.2.3', scheme)).toBe(-1)
    expect(compareVersions('6.0.0-alpha.beta', '6.0.0-beta', scheme)).toBe(-1)
  })
})

describe.skipIf(!vectors)('published vectors', () => {
  // Ambiguous: an alpha or a patch. compareGeneric treats them as not comparable.
  const known = (vectors?.version_compare_nvdtools_smartvercmp ?? []).filter(({ a, b }) => a !== '5-a1' || b !== '5a1')
  it.each(known)('compares $a with $b', ({ a, b, cmp }) => {
    expect(compareGeneric(a, b)).toBe(cmp)
  })
  it.each(vectors?.grype_constraint_fuzzy ?? [])('generic $version $constraint: $satisfied', (vector) => {
    expect(satisfies(vector.version, vector.constraint, compareGeneric)).toBe(vector.satisfied)
  })
  it.each(vectors?.grype_constraint_deb ?? [])('Debian $version $constraint: $satisfied', (vector) => {
    expect(satisfies(vector.version, vector.constraint, compareDebian)).toBe(vector.satisfied)
  })
  it.each(vectors?.grype_constraint_apk ?? [])('Alpine $version $constraint: $satisfied', (vector) => {
    expect(satisfies(vector.version, vector.constraint, compareApk)).toBe(vector.satisfied)
  })
  it.each(vectors?.grype_constraint_semver ?? [])('semantic $version $constraint: $satisfied', (vector) => {
    expect(satisfies(vector.version, vector.constraint, compareSemver)).toBe(vector.satisfied)
  })
})

/** Evaluates a constraint such as `> 1, < 2 || = 3` with the comparison under test. */
function satisfies(version: string, constraint: string, compare: (a: string, b: string) => number | null): boolean {
  return constraint.split('||').some((alternative) =>
    alternative.split(',').every((term) => {
      const [, operator = '=', bound = ''] = /^\s*([<>]?=?)\s*['"]?([^'"]*)['"]?\s*$/.exec(term) ?? []
      if (bound === '') return true
      const order = compare(version, bound.trim())
      if (order === null) return false
      if (order === 0) return operator === '' || operator.includes('=')
      return operator.startsWith(order < 0 ? '<' : '>')
    }),
  )
}

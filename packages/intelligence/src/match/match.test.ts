import { describe, expect, it } from 'vitest'
import { parseNvd } from '#feed/nvd.ts'
import { matchProduct, type MatchSubject } from '#match/match.ts'
import { type CpeMatch, productKeys, type ThreatRecord } from '#threat.ts'
import { parseCpe } from '#wfn-uri.ts'
import { toWfn } from '#wfn.ts'

const traversal = threat([or({ criteria: apache('2.4.49') }, { criteria: apache('2.4.50') })])
const ranged = threat([or({ criteria: apache('*'), versionStartIncluding: '2.4.49', versionEndExcluding: '2.4.51' })])

describe('matching a version', () => {
  it('matches a range and reports it', () => {
    expect(matchProduct(seen(apache('2.4.49')), ranged, [])).toEqual({
      kind: 'match',
      threat: 'CVE-2024-0001',
      quality: 80,
      evidence: {
        criteria: apache('*'),
        range: '≥ 2.4.49, < 2.4.51',
        running: '',
        text: 'Apache HTTP Server 2.4.49 is in the affected range ≥ 2.4.49, < 2.4.51.',
      },
    })
  })

  it.each([
    [apache('2.4.51'), 'version_outside'],
    [apache('2.4.48'), 'version_outside'],
    [apache('*'), 'version_unknown'],
    [apache('-'), 'version_unknown'],
    [apache('release_x'), 'version_incomparable'],
    ['cpe:2.3:a:apache:tomcat:2.4.49:*:*:*:*:*:*:*', 'other_product'],
    ['cpe:2.3:a:oracle:http_server:2.4.49:*:*:*:*:*:*:*', 'other_product'],
    ['cpe:2.3:o:apache:http_server:2.4.49:*:*:*:*:*:*:*', 'other_product'],
  ])('does not match %s: %s', (text, reason) => {
    expect(matchProduct(seen(text), ranged, [])).toMatchObject({ kind: 'no_match', reason })
  })

  it('names the affected range only if there is just one', () => {
    const branches = threat([
      or({ criteria: apache('*'), versionStartIncluding: '2.2.0', versionEndExcluding: '2.2.33' }),
      or({ criteria: apache('*'), versionStartIncluding: '2.4.0', versionEndExcluding: '2.4.26' }),
    ])
    expect(matchProduct(seen(apache('2.4.49')), branches, [])).toMatchObject({
      reason: 'version_outside',
      text: '2.4.49 is not an affected version',
    })
    expect(matchProduct(seen(apache('2.4.51')), ranged, [])).toMatchObject({
      text: '2.4.51 is outside the affected range ≥ 2.4.49, < 2.4.51',
    })
  })

  it('matches a listed version only', () => {
    expect(matchProduct(seen(apache('2.4.50')), traversal, [])).toMatchObject({ evidence: { range: '= 2.4.50' } })
    expect(matchProduct(seen(apache('2.4.51')), traversal, [])).toMatchObject({ reason: 'version_outside' })
  })

  it('reduces the quality for an incomplete version', () => {
    const record = threat([or({ criteria: apache('*'), versionEndExcluding: '2.4.51' })])
    expect(matchProduct(seen(apache('2.4')), record, [])).toMatchObject({ quality: 50 })
  })

  it.each([
    ['nginx:nginx', 'f5:nginx'],
    ['igor_sysoev:nginx', 'nginx:nginx'],
    ['redislabs:redis', 'redis:redis'],
  ])('matches %s against records about %s', (own, theirs) => {
    const record = threat([or({ criteria: `cpe:2.3:a:${theirs}:*:*:*:*:*:*:*:*`, versionEndExcluding: '2' })])
    expect(matchProduct(seen(`cpe:2.3:a:${own}:1.18.0:*:*:*:*:*:*:*`), record, []).kind).toBe('match')
  })
})

describe('matching an update', () => {
  const record = threat([
    or(
      { criteria: openssh('*', '*'), versionStartIncluding: '8.6', versionEndExcluding: '9.8' },
      { criteria: openssh('8.5', 'p1') },
      { criteria: openssh('9.9', '-') },
      { criteria: openssh('*', '*'), versionStartIncluding: '11', versionEndExcluding: '11.3p2' },
    ),
  ])
  it.each([
    ['9.7', 'p1', true],
    ['9.8', 'p1', false],
    ['8.5', 'p1', true],
    ['8.5', 'p2', false],
    ['9.9', 'p1', false],
    ['9.9', '*', true],
    ['11.3', 'p1', true],
    ['11.3', 'p2', false],
  ])('%s %s: %s', (version, update, applies) => {
    expect(matchProduct(seen(openssh(version, update)), record, []).kind).toBe(applies ? 'match' : 'no_match')
  })

  it('orders a release candidate before its release', () => {
    const fixed = threat([or({ criteria: apache('*'), versionEndExcluding: '3.0.0' })])
    expect(matchProduct(seen('cpe:2.3:a:apache:http_server:3.0.0:rc1:*:*:*:*:*:*'), fixed, []).kind).toBe('match')
    expect(matchProduct(seen(apache('3.0.0')), fixed, []).kind).toBe('no_match')
  })

  it('includes a release candidate in a range that starts at its release', () => {
    const begins = threat([or({ criteria: apache('*'), versionStartIncluding: '3.0.0', versionEndExcluding: '3.0.5' })])
    expect(matchProduct(seen('cpe:2.3:a:apache:http_server:3.0.0:rc1:*:*:*:*:*:*'), begins, []).kind).toBe('match')
  })

  it('reduces the quality for an unknown update, and does not match a pre-release', () => {
    const patched = threat([or({ criteria: openssh('9.1', 'p1') })])
    expect(matchProduct(seen(openssh('9.1', '*')), patched, [])).toMatchObject({ kind: 'match', quality: 60 })
    const candidate = threat([or({ criteria: openssh('9.1', 'rc1') })])
    expect(matchProduct(seen(openssh('9.1', '*')), candidate, [])).toMatchObject({ reason: 'version_outside' })
  })
})

describe('matching a record without a version', () => {
  it.each(['*', '-'])('(%s) limits the quality', (version) => {
    const record = threat([or({ criteria: apache(version) })])
    expect(matchProduct(seen(apache('2.4.71')), record, [])).toMatchObject({ kind: 'match', quality: 30 })
    expect(matchProduct(seen(apache('*')), record, [])).toMatchObject({ kind: 'no_match', reason: 'version_unknown' })
  })
  it('stays below the minimum quality of an issue for old records', () => {
    const record = { ...threat([or({ criteria: apache('-') })]), id: 'CVE-1999-0001' }
    expect(matchProduct(seen(apache('2.4.71')), record, [])).toMatchObject({ quality: 20 })
  })
})

describe('matching a variant', () => {
  const name = (target: string, edition = '*') => `cpe:2.3:a:acme:shop:1.0:*:*:*:${edition}:${target}:*:*`
  it.each([
    ['wordpress', '*', 'no_match'],
    ['wordpress', 'wordpress', 'match'],
    ['node.js', '*', 'match'],
    ['android', 'node.js', 'no_match'],
  ])('for %s against %s: %s', (theirs, own, kind) => {
    expect(matchProduct(seen(name(own)), threat([or({ criteria: name(theirs) })]), []).kind).toBe(kind)
  })
  it('reduces the quality for an edition that was not detected', () => {
    const record = threat([or({ criteria: name('*', 'enterprise') })])
    expect(matchProduct(seen(name('*')), record, [])).toMatchObject({ kind: 'match', quality: 60 })
    expect(matchProduct(seen(name('*', 'community')), record, [])).toMatchObject({ reason: 'other_variant' })
  })
})

describe('matching a required platform', () => {
  const windows = 'cpe:2.3:o:microsoft:windows:-:*:*:*:*:*:*:*'
  const debian = 'cpe:2.3:o:debian:debian_linux:12:*:*:*:*:*:*:*'
  const php = 'cpe:2.3:a:php:php:8.1.0:*:*:*:*:*:*:*'
  const on = (...platform: string[]) =>
    threat([
      all([or({ criteria: apache('2.4.49') }), or(...platform.map((criteria) => ({ criteria, vulnerable: false })))]),
    ])

  it('matches a platform detected on the host', () => {
    const result = matchProduct(seen(apache('2.4.49')), on(windows), [seen(windows)])
    expect(result).toMatchObject({ quality: 80, evidence: { running: 'Microsoft Windows' } })
  })
  it('does not match a different operating system', () => {
    expect(matchProduct(seen(apache('2.4.49')), on(windows), [seen(debian)])).toMatchObject({
      reason: 'other_platform',
    })
  })
  it('infers the operating system from a distribution revision', () => {
    const product = { ...seen(apache('2.4.49')), revision: 'Debian' }
    expect(matchProduct(product, on(windows), [])).toMatchObject({ reason: 'other_platform' })
  })
  it('assumes an unknown operating system at reduced quality', () => {
    expect(matchProduct(seen(apache('2.4.49')), on(windows), [])).toMatchObject({
      quality: 50,
      evidence: { text: expect.stringContaining(', running on Microsoft Windows (assumed).') },
    })
  })
  it('requires applications and devices to be detected', () => {
    expect(matchProduct(seen(apache('2.4.49')), on(php), [])).toMatchObject({ reason: 'other_platform' })
    expect(matchProduct(seen(apache('2.4.49')), on(php), [seen(php)]).kind).toBe('match')
    const device = 'cpe:2.3:h:hp:nonstop:-:*:*:*:*:*:*:*'
    expect(matchProduct(seen(apache('2.4.49')), on(device), [])).toMatchObject({ reason: 'other_platform' })
  })
  it('does not match the platform itself', () => {
    expect(matchProduct(seen(windows), on(windows), [seen(apache('2.4.49'))]).kind).toBe('no_match')
  })
  it('assumes that firmware runs on its device', () => {
    const firmware = 'cpe:2.3:o:acme:r7000_firmware:1.0:*:*:*:*:*:*:*'
    const device = 'cpe:2.3:h:acme:r7000:-:*:*:*:*:*:*:*'
    const record = threat([all([or({ criteria: firmware }), or({ criteria: device, vulnerable: false })])])
    expect(matchProduct(seen(firmware), record, [])).toMatchObject({ kind: 'match', quality: 80 })
  })
  it('prefers the version as the reason over the platform', () => {
    expect(matchProduct(seen(apache('2.4.60')), on(php), [])).toMatchObject({ reason: 'version_outside' })
  })
  it('supports negate', () => {
    const node = { ...or({ criteria: windows, vulnerable: false }), negate: true }
    const record = threat([all([or({ criteria: apache('2.4.49') }), node])])
    expect(matchProduct(seen(apache('2.4.49')), record, [seen(windows)]).kind).toBe('no_match')
    expect(matchProduct(seen(apache('2.4.49')), record, [seen(debian)]).kind).toBe('match')
  })
})

describe('matching a distribution package', () => {
  const banner = (revision: string): MatchSubject => ({ ...seen(openssh('9.2', 'p1')), revision })
  const record = threat([or({ criteria: openssh('*', '*'), versionEndExcluding: '9.8' })])
  const distributionFixes = new Map([
    ['CVE-2024-0001', [{ product: 'openbsd:openssh', fixedVersion: '1:9.2p1-2+deb12u3' }]],
  ])
  it.each([
    ['Debian-2+deb12u3', 'no_match'],
    ['Debian-2+deb12u10', 'no_match'],
    ['Debian-2+deb12u2', 'match'],
  ])('%s: %s', (revision, kind) => {
    expect(matchProduct(banner(revision), record, [], { distributionFixes }).kind).toBe(kind)
  })
  it.each<[string, string, readonly (readonly [release: string, fixedVersion: string])[], object]>([
    ['open in its release matches', 'Debian-2+deb12u9', [['debian:12', '']], { kind: 'match', quality: 80 }],
    [
      'open in another release matches at reduced quality',
      'Debian-2+deb12u9',
      [['debian:11', '']],
      { kind: 'match', quality: 50 },
    ],
    [
      'never present in its release does not match',
      'Debian-2+deb12u1',
      [['debian:12', '0']],
      { reason: 'fixed_by_distribution' },
    ],
    [
      'fixed in two version series uses the fix of its own',
      'Debian-2+deb12u3',
      [
        ['debian:12', '1:9.2p1-2+deb12u3'],
        ['debian:12', '1:10.0p1-1'],
      ],
      { reason: 'fixed_by_distribution' },
    ],
    [
      'fixed according to one source and open according to another does not match',
      'Debian-2+deb12u3',
      [
        ['debian:12', '1:9.2p1-2+deb12u3'],
        ['debian:12', ''],
      ],
      { reason: 'fixed_by_distribution' },
    ],
    [
      'fixed in Ubuntu ignores Debian revisions',
      'Ubuntu-2ubuntu1',
      [
        ['debian:13', '1:9.2p1-2.1'],
        ['ubuntu:23.04', '1:9.2p1-2ubuntu1'],
      ],
      { reason: 'fixed_by_distribution' },
    ],
  ])('a vulnerability that is %s', (_, revision, fixes, verdict) => {
    const distributionFixes = new Map([
      [
        'CVE-2024-0001',
        fixes.map(([release, fixedVersion]) => ({ product: 'openbsd:openssh', release, fixedVersion })),
      ],
    ])
    expect(matchProduct(banner(revision), record, [], { distributionFixes })).toMatchObject(verdict)
  })
  it('reports a distribution fix as the reason', () => {
    expect(matchProduct(banner('Debian-2+deb12u3'), record, [], { distributionFixes })).toMatchObject({
      reason: 'fixed_by_distribution',
    })
  })
  it('reduces the quality if no fixes are known', () => {
    expect(matchProduct(banner('Debian-2+deb12u3'), record, [])).toMatchObject({ kind: 'match', quality: 50 })
  })
  it('does not match a distribution that only ships the product', () => {
    const debian = 'cpe:2.3:o:debian:debian_linux:12.0:*:*:*:*:*:*:*'
    const shipped = threat([or({ criteria: apache('2.4.49') }), or({ criteria: debian })])
    expect(matchProduct(seen(debian), shipped, [])).toMatchObject({ reason: 'other_product' })
    expect(productKeys(shipped)).toEqual(['apache:http_server'])
  })
})

it('does not match rejected records', () => {
  expect(matchProduct(seen(apache('2.4.49')), { ...traversal, isRejected: true }, [])).toMatchObject({
    reason: 'rejected',
  })
})

it('lists each product of a threat once, with its canonical key', () => {
  const record = threat([
    or({ criteria: 'cpe:2.3:a:nginx:nginx:1.0:*:*:*:*:*:*:*' }, { criteria: 'cpe:2.3:a:f5:nginx:1.0:*:*:*:*:*:*:*' }),
    or({ criteria: apache('1'), vulnerable: false }, { criteria: 'no name' }),
  ])
  expect(productKeys(record)).toEqual(['f5:nginx'])
})

function apache(version: string): string {
  return `cpe:2.3:a:apache:http_server:${version}:*:*:*:*:*:*:*`
}
function openssh(version: string, update: string): string {
  return `cpe:2.3:a:openbsd:openssh:${version}:${update}:*:*:*:*:*:*`
}
function seen(text: string): MatchSubject {
  const name = parseCpe(text)
  if (!name) throw new Error(`Invalid CPE name: ${text}`)
  return { wfn: toWfn(name), quality: 80 }
}
function or(...cpeMatch: (Partial<CpeMatch> & { criteria: string })[]) {
  return { operator: 'OR', negate: false, cpeMatch: cpeMatch.map((match) => ({ vulnerable: true, ...match })) }
}
function all(nodes: unknown[]) {
  return { operator: 'AND', nodes }
}
/** A node without a configuration becomes a configuration of its own. */
function threat(configurations: unknown[]): ThreatRecord {
  const whole = configurations.map((configuration) =>
    Object.hasOwn(Object(configuration), 'nodes') ? configuration : { nodes: [configuration] },
  )
  const item = parseNvd({ id: 'CVE-2024-0001', configurations: whole })
  if (item.kind === 'skipped') throw new Error(item.problem)
  return item.threat
}

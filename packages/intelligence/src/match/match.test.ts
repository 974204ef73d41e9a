import { describe, expect, it } from 'vitest'
import { parseNvd } from '#feed/nvd.ts'
import { matchProduct, type MatchSubject } from '#match/match.ts'
import { type CpeMatch, productKeys, type ThreatRecord } from '#threat.ts'
import { parseCpe } from '#wfn-uri.ts'
import { toWfn } from '#wfn.ts'

const traversal = threat([or({ criteria: apache('2.4.49') }, { criteria: apache('2.4.50') })])
const ranged = threat([or({ criteria: apache('*'), versionStartIncluding: '2.4.49', versionEndExcluding: '2.4.51' })])

describe('a version', () => {
  it('matches a range and says which', () => {
    expect(matchProduct(seen(apache('2.4.49')), ranged, [])).toEqual({
      kind: 'match',
      threat: 'CVE-2024-0001',
      quality: 80,
      evidence: {
        criteria: apache('*'),
        range: '≥ 2.4.49, < 2.4.51',
        running: '',
        text: 'apache http_server 2.4.49 is in ≥ 2.4.49, < 2.4.51.',
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
  ])('of %s does not: %s', (text, reason) => {
    expect(matchProduct(seen(text), ranged, [])).toMatchObject({ kind: 'no_match', reason })
  })

  it('matches one that is listed, and no other', () => {
    expect(matchProduct(seen(apache('2.4.50')), traversal, [])).toMatchObject({ evidence: { range: '= 2.4.50' } })
    expect(matchProduct(seen(apache('2.4.51')), traversal, [])).toMatchObject({ reason: 'version_outside' })
  })

  it('counts less where only its beginning was seen', () => {
    const record = threat([or({ criteria: apache('*'), versionEndExcluding: '2.4.51' })])
    expect(matchProduct(seen(apache('2.4')), record, [])).toMatchObject({ quality: 50 })
  })

  it.each([
    ['nginx:nginx', 'f5:nginx'],
    ['igor_sysoev:nginx', 'nginx:nginx'],
    ['redislabs:redis', 'redis:redis'],
  ])('of %s meets records about %s', (own, theirs) => {
    const record = threat([or({ criteria: `cpe:2.3:a:${theirs}:*:*:*:*:*:*:*:*`, versionEndExcluding: '2' })])
    expect(matchProduct(seen(`cpe:2.3:a:${own}:1.18.0:*:*:*:*:*:*:*`), record, []).kind).toBe('match')
  })
})

describe('an update', () => {
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

  it('of a release candidate stands before the release', () => {
    const fixed = threat([or({ criteria: apache('*'), versionEndExcluding: '3.0.0' })])
    expect(matchProduct(seen('cpe:2.3:a:apache:http_server:3.0.0:rc1:*:*:*:*:*:*'), fixed, []).kind).toBe('match')
    expect(matchProduct(seen(apache('3.0.0')), fixed, []).kind).toBe('no_match')
  })

  it('of a release candidate belongs to a range that begins with its release', () => {
    const begins = threat([or({ criteria: apache('*'), versionStartIncluding: '3.0.0', versionEndExcluding: '3.0.5' })])
    expect(matchProduct(seen('cpe:2.3:a:apache:http_server:3.0.0:rc1:*:*:*:*:*:*'), begins, []).kind).toBe('match')
  })

  it('that was not seen makes a match less sure, and a candidate none', () => {
    const patched = threat([or({ criteria: openssh('9.1', 'p1') })])
    expect(matchProduct(seen(openssh('9.1', '*')), patched, [])).toMatchObject({ kind: 'match', quality: 60 })
    const candidate = threat([or({ criteria: openssh('9.1', 'rc1') })])
    expect(matchProduct(seen(openssh('9.1', '*')), candidate, [])).toMatchObject({ reason: 'version_outside' })
  })
})

describe('a record without a version', () => {
  it.each(['*', '-'])('(%s) is a guess', (version) => {
    const record = threat([or({ criteria: apache(version) })])
    expect(matchProduct(seen(apache('2.4.71')), record, [])).toMatchObject({ kind: 'match', quality: 30 })
    expect(matchProduct(seen(apache('*')), record, [])).toMatchObject({ kind: 'no_match', reason: 'version_unknown' })
  })
  it('is worth less than an issue when it is old', () => {
    const record = { ...threat([or({ criteria: apache('-') })]), id: 'CVE-1999-0001' }
    expect(matchProduct(seen(apache('2.4.71')), record, [])).toMatchObject({ quality: 20 })
  })
})

describe('a variant', () => {
  const name = (target: string, edition = '*') => `cpe:2.3:a:acme:shop:1.0:*:*:*:${edition}:${target}:*:*`
  it.each([
    ['wordpress', '*', 'no_match'],
    ['wordpress', 'wordpress', 'match'],
    ['node.js', '*', 'match'],
    ['android', 'node.js', 'no_match'],
  ])('for %s against %s: %s', (theirs, own, kind) => {
    expect(matchProduct(seen(name(own)), threat([or({ criteria: name(theirs) })]), []).kind).toBe(kind)
  })
  it('of an edition that was not seen is less sure', () => {
    const record = threat([or({ criteria: name('*', 'enterprise') })])
    expect(matchProduct(seen(name('*')), record, [])).toMatchObject({ kind: 'match', quality: 60 })
    expect(matchProduct(seen(name('*', 'community')), record, [])).toMatchObject({ reason: 'other_variant' })
  })
})

describe('running on', () => {
  const windows = 'cpe:2.3:o:microsoft:windows:-:*:*:*:*:*:*:*'
  const debian = 'cpe:2.3:o:debian:debian_linux:12:*:*:*:*:*:*:*'
  const php = 'cpe:2.3:a:php:php:8.1.0:*:*:*:*:*:*:*'
  const on = (...platform: string[]) =>
    threat([
      all([or({ criteria: apache('2.4.49') }), or(...platform.map((criteria) => ({ criteria, vulnerable: false })))]),
    ])

  it('keeps what the host is known to run', () => {
    const answer = matchProduct(seen(apache('2.4.49')), on(windows), [seen(windows)])
    expect(answer).toMatchObject({ quality: 80, evidence: { running: 'microsoft windows' } })
  })
  it('drops what runs on another system', () => {
    expect(matchProduct(seen(apache('2.4.49')), on(windows), [seen(debian)])).toMatchObject({
      reason: 'other_platform',
    })
  })
  it('takes the revision of a distribution for a hint of the system', () => {
    const product = { ...seen(apache('2.4.49')), revision: 'Debian' }
    expect(matchProduct(product, on(windows), [])).toMatchObject({ reason: 'other_platform' })
  })
  it('assumes a general system at a loss', () => {
    expect(matchProduct(seen(apache('2.4.49')), on(windows), [])).toMatchObject({
      quality: 50,
      evidence: { text: expect.stringContaining(', running on microsoft windows (assumed).') },
    })
  })
  it('asks for applications and devices', () => {
    expect(matchProduct(seen(apache('2.4.49')), on(php), [])).toMatchObject({ reason: 'other_platform' })
    expect(matchProduct(seen(apache('2.4.49')), on(php), [seen(php)]).kind).toBe('match')
    const device = 'cpe:2.3:h:hp:nonstop:-:*:*:*:*:*:*:*'
    expect(matchProduct(seen(apache('2.4.49')), on(device), [])).toMatchObject({ reason: 'other_platform' })
  })
  it('never reports the platform itself', () => {
    expect(matchProduct(seen(windows), on(windows), [seen(apache('2.4.49'))]).kind).toBe('no_match')
  })
  it('knows that firmware runs on its device', () => {
    const firmware = 'cpe:2.3:o:acme:r7000_firmware:1.0:*:*:*:*:*:*:*'
    const device = 'cpe:2.3:h:acme:r7000:-:*:*:*:*:*:*:*'
    const record = threat([all([or({ criteria: firmware }), or({ criteria: device, vulnerable: false })])])
    expect(matchProduct(seen(firmware), record, [])).toMatchObject({ kind: 'match', quality: 80 })
  })
  it('says first that the version is outside', () => {
    expect(matchProduct(seen(apache('2.4.60')), on(php), [])).toMatchObject({ reason: 'version_outside' })
  })
  it('honours negate', () => {
    const node = { ...or({ criteria: windows, vulnerable: false }), negate: true }
    const record = threat([all([or({ criteria: apache('2.4.49') }), node])])
    expect(matchProduct(seen(apache('2.4.49')), record, [seen(windows)]).kind).toBe('no_match')
    expect(matchProduct(seen(apache('2.4.49')), record, [seen(debian)]).kind).toBe('match')
  })
})

describe('a distribution', () => {
  const banner = (revision: string): MatchSubject => ({ ...seen(openssh('9.2', 'p1')), revision })
  const record = threat([or({ criteria: openssh('*', '*'), versionEndExcluding: '9.8' })])
  const distributionFixes = new Map([
    ['CVE-2024-0001', [{ product: 'openbsd:openssh', fixedVersion: '1:9.2p1-2+deb12u3' }]],
  ])
  it.each([
    ['Debian-2+deb12u3', 'no_match'],
    ['Debian-2+deb12u10', 'no_match'],
    ['Debian-2+deb12u2', 'match'],
  ])('build %s: %s', (revision, kind) => {
    expect(matchProduct(banner(revision), record, [], { distributionFixes }).kind).toBe(kind)
  })
  it.each<[string, string, readonly (readonly [release: string, fixedVersion: string])[], object]>([
    ['is open there holds no fix', 'Debian-2+deb12u9', [['debian:12', '']], { kind: 'match', quality: 80 }],
    ['is open in another may hold one', 'Debian-2+deb12u9', [['debian:11', '']], { kind: 'match', quality: 50 }],
    [
      'was never affected there is fixed',
      'Debian-2+deb12u1',
      [['debian:12', '0']],
      { reason: 'fixed_by_distribution' },
    ],
    [
      'is fixed in one of two trains side by side looks at its own',
      'Debian-2+deb12u3',
      [
        ['debian:12', '1:9.2p1-2+deb12u3'],
        ['debian:12', '1:10.0p1-1'],
      ],
      { reason: 'fixed_by_distribution' },
    ],
    [
      'is named by one and not yet by another goes by the name',
      'Debian-2+deb12u3',
      [
        ['debian:12', '1:9.2p1-2+deb12u3'],
        ['debian:12', ''],
      ],
      { reason: 'fixed_by_distribution' },
    ],
    [
      'is Ubuntu’s does not go by what Debian counts',
      'Ubuntu-2ubuntu1',
      [
        ['debian:13', '1:9.2p1-2.1'],
        ['ubuntu:23.04', '1:9.2p1-2ubuntu1'],
      ],
      { reason: 'fixed_by_distribution' },
    ],
  ])('whose weakness %s', (_, revision, fixes, verdict) => {
    const told = new Map([
      [
        'CVE-2024-0001',
        fixes.map(([release, fixedVersion]) => ({ product: 'openbsd:openssh', release, fixedVersion })),
      ],
    ])
    expect(matchProduct(banner(revision), record, [], { distributionFixes: told })).toMatchObject(verdict)
  })
  it('that is fixed says so', () => {
    expect(matchProduct(banner('Debian-2+deb12u3'), record, [], { distributionFixes })).toMatchObject({
      reason: 'fixed_by_distribution',
    })
  })
  it('of which nothing is known may hold the fix', () => {
    expect(matchProduct(banner('Debian-2+deb12u3'), record, [])).toMatchObject({ kind: 'match', quality: 50 })
  })
  it('that only ships the product is not the product', () => {
    const debian = 'cpe:2.3:o:debian:debian_linux:12.0:*:*:*:*:*:*:*'
    const shipped = threat([or({ criteria: apache('2.4.49') }), or({ criteria: debian })])
    expect(matchProduct(seen(debian), shipped, [])).toMatchObject({ reason: 'other_product' })
    expect(productKeys(shipped)).toEqual(['apache:http_server'])
  })
})

it('matches nothing to a withdrawn record', () => {
  expect(matchProduct(seen(apache('2.4.49')), { ...traversal, isRejected: true }, [])).toMatchObject({
    reason: 'rejected',
  })
})

it('lists the products of a threat once, under their first names', () => {
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
  if (!name) throw new Error(`no name: ${text}`)
  return { wfn: toWfn(name), quality: 80 }
}
function or(...cpeMatch: (Partial<CpeMatch> & { criteria: string })[]) {
  return { operator: 'OR', negate: false, cpeMatch: cpeMatch.map((match) => ({ vulnerable: true, ...match })) }
}
function all(nodes: unknown[]) {
  return { operator: 'AND', nodes }
}
/** Bare nodes become one configuration each. */
function threat(configurations: unknown[]): ThreatRecord {
  const whole = configurations.map((one) => (Object.hasOwn(Object(one), 'nodes') ? one : { nodes: [one] }))
  const item = parseNvd({ id: 'CVE-2024-0001', configurations: whole })
  if (item.kind === 'skipped') throw new Error(item.problem)
  return item.threat
}

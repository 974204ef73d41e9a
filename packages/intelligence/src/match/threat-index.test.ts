import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createZstdDecompress } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type ProductKey, productKey } from '#alias.ts'
import { parseNvd } from '#feed/nvd.ts'
import { matchProduct, type MatchSubject } from '#match/match.ts'
import { packCriteria } from '#match/packed.ts'
import { prepareThreats } from '#match/threat-index.ts'
import { sharedData } from '#testing/shared-data.ts'
import { type Applicability, type Configuration, type CpeMatch, vulnerableNames } from '#threat.ts'
import { parseCpe } from '#wfn-uri.ts'
import { bindFormattedString, toWfn } from '#wfn.ts'

/** Creates a subject from a formatted string; trailing values can be omitted. */
function subjectOf(text: string): MatchSubject {
  const name = parseCpe(`${text}${':*'.repeat(Math.max(0, 13 - text.split(/(?<!\\):/).length))}`)
  if (!name) throw new Error(text)
  return { wfn: toWfn(name), quality: 80 }
}

/** Matches with the index and converts the hits to results of `matchProduct`. */
function matchWithIndex(
  key: ProductKey,
  threats: readonly Applicability[],
  product: MatchSubject,
  host: MatchSubject[],
) {
  const packed = threats.map((threat) => ({ key: threat.id, criteria: packCriteria(threat).get(key) ?? '[]' }))
  const index = prepareThreats(key, packed)
  return [...index.matchAlone(product), ...index.matchAmong(product, host)].map((hit) => {
    const match = matchProduct(product, index.criteriaOf(hit), host)
    expect(match).toMatchObject({ kind: 'match', quality: hit.quality })
    return match
  })
}

function matchEach(threats: readonly Applicability[], product: MatchSubject, host: MatchSubject[]) {
  return threats.map((threat) => matchProduct(product, threat, host)).filter(({ kind }) => kind === 'match')
}

const byThreat = (a: { threat: string }, b: { threat: string }) => (a.threat < b.threat ? -1 : 1)

const widget = (version: string, more: Partial<CpeMatch> = {}): CpeMatch => ({
  vulnerable: true,
  criteria: `cpe:2.3:a:acme:widget:${version}:*:*:*:*:*:*:*`,
  ...more,
})
const named = (tail: string): CpeMatch => ({ vulnerable: true, criteria: `cpe:2.3:a:acme:widget:${tail}` })
const all = [
  widget('1.0'),
  widget('1.0.0'),
  widget('2.0'),
  widget('1.\\+2'),
  widget('*', { versionEndExcluding: '1.5' }),
  widget('*', { versionStartIncluding: '1.5', versionEndIncluding: '2' }),
  widget('*', { versionStartExcluding: '1.4.1', versionEndExcluding: '2022-01-01' }),
  widget('*', { versionEndExcluding: '3p2' }),
  widget('*'),
  widget('-'),
  widget('1.*'),
  named('1.5:rc1:*:*:*:*:*:*'),
  named('1.5:-:*:*:*:*:*:*'),
  named('2.0:p1:*:*:pro:*:*:*'),
  named('2.0:*:*:*:*:wordpress:*:*'),
  { ...named('*:*:*:*:*:node.js:*:*'), versionEndExcluding: '1.5.0-beta.2' },
  { vulnerable: true, criteria: 'cpe:2.3:o:acme:widget:2.0:*:*:*:*:*:*:*' },
]
const or = (cpeMatch: CpeMatch[]) => ({ operator: 'OR' as const, negate: false, cpeMatch })
const system = or([{ vulnerable: false, criteria: 'cpe:2.3:o:acme:system:*:*:*:*:*:*:*:*' }])
const windows = or([{ vulnerable: false, criteria: 'cpe:2.3:o:microsoft:windows:-:*:*:*:*:*:*:*' }])
const own = or(all)
const configurations: Configuration[] = [
  { operator: 'OR', negate: false, nodes: [own] },
  { operator: 'OR', negate: false, nodes: [{ ...own, negate: true }] },
  { operator: 'OR', negate: false, nodes: [{ ...or(all.slice(0, 2)), operator: 'AND' }] },
  { operator: 'OR', negate: true, nodes: [own] },
  { operator: 'AND', negate: false, nodes: [own, system] },
  { operator: 'AND', negate: false, nodes: [windows, or(all.slice(8))] },
  { operator: 'AND', negate: false, nodes: [own, or([widget('2.0')])] },
  { operator: 'AND', negate: false, nodes: [own, { ...system, negate: true }] },
  { operator: 'AND', negate: false, nodes: [own, or([{ ...widget('1.0'), vulnerable: false }])] },
]
const records = [
  ...all.map((match) => [{ operator: 'OR' as const, negate: false, nodes: [or([match])] }]),
  ...configurations.map((configuration) => [configuration]),
  configurations,
  configurations.toReversed(),
].map((each, index): Applicability => ({ id: `CVE-2020-${1000 + index}`, isRejected: false, configurations: each }))
const old = records.map((record): Applicability => ({ ...record, id: record.id.replace('2020', '2002') }))

describe('prepareThreats', () => {
  const hosts = [[], ['cpe:2.3:o:acme:system:1'], ['cpe:2.3:a:acme:widget:2.0', 'cpe:2.3:o:microsoft:windows_10:1']]
  const versions = [
    '1',
    '1.0',
    '1.4',
    '1.5',
    '1.5:rc1',
    '1.5:beta',
    '2.0.0',
    '2.0:p1',
    '3',
    '3:p2',
    'x',
    '-',
    '*',
    '2023',
  ]
  it.each(versions)('matches version %s like matchProduct', (version) => {
    const product = subjectOf(`cpe:2.3:a:acme:widget:${version}`)
    for (const names of hosts) {
      const host = names.map(subjectOf)
      const hits = matchWithIndex('acme:widget', [...records, ...old], product, host)
      expect(hits.toSorted(byThreat)).toEqual(matchEach([...records, ...old], product, host).toSorted(byThreat))
    }
  })

  it('excludes a distribution that ships the affected product', () => {
    const distribution = { vulnerable: true, criteria: 'cpe:2.3:o:debian:debian_linux:12:*:*:*:*:*:*:*' }
    const shipped = [
      or([widget('1.0'), distribution, { ...distribution, criteria: distribution.criteria.replace(':o:', ':a:') }]),
    ]
    const threat = {
      id: 'CVE-2020-1',
      isRejected: false,
      configurations: [{ operator: 'OR' as const, negate: false, nodes: shipped }],
    }
    const product = subjectOf('cpe:2.3:o:debian:debian_linux:12')
    expect(matchWithIndex('debian:debian_linux', [threat], product, [])).toEqual([])
  })
})

/** Every nth record is checked. */
const step = 40

describe.skipIf(!sharedData)('prepareThreats with public records', () => {
  it('matches products like matchProduct', { timeout: 60_000 }, async () => {
    const threats = new Map<ProductKey, Applicability[]>()
    const names = new Map<ProductKey, Set<string>>()
    for (const year of [2008, 2016, 2017, 2021]) {
      const path = join(sharedData ?? '', 'nvd', `CVE-${year}.jsonl.zst`)
      let count = 0
      for await (const line of createInterface({ input: createReadStream(path).pipe(createZstdDecompress()) })) {
        if (count++ % step !== 0) continue
        const item = parseNvd(JSON.parse(line))
        if (item.kind !== 'threat') continue
        for (const key of packCriteria(item.threat).keys()) {
          threats.set(key, [...(threats.get(key) ?? []), item.threat])
        }
        for (const name of vulnerableNames(item.threat)) {
          const key = productKey(name)
          if (key) names.set(key, (names.get(key) ?? new Set()).add(bindFormattedString(name)))
        }
      }
    }
    let matches = 0
    for (const [key, mine] of threats) {
      for (const text of [...(names.get(key) ?? [])].slice(0, 3)) {
        const product = subjectOf(text)
        const host = [subjectOf('cpe:2.3:o:microsoft:windows_10:1607')]
        const hits = matchWithIndex(key, mine, product, host)
        matches += hits.length
        expect(hits.toSorted(byThreat), text).toEqual(matchEach(mine, product, host).toSorted(byThreat))
      }
    }
    expect(matches).toBeGreaterThan(1000)
  })
})

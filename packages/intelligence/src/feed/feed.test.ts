import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createZstdDecompress, zstdDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readFeed } from '#feed/read.ts'
import { readKev } from '#feed/kev.ts'
import { type FeedItem, parseNvd, readNvd } from '#feed/nvd.ts'
import { readRecords } from '#feed/records.ts'
import { matchProduct } from '#match/match.ts'
import { ThreatRecord } from '#threat.ts'
import { sharedData } from '#testing/shared-data.ts'
import { parseCpe } from '#wfn-uri.ts'
import { toWfn } from '#wfn.ts'

const record = {
  id: 'CVE-2021-41773',
  published: '2021-10-05T09:15:07.593',
  vulnStatus: 'Analyzed',
  descriptions: [{ lang: 'en', value: 'A path escapes the root. Then more.' }],
  metrics: {
    cvssMetricV2: [
      { source: 'nvd@nist.gov', cvssData: { vectorString: 'AV:N/AC:M/Au:N/C:P/I:N/A:N', baseScore: 4.3 } },
    ],
    cvssMetricV31: [
      {
        source: 'cna@acme',
        cvssData: { vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', baseScore: 9.8 },
      },
      {
        source: 'nvd@nist.gov',
        cvssData: { vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N', baseScore: 7.5 },
      },
    ],
  },
  weaknesses: [{ description: [{ value: 'CWE-22' }, { value: 'NVD-CWE-noinfo' }] }],
  configurations: [
    {
      nodes: [
        {
          operator: 'OR',
          cpeMatch: [
            {
              vulnerable: true,
              criteria: 'cpe:2.3:a:apache:http_server:*:*:*:*:*:*:*:*',
              versionStartIncluding: '2.4.49',
              versionEndExcluding: '2.4.51',
            },
          ],
        },
      ],
    },
  ],
  references: [{ url: 'https://httpd.apache.org/' }, { url: 'https://httpd.apache.org/' }, { url: 'javascript:x' }],
  cisaExploitAdd: '2021-11-03',
  aNewField: true,
}

describe('parseNvd', () => {
  it('converts a record to a threat', () => {
    expect(threatOf(record)).toMatchObject({
      id: 'CVE-2021-41773',
      name: 'A path escapes the root',
      summary: 'A path escapes the root. Then more.',
      affected: 'Apache HTTP Server: ≥ 2.4.49, < 2.4.51',
      severity: { score: 7.5, category: 'CATEGORY_HIGH' },
      solution: { kind: 'KIND_VENDOR_FIX', description: 'Update to Apache HTTP Server 2.4.51 or later.' },
      references: [{ cve: 'CVE-2021-41773' }, { url: 'https://httpd.apache.org/' }],
      weaknesses: ['CWE-22'],
      isRejected: false,
      publishTime: '2021-10-05T09:15:07.593Z',
      knownExploited: { addTime: '2021-11-03T00:00:00.000Z' },
    })
  })
  it('shows versions without the escapes of CPE names', () => {
    const cpeMatch = [
      {
        vulnerable: true,
        criteria: 'cpe:2.3:a:cisco:hyperflex:*:*:*:*:*:*:*:*',
        versionEndExcluding: String.raw`4.0\(2e\)`,
      },
    ]
    expect(threatOf({ ...record, configurations: [{ nodes: [{ operator: 'OR', cpeMatch }] }] })).toMatchObject({
      affected: 'Cisco Hyperflex: < 4.0(2e)',
      solution: { description: 'Update to Cisco Hyperflex 4.0(2e) or later.' },
    })
  })
  it("distinguishes NVD's ratings from others", () => {
    expect(threatOf(record).metrics.map(({ version, by, score }) => [version, by, score])).toEqual([
      ['3.1', 'cna', 9.8],
      ['3.1', 'nvd', 7.5],
      ['2.0', 'nvd', 4.3],
    ])
  })
  it('returns a threat that round-trips through JSON', () => {
    const threat = threatOf(record)
    expect(ThreatRecord.parse(JSON.parse(JSON.stringify(threat)))).toEqual(threat)
  })
  it('prefers the texts of our own packs', () => {
    expect(threatOf({ ...record, glacis: { name: 'Path traversal' } }).name).toBe('Path traversal')
  })
  it('drops only the invalid parts of a record', () => {
    const broken = {
      ...record,
      configurations: [{ nodes: 7 }, ...record.configurations],
      references: [{ url: 7 }, ...record.references],
      metrics: { cvssMetricV31: [{ cvssData: { baseScore: 99 } }, ...record.metrics.cvssMetricV31] },
    }
    expect(threatOf(broken)).toMatchObject({
      affected: 'Apache HTTP Server: ≥ 2.4.49, < 2.4.51',
      severity: { score: 7.5 },
    })
    expect(threatOf(broken).references).toHaveLength(2)
  })
  it('accepts a record with only an ID', () => {
    const bare = threatOf({ id: 'CVE-2024-12345' })
    expect(bare).toMatchObject({ name: 'CVE-2024-12345', severity: { category: 'CATEGORY_UNSPECIFIED' } })
  })
  it.each(['** REJECT ** Do not use.', 'Rejected reason: duplicate'])(
    'marks a record with the description %j as rejected',
    (value) => {
      expect(threatOf({ ...record, descriptions: [{ lang: 'en', value }] }).isRejected).toBe(true)
    },
  )
  it.each([undefined, null, 7, {}, { id: 'GHSA-1' }, { cve: { id: '' } }])('skips %j', (input) => {
    expect(parseNvd(input).kind).toBe('skipped')
  })
})

describe('readNvd and readRecords', () => {
  const document = JSON.stringify({
    format: 'NVD_CVE',
    vulnerabilities: [{ cve: record }, { cve: 7 }, { cve: record }],
  })
  const lines = `${JSON.stringify(record)}\n{"id": "not json\n\n${JSON.stringify({ cve: record })}`
  it.each([
    ['document', document, ['threat', 'skipped', 'threat']],
    ['indented document', JSON.stringify(JSON.parse(document), null, 2), ['threat', 'skipped', 'threat']],
    ['stream of lines', lines, ['threat', 'skipped', 'threat']],
    ['single line', JSON.stringify(record), ['threat']],
    ['file without content', '', []],
  ])('reads a %s in chunks of any size', async (_, text, kinds) => {
    for (const size of [1, 7, 4096, text.length || 1]) {
      const items = await collect(readNvd(cut(text, size)))
      expect(items.map(({ kind }) => kind)).toEqual(kinds)
    }
  })
  it('ignores quotes, brackets, and backslashes inside strings', async () => {
    const odd = { id: 'a"}\\', nested: [{ text: '\\"]}' }] }
    for (const size of [1, 2, 3]) {
      expect(await collect(readRecords(cut(JSON.stringify({ items: [odd, odd] }), size), 'items'))).toEqual([odd, odd])
    }
  })
})

describe('readKev and readFeed with EPSS', () => {
  it('reads the KEV catalog and counts invalid entries', () => {
    const entry = { cveID: 'CVE-2021-41773', dateAdded: '2021-11-03', vulnerabilityName: 'Apache' }
    expect(readKev({ vulnerabilities: [entry, { cveID: 'x' }] })).toEqual({
      entries: [{ id: 'CVE-2021-41773', addTime: '2021-11-03T00:00:00.000Z', name: 'Apache', requiredAction: '' }],
      skipped: 1,
    })
  })
  it('reads EPSS scores, ignores comments, and skips values above 1', async () => {
    const text =
      '#model_version:v2025.03.14\ncve,epss,percentile\nCVE-2021-41773,0.94390,0.99962\nCVE-2021-41773,1.5,0.9\n'
    expect(await collect(readFeed('epss', chunked(text)))).toEqual([
      { kind: 'exploitation', id: 'CVE-2021-41773', epss: { score: 0.9439, percentile: 0.99962 } },
      { kind: 'skipped', id: '', problem: expect.any(String) },
    ])
  })
})

describe.skipIf(!sharedData)('public records', () => {
  const folder = sharedData ?? ''
  it.each(['CVE-1999-2002', 'CVE-2019', 'CVE-2024'])(
    '%s: all records are valid',
    { timeout: 120_000 },
    async (name) => {
      const items = await collect(readNvd(open(join(folder, 'nvd', `${name}.jsonl.zst`))))
      expect(items.length).toBeGreaterThan(80)
      expect(items.filter(({ kind }) => kind === 'skipped')).toEqual([])
    },
  )

  it('match the expected products of the lab, and no others', { timeout: 240_000 }, async () => {
    const threats = new Map<string, ThreatRecord>()
    for await (const line of readRecords(open(join(folder, 'nvd', 'anchore-nvd-overrides-2026-08-21.jsonl.zst')), '')) {
      const { _annotation, cve } = Override.parse(line)
      const threat = threatOf({ id: _annotation.cve_id, ...cve })
      threats.set(threat.id, threat)
    }
    const { services } = JSON.parse(readFileSync(join(folder, 'lab-expected.json'), 'utf8'))
    let matches = 0
    for (const { cpe, potential } of services) {
      const name = parseCpe(String(cpe).split(' ')[0] ?? '')
      if (!name) continue
      const product = { wfn: toWfn(name), quality: 80 }
      for (const threat of threatsOf(potential.match ?? [])) {
        matches++
        expect(matchProduct(product, threat, []).kind, `${cpe} ${threat.id}`).toBe('match')
      }
      for (const threat of threatsOf(potential.must_not ?? [])) {
        expect(matchProduct(product, threat, []).kind, `${cpe} ${threat.id}`).toBe('no_match')
      }
    }
    expect(matches).toBeGreaterThan(20)

    function threatsOf(ids: string[]): ThreatRecord[] {
      return ids.flatMap((id) => {
        const threat = threats.get(id)
        return threat && threat.configurations.length > 0 ? [threat] : []
      })
    }
  })

  it('the KEV catalog is valid', () => {
    const text = zstdDecompressSync(readFileSync(join(folder, 'known_exploited_vulnerabilities.json.zst'))).toString()
    const { entries, skipped } = readKev(JSON.parse(text))
    expect(entries.length).toBeGreaterThan(1600)
    expect(skipped).toBe(0)
  })
})

/** Overrides provide configurations for records that NVD hasn't analyzed. */
const Override = z.object({ _annotation: z.object({ cve_id: z.string() }), cve: z.looseObject({}) })

function open(path: string): AsyncIterable<string> {
  return createReadStream(path).pipe(createZstdDecompress()).setEncoding('utf8')
}
function threatOf(input: unknown): ThreatRecord {
  const item = parseNvd(input)
  if (item.kind === 'skipped') throw new Error(item.problem)
  return item.threat
}
function* cut(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}
async function* chunked(text: string): AsyncGenerator<string> {
  yield* cut(text, 7)
}
async function collect<Item = FeedItem>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

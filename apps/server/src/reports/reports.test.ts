import { beforeAll, describe, expect, it } from 'vitest'
import { renderReport } from './render.ts'
import { renderPdf } from './pdf/report.ts'
import { excerpt, truncatedLine, printable, formatDuration, formatLocation, withQuotedCode } from './pdf/text.ts'
import { sample } from './testing/sample.ts'

interface SarifLog {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string; readonly name: string }[] } }
    readonly results: readonly {
      readonly ruleId: string
      readonly ruleIndex: number
      readonly message: { readonly text: string }
      readonly locations: readonly {
        readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } }
      }[]
      readonly suppressions?: readonly unknown[]
      readonly properties: { readonly status: string }
    }[]
  }[]
}

describe('a report as PDF', () => {
  let text = ''
  let pages: string[] = []
  beforeAll(async () => {
    const bytes = (await renderPdf(sample, { isCompressed: false })).toString('latin1')
    pages = pagesOf(bytes)
    text = pages.join('\n')
  })

  it('summarizes the status and what to fix first on the first page', () => {
    const [first = ''] = pages
    for (const expected of [
      'Web front Lausanne',
      '203.0.113.0/28',
      'Completed 19 Sept 2026',
      'took 12 minutes',
      '2 critical and 3 high risks need attention; 4 of 6 hosts are affected.',
      '1 risk is exploited',
      'Fix first',
      'Redis exposed without authentication',
    ]) {
      expect(first).toContain(expected)
    }
  })

  it.each([1, 4, 7, 10, 13, 16])('keeps each listed risk on one page below an address of %i lines', async (lines) => {
    const target = { ...sample.target, name: 'W'.repeat(128), address: 'x'.repeat(90 * lines) }
    const bytes = (await renderPdf({ ...sample, target }, { isCompressed: false })).toString('latin1')
    const splitPages = pagesOf(bytes).filter((page) => page.split('\n').length < 8)
    expect(splitPages).toEqual([])
  })

  it('starts with the highest priority regardless of severity', async () => {
    const [worst] = sample.issues.toSorted((a, b) => b.threat.severity.score - a.threat.severity.score)
    if (!worst) throw new Error('the sample has issues')
    const severity = { cvss: '', score: 3.1, category: 'CATEGORY_LOW' as const }
    const first = {
      ...worst,
      id: 'first',
      name: 'Confirmed and exploited',
      priority: 100,
      threat: { ...worst.threat, severity },
    }
    const bytes = (await renderPdf({ ...sample, issues: [...sample.issues, first] }, { isCompressed: false })).toString(
      'latin1',
    )
    const [, list = ''] = (pagesOf(bytes)[0] ?? '').split('Fix first')
    expect(list.indexOf('Confirmed and exploited')).toBeGreaterThan(-1)
    for (const { name } of sample.issues.filter((item) => list.includes(item.name)))
      expect(list.indexOf('Confirmed and exploited')).toBeLessThan(list.indexOf(name))
  })

  it('shows how many open risks are not in the chart', async () => {
    const first = async (issues: typeof sample.issues) => {
      const bytes = (await renderPdf({ ...sample, issues }, { isCompressed: false })).toString('latin1')
      return pagesOf(bytes)[0] ?? ''
    }
    expect(await first(sample.issues)).not.toContain('without a severity')
    const [one] = sample.issues
    if (!one) throw new Error('the sample has issues')
    const severity = { cvss: '', score: 0, category: 'CATEGORY_NONE' as const }
    const unrated = { ...one, id: 'unrated', threat: { ...one.threat, severity } }
    expect(await first([...sample.issues, unrated])).toContain('1 more without a rating')
  })

  it('contains every open risk once with evidence, solution, and references', () => {
    const rest = pages.slice(1).join('\n')
    for (const { name } of sample.issues.filter(({ status }) => status !== 'STATUS_IGNORED')) {
      expect(rest.split(name).length - 1, name).toBe(1)
    }
    expect(rest).toContain('root:x:0:0:root')
    expect(rest).toContain('Update to Apache HTTP Server 2.4.51 or later')
    expect(rest).toContain('https://nvd.nist.gov/vuln/detail/CVE-2021-41773')
    expect(rest).toContain('Found again after being resolved')
    // Quotation marks in WinAnsi.
    expect(rest).toContain('Set \u0093requirepass\u0094 or ACL users in redis.conf')
  })

  it('lists ignored risks separately, and the hosts', () => {
    expect(text.indexOf('Accepted and ignored')).toBeLessThan(text.indexOf('FTP without TLS encryption'))
    expect(text).toContain('www2.example.ch. Accepted risk, set by Nora Ammann on 12 Aug 2026 until 31 Dec 2026.')
    for (const { address } of sample.hosts) expect(text).toContain(address)
  })

  it.each([
    ['scan', 'A scan no longer found it on 18 Sept 2026.'],
    ['Nora Ammann', 'Resolved by Nora Ammann on 18 Sept 2026.'],
  ])('says who resolved a risk: %s', async (actor, expected) => {
    const resolveTime = '2026-09-18T01:00:00.000Z'
    const status = 'STATUS_RESOLVED' as const
    const [issue] = sample.issues
    if (!issue) throw new Error('the sample has issues')
    const resolved = { ...issue, status, resolveTime, history: [{ status, timestamp: resolveTime, actor }] }
    const bytes = await renderPdf({ ...sample, issues: [resolved] }, { isCompressed: false })
    expect(pagesOf(bytes.toString('latin1')).join('\n')).toContain(expected)
  })

  it('has page numbers', () => {
    pages.forEach((page, index) => expect(page).toContain(`Page ${index + 1} of ${pages.length}`))
  })

  it('SEC-D3 links http and https URLs only', async () => {
    const bytes = (await renderPdf(sample, { isCompressed: false })).toString('latin1')
    expect(bytes).toContain('/URI (https://nvd.nist.gov/vuln/detail/CVE-2021-41773)')
    expect(bytes).not.toContain('javascript:')
  })

  it('breaks long words', () => {
    const [whole] = /TOKEN=[a-d1-4\n]+/.exec(text) ?? ['']
    expect(whole.replaceAll('\n', '')).toHaveLength('TOKEN='.length + 192)
    expect(whole).toContain('\n')
  })

  it('is identical for the same model', async () => {
    const withoutId = (bytes: Buffer) => bytes.toString('latin1').replace(/\/ID \[.*\]/, '')
    expect(withoutId(await renderPdf(sample))).toBe(withoutId(await renderPdf(sample)))
  })

  it('renders without findings, hosts, or dates', async () => {
    const scan = { ...sample.scan, completeTime: undefined, changes: undefined }
    const empty = { ...sample, scan, previous: undefined, hosts: [], issues: [] }
    const bytes = (await renderPdf(empty, { isCompressed: false })).toString('latin1')
    expect(pagesOf(bytes).join('\n')).toContain('No open risks on 6 hosts.')
  })
})

describe('rendering', () => {
  it('returns a portable file name', async () => {
    const report = await renderReport({ ...sample, target: { name: '../Éva "web"\r\n', address: '' } }, 'pdf')
    expect(report.contentType).toBe('application/pdf')
    expect(report.filename).toBe('glacis-eva-web-2026-09-19.pdf')
    expect(report.body.subarray(0, 5).toString()).toBe('%PDF-')
    expect(report.body.subarray(-7).toString()).toContain('%%EOF')
  })
  it('returns the model as JSON', async () => {
    const report = await renderReport(sample, 'json')
    expect(report.filename).toBe('glacis-web-front-lausanne-2026-09-19.json')
    expect(JSON.parse(report.body.toString())).toEqual(JSON.parse(JSON.stringify(sample)))
  })
  it('returns SARIF with a rule per threat and a result per occurrence, ignored ones suppressed', async () => {
    const encoded = JSON.stringify(sample).replaceAll('80/cgi-bin/', '80/cgi-bin/.%2e/a b')
    const report = await renderReport(JSON.parse(encoded) as typeof sample, 'sarif')
    expect([report.contentType, report.filename.split('.').at(-1)]).toEqual([
      'application/sarif+json; charset=utf-8',
      'sarif',
    ])
    const [run] = (JSON.parse(report.body.toString()) as SarifLog).runs
    const unresolved = sample.issues.filter(({ status }) => status !== 'STATUS_RESOLVED')
    expect(run?.tool.driver.rules.map(({ name }) => name)).toEqual(unresolved.map(({ name }) => name))
    const ids = run?.tool.driver.rules.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(['CVE-2021-41773', 'redis-exposed-without-authentication']))
    const hosts = unresolved.flatMap(({ affectedHosts }) =>
      affectedHosts.filter(({ status }) => status !== 'STATUS_RESOLVED').map(({ host }) => host.address),
    )
    const results = run?.results ?? []
    const uris = results.map(({ locations }) => locations[0]?.physicalLocation.artifactLocation.uri)
    expect(uris).toEqual(
      expect.arrayContaining([
        'http://203.0.113.10:80/.env',
        'http://203.0.113.11:80/cgi-bin/.%2e/a',
        'tcp://203.0.113.12:6379',
      ]),
    )
    expect(report.body.toString()).not.toContain('javascript:')
    for (const address of hosts)
      expect(results.some(({ message }) => message.text.includes(` at ${address}`))).toBe(true)
    for (const { ruleId, ruleIndex, locations, properties, suppressions } of results) {
      expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId)
      expect(URL.canParse(locations[0]?.physicalLocation.artifactLocation.uri ?? '')).toBe(true)
      expect(suppressions).toEqual(
        properties.status === 'STATUS_IGNORED'
          ? [{ kind: 'external', status: 'accepted', justification: 'Accepted risk' }]
          : undefined,
      )
    }
  })
  it('reports errors of its process', async () => {
    const broken = { ...sample, generatedAt: 'never' }
    await expect(renderReport(broken, 'pdf')).rejects.toThrow("couldn't be rendered")
  })
})

describe('text', () => {
  it.each([
    ['a\u0000b\u0007c\u009d', 'abc'],
    ['\u001b[31;1mred\u001b[0m', 'red'],
    ['\u202egnp.exe\u200b', 'gnp.exe'],
    ['one\r\ntwo\ttabs', 'one\ntwo  tabs'],
    ['≥ 2.4.49 → “fixed” – € é', '>= 2.4.49 -> “fixed” – € é'],
    ['e\u0301', 'é'],
    ['Привет 😀', '?????? ?'],
  ])('%j prints as %j', (input, printed) => {
    expect(printable(input)).toBe(printed)
  })
  it('is truncated at its limits with a note', () => {
    expect(truncatedLine('one\ntwo  three', 8)).toBe('one two…')
    expect(excerpt('1\n2\n3\n4', 2, 100)).toBe('1\n2\n…')
    expect(excerpt('12345', 5, 3)).toBe('123\n…')
    expect(excerpt('12345', 5, 5)).toBe('12345')
  })
  it.each([
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:11.700Z', '11 seconds'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z', '60 seconds'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:12:10Z', '12 minutes'],
    ['2026-01-01T00:00:00Z', '2026-01-01T03:00:00Z', '3.0 hours'],
    [undefined, '2026-01-01T03:00:00Z', ''],
  ])('%s to %s: %s', (start, end, expected) => {
    expect(formatDuration(start, end)).toBe(expected)
  })
})

it.each([
  ['80/cgi-bin/', '/cgi-bin/ on port 80'],
  ['443/tcpdump', '/tcpdump on port 443'],
  ['80/ grade-f', '/ (grade-f) on port 80'],
  ['443 shop.example/ grade-f', 'shop.example/ (grade-f) on port 443'],
  ['6379', 'port 6379'],
  ['443 f5:nginx', 'port 443, f5:nginx'],
  ['61616/tcp openwire', 'port 61616/tcp, openwire'],
  ['53/udp', 'port 53/udp'],
  ['package openssl', 'package openssl'],
  ['', ''],
])('prints the location %j as %j', (location, expected) => {
  expect(formatLocation(location)).toBe(expected)
})

/** The text of each page, one line per run, read from uncompressed content streams. */
function pagesOf(pdf: string): string[] {
  const streams = [...pdf.matchAll(/stream\n([\s\S]*?)\nendstream/g)].map(([, content = '']) => content)
  return streams
    .filter((content) => content.includes(' TJ'))
    .map((content) => {
      const runs = [...content.matchAll(/\[([^\]]*)\] TJ/g)].map(([, run = '']) =>
        [...run.matchAll(/<([0-9a-f]*)>/g)].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1')).join(''),
      )
      return runs.join('\n')
    })
}

it('quotes code, but not a single backtick', () => {
  expect(withQuotedCode('Set `bind 127.0.0.1` and `port 0`.')).toBe('Set “bind 127.0.0.1” and “port 0”.')
  expect(withQuotedCode('a ` alone')).toBe('a ` alone')
})

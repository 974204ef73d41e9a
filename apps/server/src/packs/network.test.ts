import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createNetwork } from '#packs/network.ts'
import { addresses, type SourceKey } from '#packs/sources.ts'
import { startTestServer, type TestServer } from '#testing/test-server.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void
let server: Server
let answer: Answer = (_, response) => void response.writeHead(404).end()
let folder: string
let testServer: TestServer
let origin: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-network-'))
  server = createServer((request, response) => answer(request, response))
  await new Promise<void>((done) => server.listen(0, '127.68.0.1', done))
  origin = `http://127.68.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await new Promise((done) => server.close(done))
  await rm(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  testServer = await startTestServer()
  return () => testServer.close()
})

const log = { info() {}, warn() {}, error() {} }
const nothing = Object.fromEntries(Object.keys(addresses).map((key) => [key, ''])) as Record<SourceKey, string>

const firstYear = new Date().getUTCFullYear() - 1

/** Asks the given sources as if their time had come. */
async function sync(sources: Partial<Record<SourceKey, string>>): Promise<number> {
  await testServer.database.owner.updateTable('pack').set({ next_at: null }).execute()
  const options = {
    owner: testServer.database.owner,
    databaseUrl: testServer.url,
    packsFolder: join(folder, 'packs'),
    log,
    firstYear,
  }
  let imports = 0
  const network = await createNetwork({ ...options, addresses: { ...nothing, ...sources } })
  await network.sync(new AbortController().signal, async () => {
    imports += 1
  })
  return imports
}
async function pack(name: string) {
  return testServer.database.owner.selectFrom('pack').selectAll().where('name', '=', name).executeTakeFirstOrThrow()
}

const kev = JSON.stringify({
  catalogVersion: '2026.03.04',
  vulnerabilities: [{ cveID: 'CVE-2025-10001', dateAdded: '2026-03-03' }],
})

it('asks again only for what changed', async () => {
  const asked: (string | undefined)[] = []
  answer = ({ headers }, response) => {
    asked.push(headers['if-none-match'])
    if (headers['if-none-match'] === '"one"') return void response.writeHead(304).end()
    response.writeHead(200, { etag: '"one"' }).end(kev)
  }
  expect(await sync({ kev: `${origin}/kev.json` })).toBe(1)
  expect(await sync({ kev: `${origin}/kev.json` })).toBe(0)
  expect(asked).toEqual([undefined, '"one"'])
  expect(await pack('CISA KEV')).toMatchObject({
    version: '2026.03.04',
    records: 1,
    state: 'STATE_READY',
    problem: '',
    failures: 0,
  })
})

it.each<[string, Answer, string]>([
  [
    'is busy',
    (_, response) => void response.writeHead(429, { 'retry-after': '7200' }).end(),
    'is rate limiting requests (HTTP 429)',
  ],
  ['is down', (_, response) => void response.writeHead(503).end(), 'is rate limiting requests (HTTP 503)'],
  ['has moved', (_, response) => void response.writeHead(410).end(), 'responded with HTTP 410'],
  ['answers with a page', (_, response) => void response.end('<!doctype html><p>Sign in'), 'is a web page, not a feed'],
  [
    'breaks off',
    (_, response) => void response.writeHead(200, { 'content-length': '9999' }).write(kev, () => response.destroy()),
    'closed the connection',
  ],
  ['is cut', (_, response) => void response.end(kev.slice(0, -9)), 'is truncated'],
])('keeps what it knows when a source %s, says so, and comes back later', async (_, bad, words) => {
  answer = (__, response) => void response.end(kev)
  await sync({ kev: `${origin}/kev.json` })
  answer = bad
  const before = Date.now()
  await sync({ kev: `${origin}/kev.json` })
  const after = await pack('CISA KEV')
  expect(after).toMatchObject({ records: 1, state: 'STATE_READY', failures: 1 })
  expect(after.problem).toContain(words)
  const waitMs = words.includes('429') ? 7_200_000 : 300_000
  expect(after.next_at?.getTime()).toBeGreaterThanOrEqual(before + waitMs)
  await sync({ kev: `${origin}/kev.json` })
  expect((await pack('CISA KEV')).failures).toBe(2)
})

it('leaves out what is ten times what the feed ever was, and knows what it knew', async () => {
  answer = (__, response) => void response.end(kev)
  await sync({ kev: `${origin}/kev.json` })
  const spaces = Buffer.alloc(1_000_000, ' ')
  let sent = 0
  answer = (_, response) => {
    const more = () => {
      while (!response.destroyed && sent < 700) {
        sent += 1
        if (!response.write(spaces)) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  }
  await sync({ kev: `${origin}/kev.json` })
  expect(await pack('CISA KEV')).toMatchObject({ records: 1, state: 'STATE_READY', failures: 1 })
  expect((await pack('CISA KEV')).problem).toContain('MB for this feed')
  // It was cut off at its bound, not taken in.
  expect(sent).toBeLessThan(200)
})

it('comes back to a source that was away for an hour, and forgets the trouble', async () => {
  answer = (_, response) => void response.writeHead(503).end()
  for (let times = 0; times < 4; times++) await sync({ kev: `${origin}/kev.json` })
  const away = await pack('CISA KEV')
  expect(away).toMatchObject({ records: 0, state: 'STATE_FAILED', failures: 4 })
  // 5, 10, 20 and 40 minutes: an hour of trouble costs five questions.
  expect(away.next_at?.getTime()).toBeGreaterThan(Date.now() + 39 * 60_000)
  answer = (_, response) => void response.end(kev)
  await sync({ kev: `${origin}/kev.json` })
  expect(await pack('CISA KEV')).toMatchObject({ records: 1, state: 'STATE_READY', failures: 0, problem: '' })
})

it('asks one source at once when somebody wants to know, though not again within a minute', async () => {
  let asked = 0
  answer = (_, response) => {
    asked += 1
    response.end(kev)
  }
  await sync({ kev: `${origin}/kev.json`, epss: `${origin}/epss.csv` })
  const options = {
    owner: testServer.database.owner,
    databaseUrl: testServer.url,
    packsFolder: join(folder, 'packs'),
    log,
  }
  const network = await createNetwork({ ...options, addresses: { ...nothing, kev: `${origin}/kev.json` } })
  const check = (pack: string) => network.check(pack, new AbortController().signal, async () => undefined)
  const before = asked
  await check('CISA KEV')
  expect(asked).toBe(before)
  await testServer.database.owner
    .updateTable('pack')
    .set({ checked_at: new Date(Date.now() - 61_000) })
    .execute()
  // At the same time: whoever comes second finds it asked already.
  await Promise.all([check('CISA KEV'), check('CISA KEV')])
  expect(asked).toBe(before + 1)
  await check('FIRST EPSS')
  expect(asked).toBe(before + 1)
})

it('reads the years of the NVD newest first, each once, and then what has changed', async () => {
  const record = (id: string) => ({
    cve: { id, lastModified: '2026-01-01T00:00:00.000', descriptions: [{ lang: 'en', value: id }] },
  })
  const asked: string[] = []
  answer = ({ url = '' }, response) => {
    const year = /year=(\d{4})/.exec(url)?.[1]
    asked.push(year ?? url.split('?')[0] ?? '')
    const vulnerabilities = year ? [record(`CVE-${year}-10001`)] : [record('CVE-2026-20002')]
    const body = {
      resultsPerPage: 1,
      startIndex: 0,
      totalResults: 1,
      format: 'NVD_CVE',
      version: '2.0',
      vulnerabilities,
    }
    response.end(JSON.stringify(body))
  }
  const sources = { nvd: `${origin}/file?year={year}`, nvdChanges: `${origin}/changes` }
  await sync(sources)
  const thisYear = new Date().getUTCFullYear()
  expect(asked.slice(0, 2)).toEqual([String(thisYear), String(thisYear - 1)])
  expect(asked.at(-1)).toBe('/changes')
  const first = asked.length
  await sync(sources)
  expect(asked.slice(first)).toEqual(['/changes'])
  expect((await pack('NVD')).records).toBe(3)
})

const cve = (number: number) => `CVE-2026-${10_000 + number}`

/** The log of the CVE programme on this server: newest first, of each update how many minutes ago it was and what it brought. */
function logOf(updates: readonly (readonly [minutesAgo: number, numbers: readonly number[]])[]): object[] {
  return updates.map(([minutesAgo, numbers]) => ({
    fetchTime: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
    new: numbers.slice(0, 1).map(linkTo),
    updated: numbers.slice(1).map(linkTo),
  }))
}
function linkTo(number: number) {
  return { cveId: cve(number), githubLink: `${origin}/records/${cve(number)}.json` }
}
function recordOf(id: string): string {
  const published = { cveId: id, state: 'PUBLISHED', dateUpdated: '2026-01-02T00:00:00.000Z' }
  const cna = { descriptions: [{ lang: 'en', value: `About ${id}.` }] }
  return JSON.stringify({ dataType: 'CVE_RECORD', dataVersion: '5.1', cveMetadata: published, containers: { cna } })
}

/** Serves a log and its records, and notes which records are asked for. */
function serveLog(log: unknown, { gone = -1, busy = -1 } = {}): string[] {
  const asked: string[] = []
  const etag = `"${JSON.stringify(log).length}"`
  answer = ({ url = '', headers }, response) => {
    const id = /CVE-\d+-\d+/.exec(url)?.[0]
    if (!id && headers['if-none-match'] === etag) return void response.writeHead(304).end()
    if (!id) return void response.writeHead(200, { etag }).end(JSON.stringify(log))
    asked.push(id)
    if (id === cve(gone)) return void response.writeHead(404).end()
    if (id === cve(busy)) return void response.writeHead(503).end()
    response.end(recordOf(id))
  }
  return asked
}
const programme = () => sync({ cve5: `${origin}/cves/deltaLog.json` })

it('reads every update of the CVE programme since the last one it read, oldest first', async () => {
  const first = logOf([
    [10, [2]],
    [90, [1, 2]],
    [3 * 24 * 60, [9]],
  ])
  const asked = serveLog(first)
  await programme()
  expect(asked).toEqual([cve(1), cve(2)])
  await programme()
  expect(asked).toHaveLength(2)
  // Two updates since: the last one alone would be half of it.
  const later = serveLog([
    ...logOf([
      [1, [5]],
      [5, [3, 4, 1]],
    ]),
    ...first,
  ])
  await programme()
  expect(later).toEqual([cve(3), cve(4), cve(1), cve(5)])
  expect(await pack('CVE programme')).toMatchObject({ records: 5, problem: '', failures: 0 })
})

it('leaves out records that are gone, and those that a list wants from elsewhere', async () => {
  const [update] = logOf([[5, [1, 2, 3]]])
  const elsewhere = { cveId: cve(4), githubLink: `http://127.68.0.2:9/${cve(4)}.json` }
  const asked = serveLog([{ ...update, new: [elsewhere, linkTo(1)] }], { gone: 2 })
  await programme()
  expect(asked).toEqual([cve(1), cve(2), cve(3)])
  expect(await pack('CVE programme')).toMatchObject({ records: 2, failures: 0 })
})

it('goes on behind the portion that came when the CVE programme breaks off, and reads a long log in several visits', async () => {
  // A portion is 250 records and names two files; a visit is four portions.
  const log = logOf([[5, Array.from({ length: 1500 }, (_, index) => Math.floor(index / 125))]])
  const broken = serveLog(log, { busy: 3 })
  await programme()
  expect(broken).toEqual([0, 1, 2, 3].map(cve))
  expect(await pack('CVE programme')).toMatchObject({ records: 2, failures: 1 })
  const asked = serveLog(log)
  await programme()
  expect(asked).toEqual([2, 3, 4, 5, 6, 7, 8, 9].map(cve))
  await programme()
  expect(asked.slice(8)).toEqual([10, 11].map(cve))
  expect(await pack('CVE programme')).toMatchObject({ records: 12, failures: 0 })
  await programme()
  expect(asked).toHaveLength(10)
})

it('removes what a killed process had downloaded', async () => {
  const left = join(folder, 'downloads', 'kev-killed')
  await mkdir(left, { recursive: true })
  await sync({})
  await expect(stat(left)).rejects.toThrow('ENOENT')
  expect(await readdir(join(folder, 'downloads'))).toEqual([])
})

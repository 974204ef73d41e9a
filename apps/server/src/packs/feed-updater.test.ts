import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createFeedUpdater } from '#packs/feed-updater.ts'
import { addresses, type SourceKey } from '#packs/sources.ts'
import { startTestServer, type TestServer } from '#testing/test-server.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void
let server: Server
let handle: Handler = (_, response) => void response.writeHead(404).end()
let folder: string
let testServer: TestServer
let origin: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-network-'))
  server = createServer((request, response) => handle(request, response))
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
const noSources = Object.fromEntries(Object.keys(addresses).map((key) => [key, ''])) as Record<SourceKey, string>

const firstYear = new Date().getUTCFullYear() - 1

/** Updates the given sources as if they were due. */
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
  const updater = await createFeedUpdater({ ...options, addresses: { ...noSources, ...sources } })
  await updater.sync(new AbortController().signal, async () => {
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

it('downloads a feed again only if it changed', async () => {
  const requested: (string | undefined)[] = []
  handle = ({ headers }, response) => {
    requested.push(headers['if-none-match'])
    if (headers['if-none-match'] === '"one"') return void response.writeHead(304).end()
    response.writeHead(200, { etag: '"one"' }).end(kev)
  }
  expect(await sync({ kev: `${origin}/kev.json` })).toBe(1)
  expect(await sync({ kev: `${origin}/kev.json` })).toBe(0)
  expect(requested).toEqual([undefined, '"one"'])
  expect(await pack('CISA KEV')).toMatchObject({
    version: '2026.03.04',
    records: 1,
    state: 'STATE_READY',
    problem: '',
    failures: 0,
  })
})

const failures: readonly [message: string, handler: Handler][] = [
  [
    'is rate limiting requests (HTTP 429)',
    (_, response) => void response.writeHead(429, { 'retry-after': '7200' }).end(),
  ],
  ['is rate limiting requests (HTTP 503)', (_, response) => void response.writeHead(503).end()],
  ['responded with HTTP 410', (_, response) => void response.writeHead(410).end()],
  ['is a web page, not a feed', (_, response) => void response.end('<!doctype html><p>Sign in')],
  [
    'closed the connection',
    (_, response) => void response.writeHead(200, { 'content-length': '9999' }).write(kev, () => response.destroy()),
  ],
  ['is truncated', (_, response) => void response.end(kev.slice(0, -9))],
]

it('keeps the previous data if a source fails, shows the error, and retries later', async () => {
  handle = (_, response) => void response.end(kev)
  await sync({ kev: `${origin}/kev.json` })
  for (const [count, [message, handler]] of failures.entries()) {
    handle = handler
    const before = Date.now()
    await sync({ kev: `${origin}/kev.json` })
    const after = await pack('CISA KEV')
    expect(after, message).toMatchObject({ records: 1, state: 'STATE_READY', failures: count + 1 })
    expect(after.problem).toContain(message)
    // The delay doubles from five minutes, unless the source asks for a longer one.
    const waitMs = message.includes('429') ? 7_200_000 : 300_000 * 2 ** count
    expect(after.next_at?.getTime(), message).toBeGreaterThanOrEqual(before + waitMs)
  }
})

it('SEC-E3 rejects a download far larger than the feed has ever been, and keeps the previous data', async () => {
  handle = (__, response) => void response.end(kev)
  await sync({ kev: `${origin}/kev.json` })
  const spaces = Buffer.alloc(1_000_000, ' ')
  let sent = 0
  handle = (_, response) => {
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
  // the download was aborted at the limit
  expect(sent).toBeLessThan(200)
})

it('retries a failing source with backoff and clears the error on success', async () => {
  handle = (_, response) => void response.writeHead(503).end()
  for (let times = 0; times < 4; times++) await sync({ kev: `${origin}/kev.json` })
  const failing = await pack('CISA KEV')
  expect(failing).toMatchObject({ records: 0, state: 'STATE_FAILED', failures: 4 })
  // Delays of 5, 10, 20, and 40 minutes: four requests in the first hour.
  expect(failing.next_at?.getTime()).toBeGreaterThan(Date.now() + 39 * 60_000)
  handle = (_, response) => void response.end(kev)
  await sync({ kev: `${origin}/kev.json` })
  expect(await pack('CISA KEV')).toMatchObject({ records: 1, state: 'STATE_READY', failures: 0, problem: '' })
})

it('checks a single source on request, at most once a minute', async () => {
  let requested = 0
  handle = (_, response) => {
    requested += 1
    response.end(kev)
  }
  await sync({ kev: `${origin}/kev.json`, epss: `${origin}/epss.csv` })
  const options = {
    owner: testServer.database.owner,
    databaseUrl: testServer.url,
    packsFolder: join(folder, 'packs'),
    log,
  }
  const updater = await createFeedUpdater({ ...options, addresses: { ...noSources, kev: `${origin}/kev.json` } })
  const check = (pack: string) => updater.check(pack, new AbortController().signal, async () => undefined)
  const before = requested
  await check('CISA KEV')
  expect(requested).toBe(before)
  await testServer.database.owner
    .updateTable('pack')
    .set({ checked_at: new Date(Date.now() - 61_000) })
    .execute()
  // The second of two concurrent checks finds that the source was just checked.
  await Promise.all([check('CISA KEV'), check('CISA KEV')])
  expect(requested).toBe(before + 1)
  await check('FIRST EPSS')
  expect(requested).toBe(before + 1)
})

it('reads the NVD years once, newest first, then only changes', async () => {
  const record = (id: string) => ({
    cve: { id, lastModified: '2026-01-01T00:00:00.000', descriptions: [{ lang: 'en', value: id }] },
  })
  const requested: string[] = []
  handle = ({ url = '' }, response) => {
    const year = /year=(\d{4})/.exec(url)?.[1]
    requested.push(year ?? url.split('?')[0] ?? '')
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
  expect(requested.slice(0, 2)).toEqual([String(thisYear), String(thisYear - 1)])
  expect(requested.at(-1)).toBe('/changes')
  const first = requested.length
  await sync(sources)
  expect(requested.slice(first)).toEqual(['/changes'])
  expect((await pack('NVD')).records).toBe(3)
})

const cve = (number: number) => `CVE-2026-${10_000 + number}`

/** The update log of the CVE Program, newest first, as minutes ago and record numbers. */
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

/** Serves a log and its records, and returns the IDs of requested records. */
function serveLog(log: unknown, { gone = -1, busy = -1 } = {}): string[] {
  const requested: string[] = []
  const etag = `"${JSON.stringify(log).length}"`
  handle = ({ url = '', headers }, response) => {
    const id = /CVE-\d+-\d+/.exec(url)?.[0]
    if (!id && headers['if-none-match'] === etag) return void response.writeHead(304).end()
    if (!id) return void response.writeHead(200, { etag }).end(JSON.stringify(log))
    requested.push(id)
    if (id === cve(gone)) return void response.writeHead(404).end()
    if (id === cve(busy)) return void response.writeHead(503).end()
    response.end(recordOf(id))
  }
  return requested
}
const syncCveProgram = () => sync({ cve5: `${origin}/cves/deltaLog.json` })

it('reads all updates of the CVE Program since the last run, oldest first', async () => {
  const first = logOf([
    [10, [2]],
    [90, [1, 2]],
    [3 * 24 * 60, [9]],
  ])
  const requested = serveLog(first)
  await syncCveProgram()
  expect(requested).toEqual([cve(1), cve(2)])
  await syncCveProgram()
  expect(requested).toHaveLength(2)
  // Two updates since the last run; reading only the latest one would miss half.
  const later = serveLog([
    ...logOf([
      [1, [5]],
      [5, [3, 4, 1]],
    ]),
    ...first,
  ])
  await syncCveProgram()
  expect(later).toEqual([cve(3), cve(4), cve(1), cve(5)])
  expect(await pack('CVE Program')).toMatchObject({ records: 5, problem: '', failures: 0 })
})

it('skips records that no longer exist and links to other origins', async () => {
  const [update] = logOf([[5, [1, 2, 3]]])
  const otherOrigin = { cveId: cve(4), githubLink: `http://127.68.0.2:9/${cve(4)}.json` }
  const requested = serveLog([{ ...update, new: [otherOrigin, linkTo(1)] }], { gone: 2 })
  await syncCveProgram()
  expect(requested).toEqual([cve(1), cve(2), cve(3)])
  expect(await pack('CVE Program')).toMatchObject({ records: 2, failures: 0 })
})

it('resumes after the last imported chunk of the CVE Program, and reads a long log in several runs', async () => {
  // A chunk is 250 entries with two distinct records here; a run is four chunks.
  const log = logOf([[5, Array.from({ length: 1500 }, (_, index) => Math.floor(index / 125))]])
  const broken = serveLog(log, { busy: 3 })
  await syncCveProgram()
  expect(broken).toEqual([0, 1, 2, 3].map(cve))
  expect(await pack('CVE Program')).toMatchObject({ records: 2, failures: 1 })
  const requested = serveLog(log)
  await syncCveProgram()
  expect(requested).toEqual([2, 3, 4, 5, 6, 7, 8, 9].map(cve))
  await syncCveProgram()
  expect(requested.slice(8)).toEqual([10, 11].map(cve))
  expect(await pack('CVE Program')).toMatchObject({ records: 12, failures: 0 })
  await syncCveProgram()
  expect(requested).toHaveLength(10)
})

it('removes downloads of a killed process', async () => {
  const leftover = join(folder, 'downloads', 'kev-killed')
  await mkdir(leftover, { recursive: true })
  await sync({})
  await expect(stat(leftover)).rejects.toThrow('ENOENT')
  expect(await readdir(join(folder, 'downloads'))).toEqual([])
})

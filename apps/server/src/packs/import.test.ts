import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { importPath, type ImportOptions } from '#packs/import.ts'
import { exportPacks } from '#packs/export.ts'
import { startTestServer, type TestServer } from '#testing/test-server.ts'
import { sql } from 'kysely'

let server: TestServer
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-import-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
beforeEach(async () => {
  server = await startTestServer()
  return () => server.close()
})

const log = { info() {}, warn() {}, error() {} }
async function importContent(name: string, content: string | Buffer, options: Partial<ImportOptions> = {}) {
  const path = join(folder, name)
  await writeFile(path, content)
  return importPath(path, { owner: server.database.owner, log, packsFolder: join(folder, 'packs'), ...options })
}

function record(number: number, change: { modified?: string; end?: string; score?: number } = {}) {
  const { modified = '2026-01-02T00:00:00.000', end = '2.0' } = change
  const criteria = `cpe:2.3:a:acme:widget_${number % 7}:*:*:*:*:*:*:*:*`
  return {
    id: `CVE-2025-${10_000 + number}`,
    published: '2025-05-05T00:00:00.000',
    lastModified: modified,
    descriptions: [{ lang: 'en', value: `Weakness ${number}.` }],
    configurations: [
      { nodes: [{ operator: 'OR', cpeMatch: [{ vulnerable: true, criteria, versionEndExcluding: end }] }] },
    ],
  }
}
const lines = (records: readonly object[]) => records.map((item) => `${JSON.stringify(item)}\n`).join('')
const manyRecords = Array.from({ length: 1300 }, (_, number) => record(number))

/** The rows that an import can change, without IDs and timestamps. */
async function state(): Promise<unknown> {
  const { rows } = await sql`
    select key, name, affected, score, modified_at, record,
           (select array_agg(vendor || ':' || product order by product) from threat_product where threat_id = threat.id) as products
    from threat order by key`.execute(server.database.owner)
  return rows
}
async function pack(name: string) {
  return server.database.owner.selectFrom('pack').selectAll().where('name', '=', name).executeTakeFirst()
}

it.each([
  ['uncompressed', (text: string) => Buffer.from(text)],
  ['compressed with gzip', (text: string) => gzipSync(text)],
  ['compressed with zstd', (text: string) => zstdCompressSync(text)],
])('SEC-E3 recognizes the content of a file %s', async (_, pack) => {
  const document = JSON.stringify({ format: 'NVD_CVE', vulnerabilities: [{ cve: record(1) }, { cve: record(2) }] })
  expect(await importContent('feed', pack(document))).toEqual([{ pack: 'NVD', records: 2, skipped: 0 }])
})

it('resumes an interrupted import with the same result', async () => {
  const stopping = new AbortController()
  const interruption = { signal: stopping.signal, onProgress: () => stopping.abort(new Error('killed')) }
  await expect(importContent('many.jsonl', lines(manyRecords), interruption)).rejects.toThrow('killed')
  const between = await server.database.owner.selectFrom('threat').select('key').execute()
  expect(between.length).toBeGreaterThan(0)
  expect(between.length).toBeLessThan(manyRecords.length)
  expect((await pack('NVD'))?.cursor).toMatchObject({ items: between.length })
  await importContent('many.jsonl', lines(manyRecords))
  const resumed = await state()
  await server.close()
  server = await startTestServer()
  await importContent('many.jsonl', lines(manyRecords))
  expect(resumed).toEqual(await state())
})

it('changes nothing if the same file is imported again', async () => {
  await importContent('many.jsonl', lines(manyRecords.slice(0, 20)))
  await sql`delete from threat_change`.execute(server.database.owner)
  await importContent('many.jsonl', lines(manyRecords.slice(0, 20)))
  expect(await server.database.owner.selectFrom('threat_change').selectAll().execute()).toEqual([])
})

it('SEC-E1 skips and counts invalid records and keeps the others', async () => {
  const text = `${lines([record(1)])}{"id": 7}\n${lines([record(2)])}`
  expect(await importContent('broken.jsonl', text)).toEqual([{ pack: 'NVD', records: 2, skipped: 1 }])
})

it('SEC-E3 changes nothing if a file is not a complete feed, and reports the reason', async () => {
  const cut = JSON.stringify({ vulnerabilities: [{ cve: record(1) }, { cve: record(2) }] }).slice(0, -40)
  const files = [
    ['cut.json', cut, 'is truncated'],
    ['cut.jsonl.gz', gzipSync(lines(manyRecords)).subarray(0, 5000), 'is truncated'],
    ['page.html', '<!doctype html><title>Sign in</title><p>Please sign in.', 'is a web page, not a feed'],
    ['kev-2027.json', JSON.stringify({ catalogVersion: '2027.01.01', entries: [] }), 'may have changed'],
    ['odd.bin', Buffer.from([1, 2, 3]), 'contains no known feed format'],
  ] as const
  await importContent('good.jsonl', lines([record(1)]))
  const before = await state()
  for (const [name, content, message] of files) {
    await expect(importContent(name, content), name).rejects.toThrow(message)
    expect(await state(), name).toEqual(before)
  }
})

it("keeps the previous data if a feed's format changed", async () => {
  await importContent('good.jsonl', lines([record(1)]))
  const before = await state()
  const other = JSON.stringify({ format: 'NVD_CVE', vulnerabilities: [{ cve: { number: 'CVE-2025-1' } }] })
  expect(await importContent('other.json', other)).toEqual([{ pack: 'NVD', records: 0, skipped: 1 }])
  expect(await state()).toEqual(before)
  expect(await pack('NVD')).toMatchObject({
    state: 'STATE_FAILED',
    problem: expect.stringContaining('may have changed'),
  })
})

it('ignores records older than the stored ones', async () => {
  await importContent('new.jsonl', lines([record(1, { modified: '2026-02-02T00:00:00.000', end: '3.0' })]))
  const before = await state()
  await importContent('old.jsonl', lines([record(1, { modified: '2026-01-01T00:00:00.000', end: '2.0' })]))
  expect(await state()).toEqual(before)
})

const kev = (version: string, ...ids: string[]) =>
  JSON.stringify({ catalogVersion: version, vulnerabilities: ids.map((cveID) => ({ cveID, dateAdded: '2026-03-03' })) })

it('rejects a catalog that is older or lost more than half of its entries', async () => {
  const ids = Array.from({ length: 10 }, (_, number) => `CVE-2025-${10_000 + number}`)
  await importContent('kev.json', kev('2026.03.04', ...ids))
  await expect(importContent('kev-old.json', kev('2026.03.01', ...ids))).rejects.toThrow(
    'version 2026.03.04 is already loaded',
  )
  await expect(importContent('kev-cut.json', kev('2026.03.05', ...ids.slice(0, 3)))).rejects.toThrow('less than half')
  const known = await server.database.owner
    .selectFrom('exploitation')
    .select('key')
    .where('known_exploited_at', 'is not', null)
    .execute()
  expect(known).toHaveLength(10)
})

it('keeps the latest fix of a package or advisory and removes withdrawn ones', async () => {
  const osv = (fixed: string, options: object = {}) =>
    JSON.stringify({
      schema_version: '1.7.3',
      id: 'DSA-1-1',
      upstream: ['CVE-2025-10001'],
      affected: [
        {
          package: { ecosystem: 'Debian:12', name: 'nginx' },
          ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }],
        },
      ],
      ...options,
    })
  const tracker = (release: object) =>
    JSON.stringify({ nginx: { 'CVE-2025-10001': { scope: 'remote', releases: { bookworm: release } } } })
  const fixes = async () => {
    const rows = await server.database.owner.selectFrom('distribution_fix').selectAll().orderBy('origin').execute()
    return rows.map((row) => [row.origin, row.fixed_version])
  }
  await importContent('tracker.json', tracker({ status: 'open', urgency: 'low' }))
  await importContent('osv.json', osv('1.22.1-9+deb12u1'))
  expect(await fixes()).toEqual([
    ['DSA-1-1', '1.22.1-9+deb12u1'],
    ['nginx', ''],
  ])
  await importContent('tracker-2.json', tracker({ status: 'resolved', fixed_version: '1.22.1-9+deb12u2' }))
  await importContent('osv-2.json', osv('1.22.1-9+deb12u1', { withdrawn: '2026-01-01T00:00:00Z' }))
  expect(await fixes()).toEqual([['nginx', '1.22.1-9+deb12u2']])
  await importContent('tracker-3.json', tracker({ status: 'undetermined' }))
  expect(await fixes()).toEqual([])
})

it('replaces statements from before packages were stored, and exports packages and advisories', async () => {
  const { owner } = server.database
  const old = {
    key: 'CVE-2025-10001',
    product: 'f5:nginx',
    release: 'debian:12',
    origin: 'DSA-1-1',
    fixed_version: '1',
  }
  await owner.insertInto('distribution_fix').values(old).execute()
  const ranges = [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.22.1-9+deb12u1' }] }]
  const affected = ['nginx', 'libnginx-mod-http-lua'].map((name) => ({
    package: { ecosystem: 'Debian:12', name },
    ranges,
  }))
  const advisory = { schema_version: '1.7.3', id: 'DSA-1-1', upstream: ['CVE-2025-10001'], affected }
  await importContent('osv.json', JSON.stringify(advisory))
  const stored = () => server.database.owner.selectFrom('distribution_fix').selectAll().orderBy('package').execute()
  const before = await stored()
  expect(before).toMatchObject([
    { package: 'libnginx-mod-http-lua', product: '', origin: 'DSA-1-1', fixed_version: '1.22.1-9+deb12u1' },
    { package: 'nginx', product: 'f5:nginx', origin: 'DSA-1-1', fixed_version: '1.22.1-9+deb12u1' },
  ])
  const bundle = join(folder, 'fixes.tar.zst')
  await exportPacks(owner, join(folder, 'packs'), bundle)
  await owner.deleteFrom('distribution_fix').execute()
  await importPath(bundle, { owner, log, packsFolder: join(folder, 'packs-there') })
  expect(await stored()).toEqual(before)
})

it('marks threats as exploited, regardless of the import order, and unmarks them with the catalog', async () => {
  const exploited = async () => {
    const rows = await server.database.owner
      .selectFrom('threat')
      .select('key')
      .where('known_exploited_at', 'is not', null)
      .orderBy('key')
      .execute()
    return rows.map((row) => row.key)
  }
  await importContent('kev.json', kev('2026.03.04', 'CVE-2025-10001', 'CVE-2025-10002'))
  await importContent('some.jsonl', lines([record(1), record(2), record(3)]))
  expect(await exploited()).toEqual(['CVE-2025-10001', 'CVE-2025-10002'])
  await importContent('kev-2.json', kev('2026.03.05', 'CVE-2025-10002', 'CVE-2025-10003'))
  expect(await exploited()).toEqual(['CVE-2025-10002', 'CVE-2025-10003'])
})

it('exports and imports everything in one bundle', async () => {
  await importContent('some.jsonl', lines(manyRecords.slice(0, 30)))
  await importContent('kev.json', kev('2026.03.04', 'CVE-2025-10001'))
  await importContent('epss.csv', 'cve,epss,percentile\nCVE-2025-10001,0.5,0.9\n')
  const before = await state()
  const bundle = join(folder, 'bundle.tar.zst')
  expect(await exportPacks(server.database.owner, join(folder, 'packs'), bundle)).toBe(30)
  await server.close()
  server = await startTestServer()
  await importPath(bundle, { owner: server.database.owner, log, packsFolder: join(folder, 'packs-there') })
  expect(await state()).toEqual(before)
  const [row] = await server.database.owner
    .selectFrom('threat')
    .selectAll()
    .where('key', '=', 'CVE-2025-10001')
    .execute()
  expect([row?.epss_score, row?.known_exploited_at]).toEqual([0.5, new Date('2026-03-03T00:00:00Z')])
})

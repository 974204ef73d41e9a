import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#testing/test-server.ts'
import { sql } from 'kysely'

const importProcess = join(import.meta.dirname, '../testing/import-process.ts')
const records = 2300
let folder: string
let feeds: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-killed-'))
  feeds = join(folder, 'feeds')
  await mkdir(feeds)
  await writeFile(join(feeds, 'a-nvd.jsonl'), lines(Array.from({ length: records }, (_, number) => record(number))))
  await writeFile(join(feeds, 'b-tracker.json'), JSON.stringify({ nginx: trackerEntries() }))
  const vulnerabilities = [{ cveID: 'CVE-2025-10001', dateAdded: '2026-03-03' }]
  await writeFile(join(feeds, 'c-kev.json'), JSON.stringify({ catalogVersion: '2026.03.04', vulnerabilities }))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function record(number: number) {
  const criteria = `cpe:2.3:a:acme:widget_${number % 70}:*:*:*:*:*:*:*:*`
  return {
    id: `CVE-2025-${10_000 + number}`,
    lastModified: '2026-01-02T00:00:00.000',
    descriptions: [{ lang: 'en', value: `Weakness ${number}.` }],
    configurations: [{ nodes: [{ cpeMatch: [{ vulnerable: true, criteria, versionEndExcluding: `${number}.1` }] }] }],
  }
}
function trackerEntries(): object {
  const entry = (number: number) => ({ status: 'resolved', fixed_version: `1.22.1-${number}`, urgency: 'low' })
  return Object.fromEntries(
    Array.from({ length: 700 }, (_, number) => [
      `CVE-2025-${10_000 + number}`,
      { releases: { bookworm: entry(number), trixie: { status: 'open', urgency: 'low' } } },
    ]),
  )
}
function lines(all: readonly object[]): string {
  return all.map((item) => `${JSON.stringify(item)}\n`).join('')
}

/** Imports in a child process that is killed while it writes the nth batch. Returns true if it completed. */
async function importUntil(server: TestServer, batch: number): Promise<boolean> {
  const child = spawn(process.execPath, [importProcess, feeds, server.url, join(folder, 'packs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let lineCount = 0
  for await (const _ of createInterface({ input: child.stdout })) if (++lineCount === batch) child.kill('SIGKILL')
  const [code, signal] = await ended
  if (signal !== 'SIGKILL') expect(code).toBe(0)
  return signal === null
}

/** A digest of all imported rows, without IDs and timestamps. */
async function digest(server: TestServer): Promise<string> {
  const hash = createHash('sha256')
  for (const rows of [
    sql`select key, kind, name, summary, affected, solution, refs, score, category, record, digests, modified_at,
               known_exploited_at, criteria_rank, words_rank, severity_rank from threat order by key`,
    sql`select key, vendor, product from threat_product join threat on threat.id = threat_id order by 1, 2, 3`,
    sql`select key from threat_change join threat on threat.id = threat_id order by key`,
    sql`select * from distribution_fix order by key, product, release, origin`,
    sql`select * from exploitation order by key`,
    sql`select part, vendor, product, title, threats from software order by 1, 2, 3`,
    sql`select name, version, records, skipped, state, problem, progress, cursor from pack order by name`,
  ]) {
    hash.update(JSON.stringify((await rows.execute(server.database.owner)).rows))
  }
  return hash.digest('hex')
}

it('SEC-G1 has the same result wherever the import is killed', { timeout: 300_000 }, async () => {
  const uninterrupted = await startTestServer()
  const interrupted = await startTestServer()
  try {
    expect(await importUntil(uninterrupted, Infinity)).toBe(true)
    const written = async () => {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from threat`.execute(
        interrupted.database.owner,
      )
      return rows[0]?.count ?? 0
    }
    expect(await importUntil(interrupted, 2)).toBe(false)
    expect(await written()).toBeLessThan(records)
    // Each import resumes where the previous one was killed.
    for (const batch of [2, 3, 1]) await importUntil(interrupted, batch)
    expect(await importUntil(interrupted, Infinity)).toBe(true)
    expect(await written()).toBe(records)
    expect(await digest(interrupted)).toBe(await digest(uninterrupted))
  } finally {
    await interrupted.close()
    await uninterrupted.close()
  }
})

import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { importPath } from '#packs/import.ts'
import { readInProcess } from '#packs/read-in-process.ts'
import { syncPacks } from '#packs/sync.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const log = { info() {}, warn() {}, error() {} }
const server = await sharedTestServer()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-hostile-import-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function importContent(name: string, content: string) {
  const path = join(folder, name)
  await writeFile(path, content)
  return importPath(path, { owner: server.database.owner, log, packsFolder: join(folder, 'packs') })
}

const record = (number: number, description = '') => ({
  id: `CVE-2025-${number}`,
  descriptions: [{ lang: 'en', value: description }],
})
const lines = (...records: readonly object[]) => records.map((record) => JSON.stringify(record)).join('\n')

it('SEC-E2 survives a list whose parsing exhausts memory, and keeps the previous data', async () => {
  const kev = (entries: string) => `{"catalogVersion":"2026.03.04","vulnerabilities":[${entries}]}`
  await importContent('kev.json', kev('{"cveID":"CVE-2025-10001","dateAdded":"2026-03-03"}'))
  await expect(importContent('bomb.json', kev(`${'[{}],'.repeat(12_000_000)}{}`))).rejects.toThrow(
    /^bomb\.json couldn't be read: .*The previous data is kept\.$/,
  )
  expect(await server.database.owner.selectFrom('exploitation').select('key').execute()).toHaveLength(1)
  expect((await readdir(join(folder, 'packs'))).filter((name) => name.startsWith('import-'))).toEqual([])
})

it('imports a folder whose name starts like that of the packs', async () => {
  const pack = join(folder, 'pac')
  await mkdir(pack)
  await writeFile(join(pack, 'records.jsonl'), lines(record(25_001)))
  const options = { owner: server.database.owner, log, packsFolder: join(folder, 'packs') }
  expect(await importPath(pack, options)).toEqual([{ pack: 'NVD', records: 1, skipped: 0 }])
})

it('skips a record that is too large and keeps its neighbors', async () => {
  const content = lines(record(20_001), record(20_002, 'x'.repeat(9 * 1024 * 1024)), record(20_003))
  expect(await importContent('large.jsonl', content)).toEqual([{ pack: 'NVD', records: 2, skipped: 1 }])
})

it('SEC-E2 a template that expands to gigabytes is rejected without affecting others', async () => {
  const levels = Array.from({ length: 12 }, (_, level) => `a${level}: &a${level} [${`*a${level - 1},`.repeat(9)}]`)
  const bomb = `id: bomb\ninfo: { name: bomb, severity: low }\na-1: &a-1 [x]\n${levels.join('\n')}\nhttp: [{ path: ["{{BaseURL}}/"] }]\n`
  const good = `id: good\ninfo: { name: good, severity: low }\nhttp: [{ path: ["{{BaseURL}}/"], matchers: [{ type: status, status: [200] }] }]\n`
  const pack = join(folder, 'pack')
  await mkdir(pack)
  await writeFile(join(pack, 'bomb.yaml'), bomb)
  await writeFile(join(pack, 'good.yaml'), good)
  const packs = { checks: [pack], fingerprints: [], threats: [], distributions: [], lifecycles: [] }
  await syncPacks(server.database.owner, packs, log)
  const rows = server.database.owner.selectFrom('pack').selectAll().where('name', '=', 'Checks and fingerprints')
  expect(await rows.executeTakeFirst()).toMatchObject({ skipped: 1, state: 'STATE_READY' })
})

it('stops reading when the records cannot be written', async () => {
  const path = join(folder, 'many.jsonl')
  await writeFile(path, lines(...Array.from({ length: 5000 }, (_, number) => record(30_000 + number))))
  let received = 0
  const reading = readInProcess(
    { kind: 'records', files: [path], format: 'nvd' },
    { readable: [path], writable: [] },
    {
      signal: new AbortController().signal,
      receive: async () => {
        if (++received === 3) throw new Error('disk full')
      },
    },
  )
  await expect(reading).rejects.toThrow('disk full')
  expect(received).toBe(3)
})

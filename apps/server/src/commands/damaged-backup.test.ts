/** Backups whose archive is intact but whose contents are not: nothing in them is trusted. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { backup, restore } from './backup.ts'
import { partsOf } from '#backups/archive.ts'
import { tablesOf } from '#database/backup/tables.ts'
import { connect } from '#database/backup/client.ts'
import { type TestDatabase, testDatabase } from '#testing/database.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()
let folder: string
let empty: TestDatabase
const parts: { name: string; content: string }[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-backup-'))
  await server.createWorkspace()
  const file = join(folder, 'glacis.backup')
  await backup([file], contextOf(server.url))
  for await (const { name, bytes } of partsOf(file, undefined)) parts.push({ name, content: await text(bytes) })
})
afterAll(() => rm(folder, { recursive: true, force: true }))
beforeEach(async () => {
  empty = await testDatabase()
  return () => empty.drop()
})

function contextOf(url: string) {
  return { environment: { DATABASE_URL: url, GLACIS_DATA: join(folder, 'data') }, root: folder }
}

type Json = Record<string, unknown>
const isWorkspaces = (name: string) => name.startsWith('tables/public.workspace/')

it.each<[string, (name: string) => boolean, (content: string) => unknown]>([
  ['a manifest that is not JSON', isManifest, () => '{"format":1'],
  ['a manifest without tables', isManifest, (content) => ({ ...parse(content), tables: null })],
  [
    'a manifest with statements as names',
    isManifest,
    (content) => ({ ...parse(content), tables: [{ name: 'pg_class; create table public.added ()', columns: [] }] }),
  ],
  ['an end that is not JSON', isEnd, () => 'null'],
  ['an end without rows', isEnd, (content) => ({ ...parse(content), rows: null })],
  [
    'an unknown sequence',
    isEnd,
    (content) => ({ ...parse(content), sequences: [{ name: 'x', last: '1', isCalled: true }] }),
  ],
  ['rows with missing columns', isWorkspaces, () => 'a\n'],
  ['rows with invalid values', isWorkspaces, (content) => content.replaceAll(/-[0-9a-f]{4}-/g, '-zzzz-')],
])('restores nothing from a backup with %s', async (_, isChanged, change) => {
  const file = join(folder, 'changed.backup')
  const archive = pack()
  let changes = 0
  for (const { name, content } of parts) {
    const changed = isChanged(name) ? change(content) : content
    if (changed !== content) changes++
    archive.entry({ name }, typeof changed === 'string' ? changed : JSON.stringify(changed))
  }
  archive.finalize()
  await writeFile(file, zstdCompressSync(await buffer(archive)))
  expect(changes).toBe(1)
  const error = await restore([file], contextOf(empty.url)).catch((cause: unknown) => cause)
  expect(String(error)).toMatch(/^CliError: .*(?:not a backup|corrupted)/)
  expect(await addedRows()).toBe(0)
})

function isManifest(name: string): boolean {
  return name === 'manifest.json'
}

function isEnd(name: string): boolean {
  return name === 'end.json'
}

function parse(content: string): Json {
  return JSON.parse(content) as Json // written by dump.ts
}

/** Accounts in the database, and tables that a manifest has created. */
async function addedRows(): Promise<number> {
  const client = await connect(empty.url)
  try {
    const names = (await tablesOf(client)).map(({ name }) => name)
    if (!names.includes('public.workspace')) return 0
    const { rowCount } = await client.query('select from public.workspace')
    return (rowCount ?? 0) + Number(names.includes('public.added'))
  } finally {
    await client.end()
  }
}

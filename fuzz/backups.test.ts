/** Backup files: a damaged or forged one is rejected with a reason, before anything in it is used. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, it } from 'vitest'
import { partsOf } from '../apps/server/src/backups/archive.ts'
import { explained } from '../apps/server/src/backups/restore.ts'
import { CliError } from '../apps/server/src/cli-error.ts'
import { readEnd, readManifest } from '../apps/server/src/database/backup/descriptions.ts'
import { holds } from './bounds.ts'
import { mutated } from './mutate.ts'

/** A constant, so that a seed repeats a run. */
const mtime = new Date(0)
const manifest = JSON.stringify({
  format: 1,
  release: '0.1.0',
  createTime: '2026-11-25T04:00:00.000Z',
  migrations: ['0001-baseline'],
  queueVersion: 27,
  tables: [{ name: 'public.tag', columns: ['account_id', 'id', '"name"'] }],
})
const end = JSON.stringify({
  rows: { 'public.tag': 1 },
  sequences: [{ name: 'public.event_id_seq', last: '7', isCalled: true }],
})

/** @returns false for a documented rejection */
async function accepts(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (explained(error, 'a.backup') instanceof CliError) return false
    throw error
  }
}

it.each([
  ['manifests', manifest, readManifest],
  ['ends', end, readEnd],
])('%s of backups', (_, sample, read) =>
  holds(mutated([sample]), (text) => accepts(() => read(Readable.from([Buffer.from(text)])))),
)

let folder = ''
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'glacis-fuzz-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The archive itself may be damaged, or only its compressed form. */
it.each([
  ['archives', (archive: Buffer) => zstdCompressSync(archive)],
  ['files', (file: Buffer) => file],
])('%s of backups', async (name, written) => {
  const archive = pack()
  archive.entry({ name: 'manifest.json', mtime }, manifest)
  archive.entry({ name: 'tables/public.tag/000001.copy', mtime }, '1\t2\ta\n')
  archive.entry({ name: 'end.json', mtime }, end)
  archive.finalize()
  const tar = await buffer(archive)
  const sample = name === 'files' ? zstdCompressSync(tar) : tar
  const path = join(folder, name)
  await holds(
    mutated([sample.toString('latin1')]),
    async (text) => {
      await writeFile(path, written(Buffer.from(text, 'latin1')))
      return accepts(async () => {
        for await (const { bytes } of partsOf(path, undefined)) for await (const chunk of bytes) void chunk
      })
    },
    { sliceRuns: 100, share: 0.125 },
  )
})

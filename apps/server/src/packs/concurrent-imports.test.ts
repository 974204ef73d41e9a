import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '#database/index.ts'
import { importPath } from '#packs/import.ts'
import { nextChanges } from '#packs/changes.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const records = 500
const revisions = 8
const log = { info() {}, warn() {}, error() {} }
const server = await sharedTestServer()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-side-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** The same records in every batch, each time with another description. */
function revised(order: (numbers: number[]) => number[], importer: string): string {
  const numbers = order(Array.from({ length: records }, (_, number) => number))
  const all = Array.from({ length: revisions }, (_, revision) =>
    numbers.map((number) => ({
      id: `CVE-2025-${10_000 + number}`,
      lastModified: `2026-01-02T00:00:0${revision}.000`,
      descriptions: [{ lang: 'en', value: `Revision ${revision} by ${importer}.` }],
    })),
  )
  return all
    .flat()
    .map((item) => `${JSON.stringify(item)}\n`)
    .join('')
}

it('two imports can write the same threats in opposite order while changes are matched', async () => {
  const [ascending, descending] = [join(folder, 'up.jsonl'), join(folder, 'down.jsonl')]
  await writeFile(
    ascending,
    revised((numbers) => numbers, 'one'),
  )
  await writeFile(
    descending,
    revised((numbers) => numbers.toReversed(), 'another'),
  )
  const other = openDatabase(server.url, log, { app: 1, owner: 2 })
  try {
    const imports = Promise.all([
      importPath(ascending, { owner: server.database.owner, log, packsFolder: folder }),
      importPath(descending, { owner: other.owner, log, packsFolder: folder }),
    ])
    let isDone = false
    const matched = (async () => {
      while (!isDone) await (await nextChanges(server.database.owner))?.done()
    })()
    const read = await imports.finally(() => (isDone = true))
    await matched
    expect(read.flat().map((item) => item.records)).toEqual([records * revisions, records * revisions])
  } finally {
    await other.close()
  }
  const { summary } = await server.database.owner
    .selectFrom('threat')
    .select('summary')
    .where('key', '=', 'CVE-2025-10000')
    .executeTakeFirstOrThrow()
  expect(summary).toContain(`Revision ${revisions - 1}`)
})

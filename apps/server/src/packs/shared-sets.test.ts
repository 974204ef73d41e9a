import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPackArchives } from '#packs/archive.ts'
import { downloadedFolders } from '#packs/files.ts'
import { importPath } from '#packs/import.ts'
import { createSharedSets } from '#packs/shared-sets.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const log = { info() {}, warn() {}, error() {} }
const server = await sharedTestServer()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-sets-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const template = (name: string) => `
id: shared-check
info: { name: ${name}, author: a, severity: high }
http:
  - method: GET
    path: ['{{BaseURL}}/']
    matchers: [{ type: word, words: [${name}] }]
`

/** Packs of a process: starts it, which copies what others imported. */
async function startProcess(name: string) {
  const packsFolder = join(folder, name, 'packs')
  const { checks, fingerprints } = await downloadedFolders(packsFolder)
  const sets = createSharedSets(server.database.owner, packsFolder, log)
  await sets.start()
  await sets.close()
  return { packsFolder, checks, fingerprints }
}

async function importTemplate(packsFolder: string, name: string): Promise<void> {
  const source = join(folder, name)
  await mkdir(source)
  await writeFile(join(source, 'shared.yaml'), template(name))
  await importPath(source, { owner: server.database.owner, packsFolder, log })
}

it('uses a set that one process imported in all of them, even after it was replaced', async () => {
  const first = await startProcess('first')
  await importTemplate(first.packsFolder, 'before')
  const second = await startProcess('second')
  expect(await readFile(join(second.checks, 'shared.yaml'), 'utf8')).toContain('before')
  await importTemplate(second.packsFolder, 'after')
  await startProcess('first')
  expect(await readFile(join(first.checks, 'shared.yaml'), 'utf8')).toContain('after')
  // Agents may lease a job from one process and download its packs from another.
  const digests = [first, second].map(async ({ checks, fingerprints }) => {
    const folders = { checks: [checks], fingerprints: [fingerprints], threats: [], distributions: [], lifecycles: [] }
    return (await createPackArchives(folders).current()).digest
  })
  const [one, other] = await Promise.all(digests)
  expect(one).toBe(other)
})

it('publishes a set that was imported before sets were shared', async () => {
  await server.database.owner.deleteFrom('pack_set').execute()
  const upgraded = join(folder, 'upgraded', 'packs')
  const { checks } = await downloadedFolders(upgraded)
  await writeFile(join(checks, 'own.yaml'), template('own'))
  await startProcess('upgraded')
  const third = await startProcess('third')
  expect(await readFile(join(third.checks, 'own.yaml'), 'utf8')).toContain('own')
})

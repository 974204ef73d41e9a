import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPackStore } from './packs.ts'

let stateFolder: string
beforeEach(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'glacis-packs-'))
})
afterEach(() => rm(stateFolder, { recursive: true, force: true }))

const { signal } = new AbortController()
const file = (name: string, content = 'id: x') => ({ kind: 'checks', name, content })
function archive(...files: object[]) {
  const body = gzipSync(files.map((file) => JSON.stringify(file)).join('\n'))
  return { body, digest: createHash('sha256').update(body).digest('hex') }
}
/** A server that always returns this body and counts requests. */
function createStore(body: Buffer) {
  const requests = { count: 0 }
  const download = async () => {
    requests.count++
    return body
  }
  return { requests, store: createPackStore({ stateFolder, packsFolder: undefined }, { download }) }
}

it('downloads packs once, caches them, and deletes older ones', async () => {
  const old = archive(file('0/old.yaml'))
  await createStore(old.body).store.folders(old.digest, signal)
  const fresh = archive(file('0/a/fresh.yaml', 'id: fresh'))
  const { store, requests } = createStore(fresh.body)
  const [first, second] = await Promise.all([store.folders(fresh.digest, signal), store.folders(fresh.digest, signal)])
  expect(second).toEqual(first)
  expect(await readFile(join(first.checks[0] ?? '', '0/a/fresh.yaml'), 'utf8')).toBe('id: fresh')
  await createStore(fresh.body).store.folders(fresh.digest, signal)
  expect(requests.count).toBe(1)
  expect(await readdir(join(stateFolder, 'packs'))).toEqual([fresh.digest])
})

it('SEC-F3 rejects packs with another digest and retries for the next job', async () => {
  const [wanted, other] = [archive(file('0/a.yaml')), archive(file('0/b.yaml'))]
  const { store, requests } = createStore(other.body)
  await expect(store.folders(wanted.digest, signal)).rejects.toThrow('do not match their digest')
  await expect(store.folders(wanted.digest, signal)).rejects.toThrow('do not match their digest')
  expect(requests.count).toBe(2)
})

it.each(['../up.yaml', '/abs.yaml', '0/../../up.yaml', '0/.hidden', 'a\\..\\b.yaml', ''])(
  'skips a name that escapes its folder: %j',
  async (name) => {
    const { body, digest } = archive(file(name), file('0/good.yaml'))
    const folders = await createStore(body).store.folders(digest, signal)
    const entries = await readdir(stateFolder, { recursive: true, withFileTypes: true })
    expect(entries.filter((entry) => entry.isFile()).map((entry) => entry.name)).toEqual(['good.yaml'])
    expect(folders.checks).toHaveLength(1)
  },
)

it('uses the configured packs folder', async () => {
  const download = () => Promise.reject(new Error('unexpected download'))
  const store = createPackStore({ stateFolder, packsFolder: '/my' }, { download })
  expect(await store.folders('x', signal)).toEqual({
    checks: ['/my/checks'],
    fingerprints: ['/my/fingerprints'],
    cache: join(stateFolder, 'cache'),
  })
})

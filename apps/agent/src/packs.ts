/** The packs that jobs ask for: loaded from the server once per digest, checked, and kept. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { PackLine, packsPath } from '@glacis/contract/runner'
import type { Client } from './client.ts'
import type { Options } from './options.ts'

export interface PackPlaces {
  readonly checks: readonly string[]
  readonly fingerprints: readonly string[]
  /** Where what was understood of them is kept for the next job. */
  readonly cache: string
}
export interface PackStore {
  /** The folders of the packs of a digest. */
  folders(digest: string, signal: AbortSignal): Promise<PackPlaces>
}

const archiveBytesMax = 256 * 1024 * 1024
const unpackedBytesMax = 1024 * 1024 * 1024
/** Segments that stay below their folder on every system. */
const safeName = /^(?!\.)[\w@+,=~ .()-]+(\/(?!\.)[\w@+,=~ .()-]+)*$/

export function createPackStore(
  { stateFolder, packsFolder }: Pick<Options, 'stateFolder' | 'packsFolder'>,
  client: Pick<Client, 'load'>,
): PackStore {
  const loading = new Map<string, Promise<string>>()
  const ours = (folder: string) => ({
    checks: [join(folder, 'checks')],
    fingerprints: [join(folder, 'fingerprints')],
    cache: join(stateFolder, 'cache'),
  })
  return {
    async folders(digest, signal) {
      if (packsFolder !== undefined) return ours(packsFolder)
      // What an earlier process loaded is in nobody's hands; what this one did may be.
      if (loading.size === 0) await forgetOthers(join(stateFolder, 'packs'), digest)
      const started = loading.get(digest) ?? fetchPacks(stateFolder, digest, client, signal)
      loading.set(digest, started)
      // A failed attempt is no answer for the next job.
      started.catch(() => loading.delete(digest))
      return ours(await started)
    },
  }
}

async function fetchPacks(
  stateFolder: string,
  digest: string,
  client: Pick<Client, 'load'>,
  signal: AbortSignal,
): Promise<string> {
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new Error('the digest of the packs is none')
  const all = join(stateFolder, 'packs')
  const folder = join(all, digest)
  if (existsSync(folder)) return folder
  const body = await client.load(packsPath(digest), { signal, bytesMax: archiveBytesMax })
  if (createHash('sha256').update(body).digest('hex') !== digest)
    throw new Error('the packs are not those of their digest')
  await mkdir(all, { recursive: true })
  const fresh = await mkdtemp(join(all, 'new-'))
  await unpack(body, fresh)
  await rename(fresh, folder)
  return folder
}

async function unpack(body: Buffer, folder: string): Promise<void> {
  const text = (await promisify(gunzip)(body, { maxOutputLength: unpackedBytesMax })).toString('utf8')
  for (const kind of ['checks', 'fingerprints']) await mkdir(join(folder, kind), { recursive: true })
  for (const line of text.split('\n')) {
    if (line === '') continue
    const { kind, name, content } = PackLine.parse(JSON.parse(line))
    // A name that would leave the folder is left out, as the scanner leaves out a bad record.
    if (!safeName.test(name)) continue
    const path = join(folder, kind, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
}

async function forgetOthers(all: string, digest: string): Promise<void> {
  for (const name of existsSync(all) ? await readdir(all) : []) {
    if (name !== digest) await rm(join(all, name), { recursive: true, force: true })
  }
}

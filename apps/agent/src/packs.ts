/** Packs required by jobs: downloaded once per digest, verified, and cached on disk. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { PackLine, packsPath } from '@glacis/contract/runner'
import type { Client } from './client.ts'
import type { Options } from './options.ts'

export interface PackFolders {
  readonly checks: readonly string[]
  readonly fingerprints: readonly string[]
  /** Folder for parsed packs, reused by later jobs. */
  readonly cache: string
}
export interface PackStore {
  folders(digest: string, signal: AbortSignal): Promise<PackFolders>
}

const archiveBytesMax = 256 * 1024 * 1024
const unpackedBytesMax = 1024 * 1024 * 1024
/** Path segments that can't escape their folder on any operating system. */
const safeName = /^[\w@+,=~ ()-][\w@+,=~ .()-]*(\/[\w@+,=~ ()-][\w@+,=~ .()-]*)*$/

export function createPackStore(
  { stateFolder, packsFolder }: Pick<Options, 'stateFolder' | 'packsFolder'>,
  client: Pick<Client, 'download'>,
): PackStore {
  const loading = new Map<string, Promise<string>>()
  const foldersIn = (folder: string) => ({
    checks: [join(folder, 'checks')],
    fingerprints: [join(folder, 'fingerprints')],
    cache: join(stateFolder, 'cache'),
  })
  return {
    async folders(digest, signal) {
      if (packsFolder !== undefined) return foldersIn(packsFolder)
      // Packs from an earlier process are unused; packs loaded by this process may still be in use.
      if (loading.size === 0) await deleteOthers(join(stateFolder, 'packs'), digest)
      const download = loading.get(digest) ?? fetchPacks(stateFolder, digest, client, signal)
      loading.set(digest, download)
      // Don't cache a failed download.
      download.catch(() => loading.delete(digest))
      return foldersIn(await download)
    },
  }
}

async function fetchPacks(
  stateFolder: string,
  digest: string,
  client: Pick<Client, 'download'>,
  signal: AbortSignal,
): Promise<string> {
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new Error('invalid pack digest')
  const all = join(stateFolder, 'packs')
  const folder = join(all, digest)
  if (existsSync(folder)) return folder
  const body = await client.download(packsPath(digest), { signal, bytesMax: archiveBytesMax })
  if (createHash('sha256').update(body).digest('hex') !== digest) throw new Error('the packs do not match their digest')
  await mkdir(all, { recursive: true })
  const temporary = await mkdtemp(join(all, 'new-'))
  await unpack(body, temporary)
  await rename(temporary, folder)
  return folder
}

async function unpack(body: Buffer, folder: string): Promise<void> {
  const text = (await promisify(gunzip)(body, { maxOutputLength: unpackedBytesMax })).toString('utf8')
  for (const kind of ['checks', 'fingerprints']) await mkdir(join(folder, kind), { recursive: true })
  for (const line of text.split('\n')) {
    if (line === '') continue
    const { kind, name, content } = PackLine.parse(JSON.parse(line))
    // Skip names that would escape the folder, as the scanner skips invalid records.
    if (!safeName.test(name)) continue
    const path = join(folder, kind, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
}

async function deleteOthers(all: string, digest: string): Promise<void> {
  for (const name of existsSync(all) ? await readdir(all) : []) {
    if (name !== digest) await rm(join(all, name), { recursive: true, force: true })
  }
}

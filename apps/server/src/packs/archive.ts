/** Packages the packs that scans need as one file for agents: gzipped, one JSON line per file. */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { PackFolders } from '#packs/folders.ts'
import { filesBelow } from '#files-below.ts'

export interface PackArchive {
  /** SHA-256 of `body` in hexadecimal. */
  readonly digest: string
  readonly body: Buffer
}
export interface PackArchives {
  /** The archive of the current packs, rebuilt only after a file changed. */
  current(): Promise<PackArchive>
}

interface PackFile {
  readonly kind: 'checks' | 'fingerprints'
  readonly path: string
  /** Index of the root folder and path below it, with slashes. */
  readonly name: string
  readonly stamp: string
}

/** Minimum time between checks for changed files. */
const checkIntervalMs = 10_000

export function createPackArchives({ checks, fingerprints }: PackFolders): PackArchives {
  let checkedAt = -Infinity
  let signature = ''
  let archive: Promise<PackArchive> | undefined
  async function refresh(): Promise<void> {
    const files = [...(await filesOf('checks', checks)), ...(await filesOf('fingerprints', fingerprints))]
    const newSignature = files.map((file) => file.stamp).join('\n')
    checkedAt = performance.now()
    if (archive && newSignature === signature) return
    signature = newSignature
    archive = pack(files)
  }
  return {
    async current() {
      if (!archive || performance.now() - checkedAt > checkIntervalMs) await refresh()
      if (!archive) throw new Error('no archive after a refresh')
      return archive
    },
  }
}

async function pack(files: readonly PackFile[]): Promise<PackArchive> {
  const lines: string[] = []
  for (const { kind, path, name } of files) {
    lines.push(JSON.stringify({ kind, name, content: await readFile(path, 'utf8') }))
  }
  const body = await promisify(gzip)(lines.join('\n'))
  return { digest: createHash('sha256').update(body).digest('hex'), body }
}

/** Prefixes names with the index of their root, so that files of different roots can't collide. */
async function filesOf(kind: PackFile['kind'], roots: readonly string[]): Promise<PackFile[]> {
  const files: PackFile[] = []
  for (const [index, root] of roots.entries()) {
    const isFile = (await stat(root)).isFile()
    for (const path of isFile ? [root] : await filesBelow(root)) {
      const name = isFile ? (root.split(/[/\\]/).at(-1) ?? '') : relative(root, path).replaceAll('\\', '/')
      const { size, mtimeMs } = await stat(path)
      files.push({ kind, path, name: `${index}/${name}`, stamp: `${path}\0${size}\0${mtimeMs}` })
    }
  }
  return files
}

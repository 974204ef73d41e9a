/** The packs that scans need, as one file for agents: gzip over one JSON line per file. */
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { PackFolders } from '#packs/folders.ts'

export interface PackArchive {
  /** SHA-256 of `body`, in hexadecimal. */
  readonly digest: string
  readonly body: Buffer
}
export interface PackArchives {
  /** The archive of the packs as they are now; made anew only when a file has changed. */
  current(): Promise<PackArchive>
}

interface PackFile {
  readonly kind: 'checks' | 'fingerprints'
  readonly path: string
  /** Below which folder it stands and where there, with slashes. */
  readonly name: string
  readonly stamp: string
}

/** How long the files are taken to be unchanged, in milliseconds. */
const rememberMs = 10_000

export function createPackArchives({ checks, fingerprints }: PackFolders): PackArchives {
  let lookedAt = -Infinity
  let signature = ''
  let archive: Promise<PackArchive> | undefined
  async function renew(): Promise<void> {
    const files = [...(await filesOf('checks', checks)), ...(await filesOf('fingerprints', fingerprints))]
    const now = files.map((file) => file.stamp).join('\n')
    lookedAt = performance.now()
    if (archive && now === signature) return
    signature = now
    archive = pack(files)
  }
  return {
    async current() {
      if (!archive || performance.now() - lookedAt > rememberMs) await renew()
      if (!archive) throw new Error('renew makes one')
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

/** Each root gets a folder of its own, so that files of the same name do not meet. */
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

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

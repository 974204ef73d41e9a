/** Collects templates and fingerprints of an import. Runs in the process of `read-child.ts`. */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PackedFile } from '@glacis/intelligence'
import { loadPacks } from '@glacis/scanner'
import type { PackSet, SetKind } from '#packs/read-in-process.ts'

const fileBytesMax = 2 * 1024 * 1024
/**
 * Excludes templates that need a browser, run code, or inspect files and cloud accounts, because a remote scan can't
 * use them.
 */
const usableTemplates =
  /(?:^|\/)(?:http|network|tcp|ssl|dns|javascript|helpers|custom|checks|cves|vulnerabilities|exposures|misconfiguration|default-logins|technologies)\//

export interface FileSink {
  /** Adds a file to the set, and ignores files that don't belong to it. */
  add(file: PackedFile): Promise<void>
  /**
   * Parses the set.
   *
   * @throws if it contains nothing that the scanner can use
   */
  finish(cache: string): Promise<PackSet>
}

/** Collects a new set below the scratch folder. */
export async function createFileSink(scratch: string, kind: SetKind): Promise<FileSink> {
  const folder = join(scratch, kind)
  await mkdir(folder)
  return {
    async add(file) {
      const name = safeName(file.name)
      const isUsable = name !== null && (kind === 'fingerprints' || !name.includes('/') || usableTemplates.test(name))
      if (!isUsable) return void file.bytes.resume()
      await write(join(folder, name), file)
    },
    async finish(cache) {
      const { checks, counts, problems } = await loadPacks({
        ...(kind === 'template' ? { checks: [folder], fingerprints: [] } : { checks: [], fingerprints: [folder] }),
        // Fills the cache for the first scan.
        cache,
      })
      if (counts.checks + counts.fingerprints === 0) throw new Error('It contains nothing the scanner can use.')
      return { kind, folder, checks, counts, problems }
    },
  }
}

/** A relative path that stays in the folder; null for unsafe names in an archive. */
function safeName(name: string): string | null {
  const parts = name
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  const isSafe =
    !/^[a-z]:|^\//i.test(name) && parts.every((part) => part !== '..' && !part.includes('\0') && part.length < 200)
  return isSafe && parts.length > 0 && parts.length < 20 ? parts.join('/') : null
}

async function write(path: string, file: PackedFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  let bytes = 0
  const sizeLimit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      done(bytes > fileBytesMax ? new Error(`${file.name} exceeds the size limit for templates.`) : null, chunk)
    },
  })
  await pipeline(file.bytes, sizeLimit, createWriteStream(path))
}

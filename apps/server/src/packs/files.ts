/**
 * Downloaded templates and fingerprints: files in the data folder that the scanner reads, always replaced as a
 * complete set.
 */
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PackedFile } from '@glacis/intelligence'
import { loadPacks } from '@glacis/scanner'
import type { Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { distinct, fromCheck } from '#packs/drafts.ts'
import { upsertThreats } from '#threats/index.ts'
import type { Kysely } from 'kysely'

type Kind = 'template' | 'fingerprints'
/** Folder names below the packs folder. */
const folderOf = { template: 'templates', fingerprints: 'fingerprints' } as const
const fileBytesMax = 2 * 1024 * 1024
/**
 * Excludes templates that need a browser, run code, or inspect files and cloud accounts, because a remote scan can't
 * use them.
 */
const usableTemplates =
  /(?:^|\/)(?:http|network|tcp|ssl|dns|javascript|helpers|custom|checks|cves|vulnerabilities|exposures|misconfiguration|default-logins|technologies)\//

export interface FileSink {
  /** Adds a file to the set. Returns false for files that don't belong to it. */
  add(file: PackedFile): Promise<boolean>
  /** Replaces the previous set and returns the counts of the new one. */
  finish(owner: Kysely<Tables>, log: Log): Promise<{ records: number; skipped: number }>
  abandon(): Promise<void>
}

/** The folders of downloaded packs, created if missing so that every scan can read them. */
export async function downloadedFolders(packsFolder: string): Promise<{ checks: string; fingerprints: string }> {
  const [checks, fingerprints] = [join(packsFolder, folderOf.template), join(packsFolder, folderOf.fingerprints)]
  await mkdir(checks, { recursive: true })
  await mkdir(fingerprints, { recursive: true })
  return { checks, fingerprints }
}

/** The folder with the parsed form of large packs. */
export function cacheFolderOf(packsFolder: string): string {
  return join(dirname(packsFolder), 'cache')
}

/** Collects a new set in a temporary folder, so that scans use the previous set until it is complete. */
export async function fileSink(packsFolder: string, kind: Kind): Promise<FileSink> {
  const folder = join(packsFolder, folderOf[kind])
  const draft = `${folder}.new`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  return {
    async add(file) {
      const name = safeName(file.name)
      const isUsable = name !== null && (kind === 'fingerprints' || !name.includes('/') || usableTemplates.test(name))
      if (!isUsable) {
        file.bytes.resume()
        return false
      }
      await write(join(draft, name), file)
      return true
    },
    async finish(owner, log) {
      const packs = await loadPacks({
        ...(kind === 'template' ? { checks: [draft], fingerprints: [] } : { checks: [], fingerprints: [draft] }),
        // Fills the cache for the first scan.
        cache: cacheFolderOf(packsFolder),
      })
      if (packs.counts.checks + packs.counts.fingerprints === 0)
        throw new Error('It contains nothing the scanner can use.')
      await upsertThreats(owner, distinct(packs.checks.map(fromCheck)))
      await replaceFolder(folder, draft)
      log.info({ folder, ...packs.counts, rejected: packs.problems.length }, 'pack files replaced')
      return { records: packs.counts.checks + packs.counts.fingerprints, skipped: packs.problems.length }
    },
    abandon: () => rm(draft, { recursive: true, force: true }),
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

async function replaceFolder(folder: string, draft: string): Promise<void> {
  const old = `${folder}.old`
  await rm(old, { recursive: true, force: true })
  await rename(folder, old).catch(() => undefined)
  await rename(draft, folder)
  await rm(old, { recursive: true, force: true })
}

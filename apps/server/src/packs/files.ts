/** Templates and fingerprints: files that the scanner reads. They are kept in the data folder, whole sets at a time. */
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
/** Below the folder of packs. */
const folderOf = { template: 'templates', fingerprints: 'fingerprints' } as const
const fileBytesMax = 2 * 1024 * 1024
/** Templates that need a browser, run code, or look at files and clouds are no business of a scan from outside. */
const wantedTemplates =
  /(?:^|\/)(?:http|network|tcp|ssl|dns|javascript|helpers|custom|checks|cves|vulnerabilities|exposures|misconfiguration|default-logins|technologies)\//

export interface FileSink {
  /** Keeps a file of the set; false where it does not belong in it. */
  keep(file: PackedFile): Promise<boolean>
  /** Puts the new set in the place of the old one and answers what it holds. */
  finish(owner: Kysely<Tables>, log: Log): Promise<{ records: number; skipped: number }>
  abandon(): Promise<void>
}

/** The folders in which downloaded packs are kept, made if need be, so that every scan can read them. */
export async function keptFolders(packsFolder: string): Promise<{ checks: string; fingerprints: string }> {
  const [checks, fingerprints] = [join(packsFolder, folderOf.template), join(packsFolder, folderOf.fingerprints)]
  await mkdir(checks, { recursive: true })
  await mkdir(fingerprints, { recursive: true })
  return { checks, fingerprints }
}

/** Where what was understood of large packs is kept, beside the folder of packs. */
export function cacheOf(packsFolder: string): string {
  return join(dirname(packsFolder), 'cache')
}

/** Collects the files of a set aside, so that scans read the old one until the new one is whole. */
export async function fileSink(packsFolder: string, kind: Kind): Promise<FileSink> {
  const folder = join(packsFolder, folderOf[kind])
  const draft = `${folder}.new`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  return {
    async keep(file) {
      const name = safeName(file.name)
      const isWanted = name !== null && (kind === 'fingerprints' || !name.includes('/') || wantedTemplates.test(name))
      if (!isWanted) {
        file.bytes.resume()
        return false
      }
      await write(join(draft, name), file)
      return true
    },
    async finish(owner, log) {
      const packs = await loadPacks({
        ...(kind === 'template' ? { checks: [draft], fingerprints: [] } : { checks: [], fingerprints: [draft] }),
        // What is understood now is at hand for the first scan, which finds the same files in their place.
        cache: cacheOf(packsFolder),
      })
      if (packs.counts.checks + packs.counts.fingerprints === 0)
        throw new Error('It contains nothing the scanner can use.')
      await upsertThreats(owner, distinct(packs.checks.map(fromCheck)))
      await replaceFolder(folder, draft)
      log.info({ folder, ...packs.counts, refused: packs.problems.length }, 'pack files replaced')
      return { records: packs.counts.checks + packs.counts.fingerprints, skipped: packs.problems.length }
    },
    abandon: () => rm(draft, { recursive: true, force: true }),
  }
}

/** A name that stays below the folder; archives may hold anything. */
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
  const bound = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      done(bytes > fileBytesMax ? new Error(`${file.name} exceeds the size limit for templates.`) : null, chunk)
    },
  })
  await pipeline(file.bytes, bound, createWriteStream(path))
}

async function replaceFolder(folder: string, draft: string): Promise<void> {
  const old = `${folder}.old`
  await rm(old, { recursive: true, force: true })
  await rename(folder, old).catch(() => undefined)
  await rename(draft, folder)
  await rm(old, { recursive: true, force: true })
}

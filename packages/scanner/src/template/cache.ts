/**
 * Disk cache for parsed templates, keyed by a digest of their files, which avoids parsing ten
 * thousand YAML documents at startup. The facts used to plan scans come first and are read eagerly;
 * metadata and blocks are parsed on first use.
 */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RejectedTemplate, TemplateFacts } from '#template/template.ts'

/** Cache format version; change it whenever the meaning of cached data changes. */
const FORMAT = 8
/** Number of digests to keep; older entries are removed. */
const ENTRIES_MAX = 8

/** A template's facts, its file relative to the folder, and the remaining data as JSON. */
export interface CachedTemplate {
  readonly facts: TemplateFacts
  readonly info: () => string
  readonly document: () => string
}
export interface CacheEntry {
  readonly templates: readonly CachedTemplate[]
  readonly rejected: readonly RejectedTemplate[]
}

/** First line of the cache file, as JSON. The texts of all templates follow without separators. */
interface Index {
  readonly facts: readonly TemplateFacts[]
  /** Byte lengths of each template's info and document. */
  readonly sizes: readonly (readonly [number, number])[]
  readonly rejected: readonly RejectedTemplate[]
}

/**
 * Depends on the name, size, and modification time of each file, but not on the folder's location,
 * so that a moved pack still matches. Synchronous calls are ten times faster than asynchronous ones
 * for ten thousand files.
 *
 * @param files paths that start with `folder`
 */
export function digestOf(folder: string, files: readonly string[]): string {
  const lines = files.map((file) => {
    const { size, mtimeMs, ino } = statSync(file)
    return `${file.slice(folder.length)}\0${size}\0${mtimeMs}\0${ino}\n`
  })
  return createHash('sha256').update(`${FORMAT}\n`).update(lines.join('')).digest('hex').slice(0, 32)
}

/** @returns undefined when there is no readable entry for the digest */
export async function readCache(folder: string, digest: string): Promise<CacheEntry | undefined> {
  try {
    const bytes = await readFile(fileOf(folder, digest))
    const end = bytes.indexOf('\n')
    const index: Index = JSON.parse(bytes.toString('utf8', 0, end)) // written by `writeCache` in the format that the digest identifies
    return { templates: [...readTemplates(index, bytes.subarray(end + 1))], rejected: index.rejected }
  } catch {
    // Missing or truncated: parse the templates again.
    return undefined
  }
}

/** @throws when texts are missing */
function* readTemplates({ facts, sizes }: Index, texts: Buffer): Iterable<CachedTemplate> {
  let at = 0
  for (const [place, fact] of facts.entries()) {
    const [info = 0, document = 0] = sizes[place] ?? []
    const from = at
    const middle = from + info
    const end = middle + document
    at = end
    yield {
      facts: fact,
      info: () => texts.toString('utf8', from, middle),
      document: () => texts.toString('utf8', middle, end),
    }
  }
  if (at !== texts.length) throw new Error('the file is incomplete')
}

/** Writes the entry atomically. If the folder isn't writable, the next start is just slower. */
export async function writeCache(folder: string, digest: string, entry: CacheEntry): Promise<void> {
  const file = fileOf(folder, digest)
  const temporaryFile = `${file}.${process.pid}`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(temporaryFile, serialize(entry), { mode: 0o600 })
    await rename(temporaryFile, file)
    await pruneOldEntries(folder)
  } catch {
    await rm(temporaryFile, { force: true }).catch(() => undefined)
  }
}

function serialize({ templates, rejected }: CacheEntry): Buffer {
  const texts = templates.map(({ info, document }) => [Buffer.from(info()), Buffer.from(document())] as const)
  const facts = templates.map((template) => template.facts)
  const index: Index = { facts, sizes: texts.map(([info, document]) => [info.length, document.length]), rejected }
  return Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...texts.flat()])
}

async function pruneOldEntries(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^checks-[\da-f]{32}\.(?:json|kept)$/.test(name))
  const aged = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })))
  const old = aged.toSorted((left, right) => right.at - left.at).slice(ENTRIES_MAX)
  for (const { name } of old) await rm(join(folder, name), { force: true })
}

function fileOf(folder: string, digest: string): string {
  return join(folder, `checks-${digest}.kept`)
}

/** From a file or a folder in any of the public formats into the database. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { ZodError } from 'zod'
import {
  CutOff,
  type Format,
  headLength,
  type Item,
  type PackedFile,
  readFeed,
  recognise,
  type RecordSource,
  unpack,
} from '@glacis/intelligence'
import { createReading, type Imported, type Reading, type ReadingOptions } from '#packs/reading.ts'
import { cursorOf } from '#packs/state.ts'

export interface ImportOptions extends ReadingOptions {
  /** Whose records files in NVD's form are. */
  readonly source?: RecordSource
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads a file, an archive or a folder: what each file is, its content tells. First everything is
 * looked through, so that what is cut off or no feed at all changes nothing. Records are then written
 * in transactions, each with how far it came: an import that was interrupted goes on there, and what
 * is read again changes nothing. Lists such as KEV are replaced in one transaction.
 *
 * @returns what was read, by pack
 * @throws errors whose message is a sentence for people, when nothing or not everything could be read
 */
export async function importPath(path: string, options: ImportOptions): Promise<Imported[]> {
  await proveWhole(path)
  const digest = await digestOf(path)
  const reading = createReading(digest, await cursorOf(options.owner, digest), options)
  try {
    for await (const file of unpack(path)) await readFile(file, reading, options)
    return await reading.finish()
  } catch (error) {
    await reading.abandon()
    throw error
  }
}

async function readFile(file: PackedFile, reading: Reading, { source, signal }: ImportOptions): Promise<void> {
  const { head, chunks } = await withHead(file)
  const format = recognise(file.name, head)
  if (format === 'template' || format === 'fingerprints')
    return reading.keep(format, { ...file, bytes: Readable.from(chunks) })
  if (format === null) {
    for await (const _ of chunks) signal?.throwIfAborted()
    return
  }
  reading.begin(format, versionOf(format, head))
  for await (const item of itemsOf(format, file.name, chunks, source)) {
    signal?.throwIfAborted()
    await reading.add(format, item)
  }
}

/** As `readFeed`; a document of another shape is a sentence, and not the schema's list of complaints. */
async function* itemsOf(
  format: Format,
  file: string,
  chunks: AsyncIterable<string>,
  source: RecordSource | undefined,
): AsyncGenerator<Item> {
  try {
    yield* readFeed(format, chunks, { file, ...(source && { source }) })
  } catch (cause) {
    if (!(cause instanceof ZodError)) throw cause
    throw new Error(`${file} has an unexpected structure; the feed format may have changed.`, { cause })
  }
}

/** What a feed calls its own state, where it does; such words sort by time. */
function versionOf(format: Format, head: string): string {
  const patterns: Partial<Record<Format, RegExp>> = {
    kev: /"catalogVersion"\s*:\s*"(\d{4}\.\d\d\.\d\d)"/,
    epss: /score_date:(\d{4}-\d\d-\d\d)/,
    lifecycle: /"generated_at"\s*:\s*"(\d{4}-\d\d-\d\d)/,
    nvd: /"timestamp"\s*:\s*"(\d{4}-\d\d-\d\d)/,
  }
  return patterns[format]?.exec(head)?.[1] ?? ''
}

/** The beginning of a file, and all of it as text. */
async function withHead(file: PackedFile): Promise<{ head: string; chunks: AsyncIterable<string> }> {
  file.bytes.setEncoding('utf8')
  const iterator: AsyncIterator<string> = file.bytes[Symbol.asyncIterator]()
  const begun: string[] = []
  let head = ''
  let isOver = false
  while (head.length < headLength && !isOver) {
    const next = await iterator.next()
    isOver = next.done === true
    if (!next.done) {
      begun.push(next.value)
      head += next.value
    }
  }
  async function* all() {
    yield* begun
    while (!isOver) {
      const next = await iterator.next()
      if (next.done) return
      yield next.value
    }
  }
  return { head, chunks: all() }
}

const tailLength = 4096

/**
 * Looks a file through without reading its records: it unpacks to its end, ends as it should, and
 * holds something that is known.
 *
 * @throws CutOff, and plain errors that say what it is instead
 */
async function proveWhole(path: string): Promise<void> {
  let isKnown = false
  let isPage = false
  try {
    for await (const file of unpack(path)) {
      const { head, chunks } = await withHead(file)
      const format = recognise(file.name, head)
      isKnown ||= format !== null
      isPage ||= /^\s*<(?:!doctype html|html)/i.test(head)
      let tail = ''
      for await (const chunk of chunks) tail = (tail + chunk).slice(-tailLength)
      if (format !== null && /^\s*[[{]/.test(head) && !/[}\]]\s*$/.test(tail))
        throw new CutOff(`${file.name} is truncated. Download it again.`)
    }
  } catch (cause) {
    if (cause instanceof CutOff) throw cause
    const words = cause instanceof Error ? cause.message : String(cause)
    const isCut = /unexpected end|truncat|Unexpected end of data/i.test(words)
    throw new CutOff(
      isCut
        ? `${basename(path)} is truncated. Download it again.`
        : `${basename(path)} could not be decompressed: ${words}.`,
      { cause },
    )
  }
  if (isKnown) return
  throw new Error(
    isPage ? `${basename(path)} is a web page, not a feed.` : `${basename(path)} contains no known feed format.`,
  )
}

/** Of all bytes of a file; of a folder, of the names, sizes and times of its files. */
async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  if (!(await stat(path)).isDirectory()) {
    for await (const chunk of createReadStream(path)) hash.update(chunk)
    return hash.digest('base64url')
  }
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const file of files.toSorted()) {
    const { size, mtimeMs } = await stat(file)
    hash.update(`${file}\0${size}\0${mtimeMs}\n`)
  }
  return hash.digest('base64url')
}

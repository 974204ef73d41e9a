/** Imports a file or folder in any of the public formats into the database. */
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
  recognizeFormat,
  type RecordSource,
  unpack,
} from '@glacis/intelligence'
import {
  createImportSession,
  type Imported,
  type ImportSession,
  type ImportSessionOptions,
} from '#packs/import-session.ts'
import { cursorOf } from '#packs/state.ts'

export interface ImportOptions extends ImportSessionOptions {
  /** The source of records in NVD's format. */
  readonly source?: RecordSource
  readonly signal?: AbortSignal | undefined
}

/**
 * Imports a file, an archive or a folder. Formats are detected by content. The input is validated first, so that
 * truncated or unknown files change nothing. Records are written in transactions that include the position, so an
 * interrupted import resumes there; importing the same content again changes nothing. Complete lists such as KEV are
 * replaced in one transaction.
 *
 * @returns the counts per pack
 * @throws errors with a message for users if anything couldn't be imported
 */
export async function importPath(path: string, options: ImportOptions): Promise<Imported[]> {
  await validate(path)
  const digest = await digestOf(path)
  const reading = createImportSession(digest, await cursorOf(options.owner, digest), options)
  try {
    for await (const file of unpack(path)) await readFile(file, reading, options)
    return await reading.finish()
  } catch (error) {
    await reading.abandon()
    throw error
  }
}

async function readFile(file: PackedFile, reading: ImportSession, { source, signal }: ImportOptions): Promise<void> {
  const { head, chunks } = await readHead(file)
  const format = recognizeFormat(file.name, head)
  if (format === 'template' || format === 'fingerprints')
    return reading.addFile(format, { ...file, bytes: Readable.from(chunks) })
  if (format === null) {
    for await (const _ of chunks) signal?.throwIfAborted()
    return
  }
  reading.startFile(format, versionOf(format, head))
  for await (const item of itemsOf(format, file.name, chunks, source)) {
    signal?.throwIfAborted()
    await reading.add(format, item)
  }
}

/** Like `readFeed`, but reports an unexpected structure as one message instead of the schema's list of errors. */
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

/** The version that a feed states, if any. Versions sort by time. */
function versionOf(format: Format, head: string): string {
  const patterns: Partial<Record<Format, RegExp>> = {
    kev: /"catalogVersion"\s*:\s*"(\d{4}\.\d\d\.\d\d)"/,
    epss: /score_date:(\d{4}-\d\d-\d\d)/,
    lifecycle: /"generated_at"\s*:\s*"(\d{4}-\d\d-\d\d)/,
    nvd: /"timestamp"\s*:\s*"(\d{4}-\d\d-\d\d)/,
  }
  return patterns[format]?.exec(head)?.[1] ?? ''
}

/** The start of a file for format detection, and its complete content. */
async function readHead(file: PackedFile): Promise<{ head: string; chunks: AsyncIterable<string> }> {
  file.bytes.setEncoding('utf8')
  const iterator: AsyncIterator<string> = file.bytes[Symbol.asyncIterator]()
  const buffered: string[] = []
  let head = ''
  let isDone = false
  while (head.length < headLength && !isDone) {
    const next = await iterator.next()
    isDone = next.done === true
    if (!next.done) {
      buffered.push(next.value)
      head += next.value
    }
  }
  async function* all() {
    yield* buffered
    while (!isDone) {
      const next = await iterator.next()
      if (next.done) return
      yield next.value
    }
  }
  return { head, chunks: all() }
}

const tailLength = 4096

/**
 * Reads a file completely without parsing records: it must decompress, be complete, and contain a known format.
 *
 * @throws CutOff if it is truncated; Error with a description of what it is instead
 */
async function validate(path: string): Promise<void> {
  let hasKnownFormat = false
  let isWebPage = false
  try {
    for await (const file of unpack(path)) {
      const { head, chunks } = await readHead(file)
      const format = recognizeFormat(file.name, head)
      hasKnownFormat ||= format !== null
      isWebPage ||= /^\s*<(?:!doctype html|html)/i.test(head)
      let tail = ''
      for await (const chunk of chunks) tail = (tail + chunk).slice(-tailLength)
      if (format !== null && /^\s*[[{]/.test(head) && !/[}\]]\s*$/.test(tail))
        throw new CutOff(`${file.name} is truncated. Download it again.`)
    }
  } catch (cause) {
    if (cause instanceof CutOff) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    const isTruncated = /unexpected end|truncat|Unexpected end of data/i.test(message)
    throw new CutOff(
      isTruncated
        ? `${basename(path)} is truncated. Download it again.`
        : `${basename(path)} could not be decompressed: ${message}.`,
      { cause },
    )
  }
  if (hasKnownFormat) return
  throw new Error(
    isWebPage ? `${basename(path)} is a web page, not a feed.` : `${basename(path)} contains no known feed format.`,
  )
}

/** Digest of a file's content, or of the names, sizes and times of a folder's files. */
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

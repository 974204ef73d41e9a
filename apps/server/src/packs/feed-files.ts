/** Reads files of feeds in any of the public formats. Runs in the process of `read-child.ts`. */
import { basename } from 'node:path'
import { ZodError } from 'zod'
import {
  TruncatedFile,
  type Format,
  headLength,
  type Item,
  type PackedFile,
  readFeed,
  recognizeFormat,
  type RecordSource,
  unpack,
} from '@glacis/intelligence'

/** Like `readFeed`, but reports an unexpected structure as one message instead of the schema's list of errors. */
export async function* itemsOf(
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
export function versionOf(format: Format, head: string): string {
  const patterns: Partial<Record<Format, RegExp>> = {
    kev: /"catalogVersion"\s*:\s*"(\d{4}\.\d\d\.\d\d)"/,
    epss: /score_date:(\d{4}-\d\d-\d\d)/,
    lifecycle: /"generated_at"\s*:\s*"(\d{4}-\d\d-\d\d)/,
    nvd: /"timestamp"\s*:\s*"(\d{4}-\d\d-\d\d)/,
  }
  return patterns[format]?.exec(head)?.[1] ?? ''
}

/** The start of a file for format detection, and its complete content. */
export async function readHead(file: PackedFile): Promise<{ head: string; chunks: AsyncIterable<string> }> {
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
 * @throws TruncatedFile if it is truncated; Error with a description of what it is instead
 */
export async function validateFeeds(path: string): Promise<void> {
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
        throw new TruncatedFile(`${file.name} is truncated. Download it again.`)
    }
  } catch (cause) {
    if (cause instanceof TruncatedFile) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    const isTruncated = /unexpected end|truncat|Unexpected end of data/i.test(message)
    throw new TruncatedFile(
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

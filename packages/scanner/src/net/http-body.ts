/**
 * Reads a response body from a stranger: one layer of compression is undone while it streams, and
 * what is kept is counted after that, so that a few kilobytes cannot become gigabytes here.
 */
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

/** A body may be this many times larger than what crossed the wire before it is taken for a bomb. */
const RATIO_MAX = 100
/** Small bodies compress extremely well without meaning harm; the ratio counts from here on. */
const RATIO_FREE_BYTES = 64 * 1024

export interface BodyReader {
  /** Takes the next bytes of the wire. Answers false when the sender should pause until `onDrain`. */
  write(chunk: Buffer): boolean
  /** No more bytes will come; `onEnd` follows. */
  end(): void
  /** Drops everything and never calls back again. */
  destroy(): void
}

/**
 * @param encoding value of `Content-Encoding`; one of gzip, deflate and br is undone, anything else
 *   (two layers included) is kept as it came
 * @param bodyBytesMax how much is kept, in bytes after decompression
 * @param onEnd called once, with what was kept; `truncated` when there was more, the ratio was
 *   exceeded, or the compressed stream was damaged; `isBomb` when the ratio was exceeded
 */
export function readBody(
  encoding: string,
  bodyBytesMax: number,
  onEnd: (body: Buffer, truncated: boolean, isBomb: boolean) => void,
  onDrain: () => void,
): BodyReader {
  const kept: Buffer[] = []
  let keptBytes = 0
  let wireBytes = 0
  let inflater: Transform | undefined
  let isDone = false

  const finish = (truncated: boolean, isBomb = false) => {
    if (isDone) return
    isDone = true
    inflater?.destroy()
    // Of a bomb the beginning is enough to know it by.
    const body = Buffer.concat(kept)
    onEnd(isBomb ? body.subarray(0, RATIO_FREE_BYTES) : body, truncated, isBomb)
  }
  const keep = (chunk: Buffer) => {
    if (isDone) return
    const room = bodyBytesMax - keptBytes
    kept.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    keptBytes += Math.min(chunk.length, room)
    const isBomb = inflater !== undefined && keptBytes > RATIO_FREE_BYTES && keptBytes >= wireBytes * RATIO_MAX
    if (isBomb || chunk.length > room) finish(true, isBomb)
  }
  const open = (first: Buffer) => {
    const stream = inflaterFor(encoding, first)
    stream?.on('data', keep)
    stream?.on('end', () => finish(false))
    stream?.on('error', () => finish(true))
    stream?.on('drain', onDrain)
    return stream
  }

  return {
    write(chunk) {
      if (isDone) return true
      if (wireBytes === 0) inflater = open(chunk)
      wireBytes += chunk.length
      if (inflater) return inflater.write(chunk)
      keep(chunk)
      return true
    },
    end() {
      if (inflater) inflater.end()
      else finish(false)
    },
    destroy() {
      isDone = true
      inflater?.destroy()
    },
  }
}

function inflaterFor(encoding: string, first: Buffer): Transform | undefined {
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      // A page that calls itself gzip and is not is kept as it came.
      return first[0] === 0x1f ? createGunzip() : undefined
    case 'deflate':
      // RFC 9110 means the zlib format, yet many servers send the bare stream.
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()
    case 'br':
      return createBrotliDecompress()
    default:
      return undefined
  }
}

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
  const kept = createStore(bodyBytesMax)
  let wireBytes = 0
  let inflater: Transform | undefined
  let isDone = false

  const finish = (truncated: boolean, isBomb = false) => {
    if (isDone) return
    isDone = true
    inflater?.destroy()
    // Of a bomb the beginning is enough to know it by.
    onEnd(kept.take(isBomb ? RATIO_FREE_BYTES : bodyBytesMax), truncated, isBomb)
  }
  const keep = (chunk: Buffer) => {
    if (isDone) return
    const isWhole = kept.add(chunk)
    const bytes = kept.bytes()
    const isBomb = inflater !== undefined && bytes > RATIO_FREE_BYTES && bytes >= wireBytes * RATIO_MAX
    if (isBomb || !isWhole) finish(true, isBomb)
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
      kept.take(0)
    },
  }
}

/** Bytes as they come in, in one piece. */
interface Store {
  /** Answers false when not all of them had room. */
  add(chunk: Buffer): boolean
  readonly bytes: () => number
  /** A copy of the first bytes of what is kept, which is dropped. */
  take(bytesMax: number): Buffer
}

/**
 * Copies, because a stranger may send a megabyte in chunks of five bytes, and each chunk that is held
 * costs a hundred bytes for itself and keeps alive what was read from the socket together with it.
 */
function createStore(bytesMax: number): Store {
  let space = Buffer.alloc(0)
  let bytes = 0
  return {
    add(chunk) {
      const end = Math.min(bytes + chunk.length, bytesMax)
      if (end > space.length) {
        const larger = Buffer.allocUnsafe(Math.min(Math.max(end, 2 * space.length), bytesMax))
        space.copy(larger, 0, 0, bytes)
        space = larger
      }
      chunk.copy(space, bytes, 0, end - bytes)
      const isWhole = end === bytes + chunk.length
      bytes = end
      return isWhole
    },
    bytes: () => bytes,
    take(most) {
      const end = Math.min(bytes, most)
      const taken = end === space.length ? space : Buffer.from(space.subarray(0, end))
      space = Buffer.alloc(0)
      bytes = 0
      return taken
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

/**
 * Reads an untrusted response body. Decompresses one layer while streaming and limits the
 * decompressed size, so that a small response can't expand to gigabytes.
 */
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

/** Maximum compression ratio before a body is treated as a decompression bomb. */
const RATIO_MAX = 100
/** Small bodies often compress extremely well; the ratio is checked above this size. */
const RATIO_FREE_BYTES = 64 * 1024

export interface BodyReader {
  /** Adds bytes from the wire. Returns false when the sender should pause until `onDrain`. */
  write(chunk: Buffer): boolean
  /** Ends the body; `onEnd` follows. */
  end(): void
  /** Discards all data; no callbacks run afterward. */
  destroy(): void
}

/**
 * @param encoding value of `Content-Encoding`; a single gzip, deflate, or br is decompressed,
 * anything else is kept as received
 * @param bodyBytesMax maximum size to keep, in bytes after decompression
 * @param onEnd called once with the body; `truncated` when it exceeded a limit or the compressed
 * stream was corrupt; `isBomb` when it exceeded the ratio
 */
export function readBody(
  encoding: string,
  bodyBytesMax: number,
  onEnd: (body: Buffer, truncated: boolean, isBomb: boolean) => void,
  onDrain: () => void,
): BodyReader {
  const store = createStore(bodyBytesMax)
  let wireBytes = 0
  let inflater: Transform | undefined
  let isDone = false

  const finish = (truncated: boolean, isBomb = false) => {
    if (isDone) return
    isDone = true
    inflater?.destroy()
    // The start of a bomb is enough to identify it.
    onEnd(store.take(isBomb ? RATIO_FREE_BYTES : bodyBytesMax), truncated, isBomb)
  }
  const keep = (chunk: Buffer) => {
    if (isDone) return
    const isWhole = store.add(chunk)
    const bytes = store.bytes()
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
      store.take(0)
    },
  }
}

/** Collects chunks into one buffer. */
interface ChunkStore {
  /** Returns false when the chunk did not fit entirely. */
  add(chunk: Buffer): boolean
  readonly bytes: () => number
  /** Returns a copy of the first bytes and releases the store. */
  take(bytesMax: number): Buffer
}

/**
 * Copies chunks, because a server may send a megabyte in five-byte chunks: each retained chunk has
 * about a hundred bytes of overhead and keeps its larger socket buffer alive.
 */
function createStore(bytesMax: number): ChunkStore {
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
      // Pages mislabeled as gzip are kept as received.
      return first[0] === 0x1f ? createGunzip() : undefined
    case 'deflate':
      // RFC 9110 requires the zlib format, but many servers send raw deflate.
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()
    case 'br':
      return createBrotliDecompress()
    default:
      return undefined
  }
}

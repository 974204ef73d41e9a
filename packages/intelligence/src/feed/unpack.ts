/**
 * Reads files from folders, `.gz`, `.zst`, `.zip`, and `.tar` files. Containers can be nested, except zip
 * files inside archives. The type is detected from the first bytes. Nothing is written to disk, so path
 * traversal is impossible.
 */
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { createGunzip, createZstdDecompress, constants } from 'node:zlib'
import { extract } from 'tar-stream'
import yauzl from 'yauzl'

/** A file. It must be read before the next one is requested, and only once. */
export interface PackedFile {
  /** Path inside the folder or archive, with `/`. */
  readonly name: string
  readonly bytes: Readable
}

/** Larger than any feed. Anything beyond these limits is an attack or a mistake. */
const filesMax = 500_000
const unpackedBytesMax = 8 * 1024 ** 3
/** Mirrors of NVD use windows of 128 MB, the default limit of zstd. */
const windowLogMax = 27

/**
 * Opens a file, or every file of a folder (sorted by path) or an archive (in its order). Links are not
 * followed.
 *
 * @throws if a file cannot be read, is truncated, or exceeds the limits after unpacking
 */
export async function* unpack(path: string): AsyncGenerator<PackedFile> {
  const budget = { files: filesMax, bytes: unpackedBytesMax }
  if (!(await stat(path)).isDirectory()) return yield* openFile(path, basename(path), budget)
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const file of files.toSorted()) yield* openFile(file, file.slice(path.length + 1), budget)
}

/** Closes the file afterward, even if an archive is damaged and therefore not read to its end. */
async function* openFile(path: string, name: string, budget: Budget): AsyncGenerator<PackedFile> {
  const bytes = createReadStream(path)
  try {
    yield* open({ name, bytes }, budget, path)
  } finally {
    bytes.destroy()
  }
}

interface Budget {
  files: number
  bytes: number
}

async function* open(file: PackedFile, budget: Budget, path: string | null): AsyncGenerator<PackedFile> {
  if (--budget.files < 0) throw new Error(`The archive contains more than ${filesMax} files.`)
  const { head, bytes } = await peek(file.bytes)
  const container = detectContainer(head)
  if (container === 'zip') {
    // A zip file is read from its end, so it can't be read from a stream.
    if (path === null) throw new Error(`${file.name} is a zip file inside an archive. Unpack the outer archive first.`)
    return yield* unzip(path, budget)
  }
  if (container === 'tar') return yield* untar(bytes, budget)
  if (container === 'none') return yield { name: file.name, bytes: limitBytes(bytes, budget) }
  const decompress =
    container === 'gzip'
      ? createGunzip()
      : createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowLogMax } })
  bytes.on('error', (error) => decompress.destroy(error))
  const name = file.name.replace(/\.(?:gz|zst)$/i, '').replace(/\.tgz$/i, '.tar')
  yield* open({ name, bytes: bytes.pipe(decompress) }, budget, null)
}

function detectContainer(head: Buffer): 'none' | 'gzip' | 'zstd' | 'zip' | 'tar' {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip'
  if (head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528) return 'zstd'
  if (head.subarray(0, 4).equals(Buffer.from('PK\x03\x04', 'latin1'))) return 'zip'
  return head.subarray(257, 262).toString('latin1') === 'ustar' ? 'tar' : 'none'
}

/** Enough bytes to detect a tar archive. */
const headBytes = 512

/** Reads the first bytes and returns them with the complete stream. */
async function peek(bytes: Readable): Promise<{ head: Buffer; bytes: Readable }> {
  const chunks: Buffer[] = []
  let length = 0
  const iterator = bytes.iterator({ destroyOnReturn: false })
  while (length < headBytes) {
    const { value, done } = await iterator.next()
    if (done) break
    chunks.push(value as Buffer) // a stream without an encoding yields buffers
    length += chunks.at(-1)?.length ?? 0
  }
  const head = Buffer.concat(chunks)
  async function* rest() {
    yield head
    while (true) {
      const { value, done } = await iterator.next()
      if (done) return
      yield value as Buffer
    }
  }
  return { head, bytes: Readable.from(rest(), { objectMode: false }) }
}

async function* untar(bytes: Readable, budget: Budget): AsyncGenerator<PackedFile> {
  const entries = extract()
  bytes.on('error', (error) => entries.destroy(error))
  bytes.pipe(entries)
  for await (const entry of entries) {
    if (entry.header.type === 'file') {
      // Some feeds compress each record again, so entries are opened recursively.
      yield* open(
        {
          name: entry.header.name.replace(/^\.\//, ''),
          bytes: Readable.from(entry as AsyncIterable<Buffer>, { objectMode: false }),
        },
        budget,
        null,
      )
    }
    entry.resume()
  }
}

async function* unzip(path: string, budget: Budget): AsyncGenerator<PackedFile> {
  const zip = await yauzl.openPromise(path, { lazyEntries: true, autoClose: false })
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue
      yield* open({ name: entry.fileName, bytes: await zip.openReadStreamPromise(entry) }, budget, null)
    }
  } finally {
    zip.close()
  }
}

function limitBytes(bytes: Readable, budget: Budget): Readable {
  const through = new PassThrough()
  bytes.on('data', (chunk: Buffer) => {
    budget.bytes -= chunk.length
    if (budget.bytes < 0)
      through.destroy(new Error(`The archive is larger than ${unpackedBytesMax / 1024 ** 3} GB after unpacking.`))
  })
  bytes.on('error', (error) => through.destroy(error))
  return bytes.pipe(through)
}

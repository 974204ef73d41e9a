/**
 * Files out of whatever they come in: folders, `.gz`, `.zst`, `.zip` and `.tar` in any of them. What
 * it is, its first bytes tell. Nothing is written, so no name can lead out of anywhere.
 */
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { createGunzip, createZstdDecompress, constants } from 'node:zlib'
import { extract } from 'tar-stream'
import yauzl from 'yauzl'

/** One file, to be read once and before the next one is asked for. */
export interface PackedFile {
  /** Path inside of what it came in, with `/`. */
  readonly name: string
  readonly bytes: Readable
}

/** More than any feed has; what goes beyond is no feed but an attack or an accident. */
const filesMax = 500_000
const unpackedBytesMax = 8 * 1024 ** 3
/** NVD's own mirrors are packed with windows of 128 MB, the most that zstd takes without being asked. */
const windowLogMax = 27

/**
 * Opens a file, or every file of a folder or an archive, in the order in which they stand. Links are
 * not followed.
 *
 * @throws when it cannot be read, is cut off, or unpacks to more than anything real
 */
export async function* unpack(path: string): AsyncGenerator<PackedFile> {
  const budget = { files: filesMax, bytes: unpackedBytesMax }
  if (!(await stat(path)).isDirectory())
    return yield* open({ name: basename(path), bytes: createReadStream(path) }, budget, path)
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const file of files.toSorted()) {
    yield* open({ name: file.slice(path.length + 1), bytes: createReadStream(file) }, budget, file)
  }
}

interface Budget {
  files: number
  bytes: number
}

async function* open(file: PackedFile, budget: Budget, path: string | null): AsyncGenerator<PackedFile> {
  if (--budget.files < 0) throw new Error('The archive holds more files than any feed has.')
  const { head, bytes } = await peek(file.bytes)
  const packing = packingOf(head)
  if (packing === 'zip') {
    bytes.destroy()
    // A zip is read from its end, so it has to be a file of its own.
    if (path === null) throw new Error(`${file.name} is a zip inside of an archive; unpack the outer one first.`)
    return yield* unzip(path, budget)
  }
  if (packing === 'tar') return yield* untar(bytes, budget)
  if (packing === 'none') return yield { name: file.name, bytes: bounded(bytes, budget) }
  const plain =
    packing === 'gzip'
      ? createGunzip()
      : createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowLogMax } })
  bytes.on('error', (error) => plain.destroy(error))
  const name = file.name.replace(/\.(?:gz|zst)$/i, '').replace(/\.tgz$/i, '.tar')
  yield* open({ name, bytes: bytes.pipe(plain) }, budget, null)
}

function packingOf(head: Buffer): 'none' | 'gzip' | 'zstd' | 'zip' | 'tar' {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip'
  if (head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528) return 'zstd'
  if (head.subarray(0, 4).equals(Buffer.from('PK\x03\x04', 'latin1'))) return 'zip'
  return head.subarray(257, 262).toString('latin1') === 'ustar' ? 'tar' : 'none'
}

/** As much as tells a tar. */
const headBytes = 512

/** Looks at the first bytes and gives the whole stream back. */
async function peek(bytes: Readable): Promise<{ head: Buffer; bytes: Readable }> {
  const chunks: Buffer[] = []
  let length = 0
  const iterator = bytes.iterator({ destroyOnReturn: false })
  while (length < headBytes) {
    const { value, done } = await iterator.next()
    if (done) break
    chunks.push(value as Buffer) // a stream without encoding gives buffers
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
      // Some feeds pack each record or list once more; the entry is small, so it goes through memory.
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

function bounded(bytes: Readable, budget: Budget): Readable {
  const through = new PassThrough()
  bytes.on('data', (chunk: Buffer) => {
    budget.bytes -= chunk.length
    if (budget.bytes < 0) through.destroy(new Error('The archive unpacks to more than any feed has.'))
  })
  bytes.on('error', (error) => through.destroy(error))
  return bytes.pipe(through)
}

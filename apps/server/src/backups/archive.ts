/** The file format of backups: a tar archive, compressed with zstd and, on request, encrypted with age. */
import { createReadStream } from 'node:fs'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { Encrypter } from 'age-encryption'
import { extract, pack, type Pack } from 'tar-stream'
import { dumpDatabase } from '#database/backup/dump.ts'
import type { PartStream } from '#database/backup/load.ts'
import { CliError } from '#cli-error.ts'
import { version } from '#version.ts'
import { writeNewFile } from '#backups/new-file.ts'

/** The first line of every file encrypted with age. */
const ageHeader = 'age-encryption.org/v1\n'

export interface BackupSource {
  readonly databaseUrl: string
  /** The folder of the downloaded packs, which may not exist. */
  readonly packs: string
  /** The age public keys that the file is encrypted for; empty to leave it unencrypted. */
  readonly recipients: readonly string[]
  /** Stops the backup. */
  readonly signal?: AbortSignal
}

/**
 * Writes a consistent snapshot to a new file that only the owner can read, completely or not at all.
 *
 * @returns its size in bytes
 * @throws CliError for an unwritable file or an invalid recipient; AbortError if stopped; errors of the database
 */
export async function writeBackup(file: string, source: BackupSource): Promise<number> {
  const encrypter = await encrypterFor(source.recipients)
  await writeNewFile(file, async (handle) => {
    const archive = pack()
    const writing = writeParts(archive, source).catch((error: unknown) => {
      archive.destroy(error instanceof Error ? error : new Error(String(error)))
    })
    const packed = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    const encrypted = async function* (content: AsyncIterable<Uint8Array>) {
      yield* encrypter ? await encrypter.encrypt(ReadableStream.from(content)) : content
    }
    try {
      await pipeline(archive, packed, encrypted, handle.createWriteStream(), { signal: source.signal })
    } finally {
      await writing
    }
  })
  return (await stat(file)).size
}

/** @throws CliError naming the recipient that is invalid */
async function encrypterFor(recipients: readonly string[]): Promise<Encrypter | null> {
  if (recipients.length === 0) return null
  // Loaded on demand: few installations encrypt.
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient)
    } catch (cause) {
      throw new CliError(`${recipient} is not an age public key, such as age1….`, { cause })
    }
  }
  return encrypter
}

async function writeParts(archive: Pack, { databaseUrl, packs, signal }: BackupSource): Promise<void> {
  for await (const { name, content } of dumpDatabase(databaseUrl, version, signal)) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    archive.entry({ name, mode: 0o600 }, content, (error) => (error ? reject(error) : resolve()))
    await promise
  }
  const entries = await readdir(packs, { recursive: true, withFileTypes: true }).catch(() => []) // no packs were downloaded
  for (const entry of entries.filter((item) => item.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const { size } = await stat(path)
    const name = `packs/${relative(packs, path)}`
    // Read only the original size: a running feed update may append to the file.
    await pipeline(createReadStream(path, { end: Math.max(0, size - 1) }), archive.entry({ name, size, mode: 0o600 }))
  }
  archive.finalize()
}

/**
 * Yields the parts of a backup in order.
 *
 * @param identityFile contains the secret keys for an encrypted backup
 * @throws CliError if the backup is encrypted and can't be decrypted
 */
export async function* partsOf(file: string, identityFile: string | undefined): AsyncGenerator<PartStream> {
  const entries = extract()
  const source = (await isEncrypted(file)) ? await decrypted(file, identityFile) : createReadStream(file)
  const reading = pipeline(source, createZstdDecompress(), entries)
  reading.catch(() => undefined) // rethrown by the await below
  for await (const entry of entries) {
    yield { name: entry.header.name, bytes: Readable.from(entry as AsyncIterable<Buffer>, { objectMode: false }) }
    entry.resume()
  }
  await reading
}

async function isEncrypted(file: string): Promise<boolean> {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(ageHeader.length))
  return buffer.toString('latin1', 0, bytesRead) === ageHeader
}

async function decrypted(file: string, identityFile: string | undefined): Promise<AsyncIterable<Uint8Array>> {
  if (identityFile === undefined)
    throw new CliError(`${file} is encrypted. Pass --identity with the file that contains its secret key.`)
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  try {
    const lines = (await readFile(identityFile, 'utf8')).split(/\r?\n/)
    for (const line of lines.filter((text) => text.trim() !== '' && !text.startsWith('#')))
      decrypter.addIdentity(line.trim())
    return intact(await decrypter.decrypt(Readable.toWeb(createReadStream(file))), file)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CliError(`Can't decrypt ${file} with the keys in ${identityFile} (${reason}).`, { cause })
  }
}

/** @throws CliError if a chunk of the file is missing or was changed */
async function* intact(content: ReadableStream<Uint8Array>, file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* content
  } catch (cause) {
    // Errors of the system have a code.
    if (!(cause instanceof Error) || 'code' in cause) throw cause
    throw new CliError(`${file} is incomplete or corrupted (${cause.message}). Nothing was restored.`, { cause })
  }
}

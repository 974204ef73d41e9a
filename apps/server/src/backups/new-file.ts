/** Writes an output file that only the owner can read, completely or not at all. */
import { randomBytes } from 'node:crypto'
import { access, type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode, systemReason } from '#error-code.ts'
import { CliError } from '#cli-error.ts'

/** Error codes of the output device; other errors come from the content. */
const deviceErrorCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'])
/** Ends the name of a file until it is complete; if the process is killed, the file stays. */
export const partialSuffix = '.partial'

/**
 * Creates a file and fills it. It gets its name when all of it is on the disk, so that an incomplete file is never mistaken for it.
 *
 * @throws CliError if the file exists or can't be written; errors of `fill`
 */
export async function writeNewFile<T>(file: string, fill: (handle: FileHandle) => Promise<T>): Promise<T> {
  if (await exists(file)) throw existing(file)
  const partial = `${file}.${randomBytes(4).toString('hex')}${partialSuffix}`
  const handle = await open(partial, 'wx', 0o600).catch((cause: unknown) => {
    throw writeError(file, cause)
  })
  try {
    const result = await fill(handle)
    await flush(partial)
    await publish(partial, file)
    return result
  } catch (cause) {
    throw deviceErrorCodes.has(errorCode(cause)) ? writeError(file, cause) : cause
  } finally {
    await handle.close()
    await rm(partial, { force: true })
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/** Renames without overwriting, where the file system has links. */
async function publish(partial: string, file: string): Promise<void> {
  try {
    await link(partial, file)
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') throw existing(file)
    await rename(partial, file)
  }
  if (process.platform !== 'win32') await flush(dirname(file))
}

/** The stream that filled a file may have closed its handle. */
async function flush(path: string): Promise<void> {
  await using handle = await open(path)
  await handle.sync()
}

function existing(file: string): CliError {
  return new CliError(`${file} already exists. Choose another name.`)
}

function writeError(file: string, cause: unknown): CliError {
  return new CliError(`Can't write ${file} (${systemReason(cause)}).`, { cause })
}

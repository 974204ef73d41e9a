/** Writes an output file that only the owner can read, completely or not at all. */
import { type FileHandle, open, rm } from 'node:fs/promises'
import { CliError } from '#cli-error.ts'

/** Error codes of the output device; other errors come from the content. */
const deviceErrorCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'])

/**
 * Creates a file and fills it. The file is removed on failure.
 *
 * @throws CliError if the file exists or can't be written; errors of `fill`
 */
export async function writeNewFile<T>(file: string, fill: (handle: FileHandle) => Promise<T>): Promise<T> {
  const writeError = (cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return new CliError(`Can't write ${file} (${reason}).`, { cause })
  }
  const handle = await open(file, 'wx', 0o600).catch((cause: unknown) => {
    throw writeError(cause)
  })
  try {
    return await fill(handle)
  } catch (cause) {
    await rm(file, { force: true })
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    throw deviceErrorCodes.has(code) ? writeError(cause) : cause
  } finally {
    await handle.close()
  }
}

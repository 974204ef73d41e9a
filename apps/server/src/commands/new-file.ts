/** What a command writes for a person: a new file for its owner alone, whole or not there. */
import { type FileHandle, open, rm } from 'node:fs/promises'
import { Obstacle } from '#obstacle.ts'

/** Of the place that is written to; anything else that goes wrong is not about the file. */
const codesOfPlaces: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'])

/**
 * Makes a file and has it filled. It is removed when that fails.
 *
 * @throws Obstacle when it is there already, or its place does not take it; what `fill` throws
 */
export async function writeNewFile<T>(file: string, fill: (handle: FileHandle) => Promise<T>): Promise<T> {
  const refused = (cause: unknown) => {
    const words = cause instanceof Error ? cause.message : String(cause)
    return new Obstacle(`${file} cannot be written (${words}).`, { cause })
  }
  const handle = await open(file, 'wx', 0o600).catch((cause: unknown) => {
    throw refused(cause)
  })
  try {
    return await fill(handle)
  } catch (cause) {
    await rm(file, { force: true })
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    throw codesOfPlaces.has(code) ? refused(cause) : cause
  } finally {
    await handle.close()
  }
}

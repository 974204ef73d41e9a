/** Temporary folders for databases of tests. */
import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
/** More than all databases of a run. */
const bytesMin = 4 * 2 ** 30

/** Creates a folder in memory, where the thousands of files of a database cost least; on the disk if there isn't enough. */
export async function databaseFolder(prefix: string): Promise<string> {
  return mkdtemp(join((await hasRoom()) ? memory : tmpdir(), prefix)).catch(() => mkdtemp(join(tmpdir(), prefix)))
}

async function hasRoom(): Promise<boolean> {
  const stats = await statfs(memory).catch(() => null)
  return stats !== null && stats.bavail * stats.bsize >= bytesMin
}

/** Temporary folders for databases of tests. */
import { rmSync } from 'node:fs'
import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
/** More than all databases of a run. */
const bytesMin = 4 * 2 ** 30

const created = new Set<string>()
// Canceled tests don't clean up, and memory is scarcer than disk.
process.once('exit', () => {
  for (const folder of created) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/** Creates a folder in memory, where the thousands of files of a database cost least; on the disk if there isn't enough. */
export async function databaseFolder(prefix: string): Promise<string> {
  const onDisk = () => mkdtemp(join(tmpdir(), prefix))
  const folder = (await hasRoom()) ? await mkdtemp(join(memory, prefix)).catch(onDisk) : await onDisk()
  created.add(folder)
  return folder
}

async function hasRoom(): Promise<boolean> {
  const stats = await statfs(memory).catch(() => null)
  return stats !== null && stats.bavail * stats.bsize >= bytesMin
}

/**
 * Downloaded templates and fingerprints: files in the data folder that the scanner reads, always replaced as a
 * complete set.
 */
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '#error-code.ts'
import type { SetKind } from '#packs/read-in-process.ts'

/** Folder names below the packs folder. */
const folderOf = { template: 'templates', fingerprints: 'fingerprints' } as const
const scratchPrefix = 'import-'
/** Older scratch folders are left over from killed imports. */
const scratchAgeMsMax = 24 * 3_600_000

/** The folders of downloaded packs, created if missing so that every scan can read them. */
export async function downloadedFolders(packsFolder: string): Promise<{ checks: string; fingerprints: string }> {
  const [checks, fingerprints] = [setFolder(packsFolder, 'template'), setFolder(packsFolder, 'fingerprints')]
  await mkdir(checks, { recursive: true })
  await mkdir(fingerprints, { recursive: true })
  return { checks, fingerprints }
}

export function setFolder(packsFolder: string, kind: SetKind): string {
  return join(packsFolder, folderOf[kind])
}

/** The folder with the parsed form of large packs. */
export function cacheFolderOf(packsFolder: string): string {
  return join(dirname(packsFolder), 'cache')
}

/** A folder for the files of one import, on the same file system as the packs. Removes those of killed imports. */
export async function createScratch(packsFolder: string): Promise<{ folder: string; remove: () => Promise<void> }> {
  await mkdir(packsFolder, { recursive: true })
  await mkdir(cacheFolderOf(packsFolder), { recursive: true, mode: 0o700 })
  for (const name of await readdir(packsFolder))
    if (name.startsWith(scratchPrefix)) await removeOld(join(packsFolder, name))
  const folder = await mkdtemp(join(packsFolder, scratchPrefix))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

async function removeOld(folder: string): Promise<void> {
  const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }))
  if (Date.now() - mtimeMs > scratchAgeMsMax) await rm(folder, { recursive: true, force: true })
}

export async function replaceFolder(folder: string, draft: string): Promise<void> {
  const old = `${folder}.old`
  await rm(old, { recursive: true, force: true })
  const isReplaced = await renameIfExists(folder, old)
  try {
    await rename(draft, folder)
  } catch (error) {
    if (isReplaced) await rename(old, folder)
    throw error
  }
  await rm(old, { recursive: true, force: true })
}

/** @returns whether there was such a folder */
async function renameIfExists(folder: string, name: string): Promise<boolean> {
  try {
    await rename(folder, name)
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

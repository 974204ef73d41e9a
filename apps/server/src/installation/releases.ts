/** Newer releases that the operator has downloaded. Glacis itself never contacts a server to check for updates. */
import { readdir } from 'node:fs/promises'
import { version } from '#version.ts'

export interface Release {
  readonly version: string
  readonly file: string
}

/** The newest release in a folder of release archives, if it is newer than this one. */
export async function newerRelease(folder: string | undefined, current = version): Promise<Release | undefined> {
  if (folder === undefined) return undefined
  const files = await readdir(folder).catch(() => [])
  const releases = files.flatMap((file) => {
    const [, found] = /^glacis-(\d+\.\d+\.\d+)\.tar\.gz$/.exec(file) ?? []
    return found === undefined ? [] : [{ version: found, file }]
  })
  const newest = releases.toSorted((a, b) => compareVersions(a.version, b.version)).at(-1)
  return newest && compareVersions(newest.version, current) > 0 ? newest : undefined
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

/** Payload lists stored as files in a pack. */
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import type { ReadList } from '#template/payloads.ts'

const LIST_BYTES_MAX = 512 * 1024

/**
 * Reads lists from one folder. Neither `..` nor symbolic links can escape it. Lists are cached
 * across checks.
 */
export function listReader(folder: string): ReadList {
  const cached = new Map<string, readonly string[] | null>()
  return (path) => {
    const lines = cached.get(path)
    if (lines !== undefined) return lines
    const read = isAbsolute(path) ? null : linesBelow(folder, path)
    cached.set(path, read)
    return read
  }
}

function linesBelow(folder: string, path: string): readonly string[] | null {
  const file = realPath(join(folder, path))
  const relativePath = file === null ? '..' : relative(realpathSync(folder), file)
  if (file === null || relativePath === '' || relativePath.startsWith('..') || isAbsolute(relativePath)) return null
  const { size, isFile } = sizeOf(file)
  if (!isFile || size > LIST_BYTES_MAX) return null
  const lines = readFileSync(file, 'utf8').split(/\r?\n/)
  return lines.filter((line) => line !== '')
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    // A missing file is an error of the template, not of this machine.
    return null
  }
}

function sizeOf(file: string): { readonly size: number; readonly isFile: boolean } {
  const stats = statSync(file)
  return { size: stats.size, isFile: stats.isFile() }
}

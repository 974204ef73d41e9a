/**
 * What was understood of a folder of templates, kept for the next start under a digest of its files,
 * so that nobody waits for ten thousand YAML documents to be read again.
 */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RefusedTemplate } from '#template/parse.ts'
import type { TemplateFacts } from '#template/template.ts'

/** Changes with the meaning of what is kept. */
const FORMAT = 5
/** Digests whose entries stay; older ones are removed. */
const KEPT_MAX = 4

/** A template by its facts, its file named from the folder on, and its document as JSON. */
export interface KeptTemplate {
  readonly facts: TemplateFacts
  readonly document: string
}
export interface Kept {
  readonly templates: readonly KeptTemplate[]
  readonly refused: readonly RefusedTemplate[]
}

/**
 * Changes with the name, size or time of any of the files, and not when their folder is moved, so that
 * a pack is known again after it was put in its place. Asked one after the other without waiting, which
 * for ten thousand files is ten times as quick.
 *
 * @param files paths that begin with `folder`
 */
export function digestOf(folder: string, files: readonly string[]): string {
  const hash = createHash('sha256').update(`${FORMAT}\n`)
  for (const file of files) {
    const { size, mtimeMs, ino } = statSync(file)
    hash.update(`${file.slice(folder.length)}\0${size}\0${mtimeMs}\0${ino}\n`)
  }
  return hash.digest('hex').slice(0, 32)
}

/** @returns undefined when nothing is kept under the digest, or what is there cannot be read */
export async function readKept(folder: string, digest: string): Promise<Kept | undefined> {
  try {
    const text = await readFile(fileOf(folder, digest), 'utf8')
    const kept: Kept = JSON.parse(text) // written by `keep`, of this very format, which the digest names
    return kept
  } catch {
    // Nothing kept, or half a file: the templates are read again.
    return undefined
  }
}

/** Keeps it whole or not at all. A folder that cannot be written to only costs time at the next start. */
export async function keep(folder: string, digest: string, kept: Kept): Promise<void> {
  const file = fileOf(folder, digest)
  const half = `${file}.${process.pid}`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(half, JSON.stringify(kept), { mode: 0o600 })
    await rename(half, file)
    await forgetOld(folder)
  } catch {
    await rm(half, { force: true }).catch(() => undefined)
  }
}

async function forgetOld(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^checks-[\da-f]{32}\.json$/.test(name))
  const aged = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })))
  const old = aged.toSorted((left, right) => right.at - left.at).slice(KEPT_MAX)
  for (const { name } of old) await rm(join(folder, name), { force: true })
}

function fileOf(folder: string, digest: string): string {
  return join(folder, `checks-${digest}.json`)
}

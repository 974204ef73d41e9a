/**
 * What was understood of a folder of templates, kept for the next start under a digest of its files,
 * so that nobody waits for ten thousand YAML documents to be read again. What a scan sorts checks by
 * stands first and is read at once; the words and blocks of each are read when they are looked at.
 */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RefusedTemplate } from '#template/parse.ts'
import type { TemplateFacts } from '#template/template.ts'

/** Changes with the meaning of what is kept. */
const FORMAT = 6
/** Digests whose entries stay; older ones are removed. */
const KEPT_MAX = 8

/** A template by its facts, its file named from the folder on, and the rest as JSON. */
export interface KeptTemplate {
  readonly facts: TemplateFacts
  readonly info: () => string
  readonly document: () => string
}
export interface Kept {
  readonly templates: readonly KeptTemplate[]
  readonly refused: readonly RefusedTemplate[]
}

/** The first line of the file, as JSON; the texts of all templates follow it without anything between them. */
interface Index {
  readonly facts: readonly TemplateFacts[]
  /** Bytes of the info and of the document of each template. */
  readonly sizes: readonly (readonly [number, number])[]
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
  const lines = files.map((file) => {
    const { size, mtimeMs, ino } = statSync(file)
    return `${file.slice(folder.length)}\0${size}\0${mtimeMs}\0${ino}\n`
  })
  return createHash('sha256').update(`${FORMAT}\n`).update(lines.join('')).digest('hex').slice(0, 32)
}

/** @returns undefined when nothing is kept under the digest, or what is there cannot be read */
export async function readKept(folder: string, digest: string): Promise<Kept | undefined> {
  try {
    const bytes = await readFile(fileOf(folder, digest))
    const end = bytes.indexOf('\n')
    const index: Index = JSON.parse(bytes.toString('utf8', 0, end)) // written by `keep`, of this very format, which the digest names
    return { templates: [...cut(index, bytes.subarray(end + 1))], refused: index.refused }
  } catch {
    // Nothing kept, or half a file: the templates are read again.
    return undefined
  }
}

/** @throws when the texts are not all there */
function* cut({ facts, sizes }: Index, texts: Buffer): Iterable<KeptTemplate> {
  let at = 0
  for (const [place, one] of facts.entries()) {
    const [info = 0, document = 0] = sizes[place] ?? []
    const from = at
    const middle = from + info
    const end = middle + document
    at = end
    yield {
      facts: one,
      info: () => texts.toString('utf8', from, middle),
      document: () => texts.toString('utf8', middle, end),
    }
  }
  if (at !== texts.length) throw new Error('the file is not whole')
}

/** Keeps it whole or not at all. A folder that cannot be written to only costs time at the next start. */
export async function keep(folder: string, digest: string, kept: Kept): Promise<void> {
  const file = fileOf(folder, digest)
  const half = `${file}.${process.pid}`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(half, written(kept), { mode: 0o600 })
    await rename(half, file)
    await forgetOld(folder)
  } catch {
    await rm(half, { force: true }).catch(() => undefined)
  }
}

function written({ templates, refused }: Kept): Buffer {
  const texts = templates.map(({ info, document }) => [Buffer.from(info()), Buffer.from(document())] as const)
  const facts = templates.map((one) => one.facts)
  const index: Index = { facts, sizes: texts.map(([info, document]) => [info.length, document.length]), refused }
  return Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...texts.flat()])
}

async function forgetOld(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^checks-[\da-f]{32}\.(?:json|kept)$/.test(name))
  const aged = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })))
  const old = aged.toSorted((left, right) => right.at - left.at).slice(KEPT_MAX)
  for (const { name } of old) await rm(join(folder, name), { force: true })
}

function fileOf(folder: string, digest: string): string {
  return join(folder, `checks-${digest}.kept`)
}

/** What the built portal weighs, compressed as it is served. */
import { readdir, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Folder of the built portal. */
export const dist = resolve(import.meta.dirname, '../apps/portal/dist')

export interface Weights {
  /** Scripts of the page and what they import at once: nothing shows before they are here. In bytes. */
  readonly first: number
  /** Every other script, heaviest first. In bytes. */
  readonly later: readonly { readonly name: string; readonly bytes: number }[]
}

/** @throws when there is no build */
export async function weights(): Promise<Weights> {
  const page = await readFile(join(dist, 'index.html'), 'utf8')
  const tags = [...page.matchAll(/<(?:script|link)\b[^>]*>/g)].map(([tag]) => tag)
  const scripts = tags.filter((tag) => tag.startsWith('<script') || tag.includes('rel="modulepreload"'))
  const tagged = scripts.flatMap((tag) => /(?:src|href)="([^"]+\.js)"/.exec(tag)?.[1] ?? [])
  const { files, program } = await table()
  const named = new Set([...tagged, ...program.flatMap((index) => files[index] ?? [])])
  const sizes = await Promise.all([...named].map((path) => weigh(join(dist, path))))
  const firstNames = new Set([...named].map((path) => basename(path)))
  const others = (await readdir(join(dist, 'files'))).filter((name) => name.endsWith('.js') && !firstNames.has(name))
  const later = await Promise.all(others.map(async (name) => ({ name, bytes: await weigh(join(dist, 'files', name)) })))
  return { first: sizes.reduce((sum, bytes) => sum + bytes, 0), later: later.toSorted((a, b) => b.bytes - a.bytes) }
}

/** The files that the page of this path fetches besides those of every page; none where the page names none. */
export async function partsOf(path: string): Promise<readonly string[]> {
  const { files, row } = await tableOf(path)
  return (row?.[1] ?? []).flatMap((index) => files[index] ?? [])
}

/** The calls, with their queries, that the page of this path makes before there is a program. */
export async function questionsOf(path: string): Promise<readonly string[]> {
  return (await tableOf(path)).row?.[3] ?? []
}

type Row = [pattern: string, parts: number[], words: unknown, questions: string[]]

async function table(): Promise<{ files: string[]; program: number[]; pages: Row[] }> {
  const page = await readFile(join(dist, 'index.html'), 'utf8')
  const text = /id="page-parts">(.*?)<\/script>/.exec(page)?.[1]
  if (text === undefined) throw new Error('the page names no parts')
  return JSON.parse(text) as { files: string[]; program: number[]; pages: Row[] }
}

async function tableOf(path: string): Promise<{ readonly files: readonly string[]; readonly row: Row | undefined }> {
  const { files, pages } = await table()
  return { files, row: pages.find(([pattern]) => new RegExp(`^(${pattern})/?$`).test(path)) }
}

async function weigh(path: string): Promise<number> {
  return gzipSync(await readFile(path), { level: 9 }).length
}

/** The start page of a web server and its scripts, read once for all checks. */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { jsonIn } from '#native/json.ts'
import type { NativeContext } from '#native/native-check.ts'
import { folderOf, type Page, pathHere, readPage, readPageAt, requestWeb } from '#native/web/request.ts'

export interface WebSite {
  /** The folder of the scan, `/` for a whole host. */
  readonly base: string
  readonly front: Page
  /** The response to a random path: what the server returns for unknown paths. */
  readonly unknown: Page
  /** Scripts that the start page loads from this server, and the sources in their source maps. */
  readonly scriptFiles: readonly Page[]
  /** Their texts. */
  readonly scripts: readonly string[]
}

const scriptsMax = 8
const scriptBytesMax = 2 * 1024 * 1024
const sites = new WeakMap<NativeContext, Promise<WebSite | undefined>>()

/** @returns undefined if the server didn't answer */
export function readSite(context: NativeContext): Promise<WebSite | undefined> {
  const known = sites.get(context) ?? readNew(context)
  sites.set(context, known)
  return known
}

async function readNew(context: NativeContext): Promise<WebSite | undefined> {
  const base = folderOf(context.basePath)
  const front = await readPage(context, base)
  const unknown = front && (await readPageAt(context, `${base}${randomBytes(8).toString('hex')}`))
  if (!unknown) return undefined
  const scriptFiles = await readScripts(context, scriptsOf(front))
  return { base, front, unknown, scriptFiles, scripts: scriptFiles.map(({ body }) => body) }
}

/** Paths of the scripts that a page loads from this server. */
export function scriptsOf({ body, path }: Pick<Page, 'body' | 'path'>): readonly string[] {
  const sources = body.matchAll(/<script\b[^>]{0,300}?\bsrc\s{0,9}=\s{0,9}["']?([^"'\s>]{1,500})/gi)
  const modules = body.matchAll(
    /<link\b[^>]{0,200}?\brel=["']?modulepreload["']?[^>]{0,200}?\bhref=["']?([^"'\s>]{1,300})|\bimport\(\s{0,9}["']([^"'\s]{1,300}\.js)["']/gi,
  )
  const imported = [...modules.take(scriptsMax)].map(([, preloaded, path]) => ['', preloaded ?? path ?? ''] as const)
  const paths = [...sources, ...imported].flatMap(([, source = '']) => pathHere(source, baseOf(body, path)) ?? [])
  return [...new Set(paths)].slice(0, scriptsMax)
}

/** Scripts of this server, and the sources in their source maps, without the responses as received. */
export async function readScripts(context: NativeContext, paths: readonly string[]): Promise<readonly Page[]> {
  const scripts: Page[] = []
  for (const path of paths.slice(0, scriptsMax)) {
    const script = await requestWeb(context, { target: path, bytesMax: scriptBytesMax })
    if (script?.status !== 200) continue
    scripts.push({ ...script, path, received: '' })
    const map = mapOf(script.body, path)
    const sources = map === undefined ? undefined : await requestWeb(context, { target: map, bytesMax: scriptBytesMax })
    if (map !== undefined && sources?.status === 200)
      scripts.push({ ...sources, path: map, received: '', body: sourcesIn(sources.body) })
  }
  return scripts
}

function mapOf(script: string, path: string): string | undefined {
  const [, link = ''] = /\/\/[#@] ?sourceMappingURL=([^\s'"]{1,300})\s{0,9}$/.exec(script.slice(-400)) ?? []
  return link === '' ? undefined : pathHere(link, path)
}

const SourceMap = z.object({ sources: z.array(z.string()), sourcesContent: z.array(z.string().nullable()) })

/** The application's own sources, without those of its libraries. */
function sourcesIn(body: string): string {
  const { sources, sourcesContent } = SourceMap.safeParse(jsonIn(body)).data ?? { sources: [], sourcesContent: [] }
  return sourcesContent.filter((_, index) => !/node_modules|webpack\/|^\0/.test(sources[index] ?? '')).join('\n')
}

/** Base path of a page's relative links. */
function baseOf(body: string, path: string): string {
  const [, href = ''] =
    /<base\b[^>]{0,100}?\bhref\s{0,9}=\s{0,9}["']?([^"'\s>]{1,300})/i.exec(body.slice(0, 20_000)) ?? []
  return pathHere(href, path) ?? path
}

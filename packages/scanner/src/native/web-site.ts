/** The start page of a web server and its scripts, read once for all checks. */
import { randomBytes } from 'node:crypto'
import type { NativeContext } from '#native/native-check.ts'
import { folderOf, type Page, pathHere, readPage, readPageAt, requestWeb } from '#native/web-request.ts'

export interface WebSite {
  /** The folder of the scan, `/` for a whole host. */
  readonly base: string
  readonly front: Page
  /** The response to a random path: what the server returns for unknown paths. */
  readonly unknown: Page
  /** Text of the scripts that the start page loads from this server. */
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
  return unknown && { base, front, unknown, scripts: await readScripts(context, front) }
}

async function readScripts(context: NativeContext, { body, path }: Page): Promise<string[]> {
  const sources = body.matchAll(/<script\b[^>]{0,300}?\bsrc\s{0,9}=\s{0,9}["']?([^"'\s>]{1,500})/gi)
  const modules = body.matchAll(
    /<link\b[^>]{0,200}?\brel=["']?modulepreload["']?[^>]{0,200}?\bhref=["']?([^"'\s>]{1,300})|\bimport\(\s{0,9}["']([^"'\s]{1,300}\.js)["']/gi,
  )
  const imported = [...modules.take(scriptsMax)].map(([, preloaded, path]) => ['', preloaded ?? path ?? ''] as const)
  const targets = new Set(
    [...sources, ...imported].flatMap(([, source = '']) => pathHere(source, baseOf(body, path)) ?? []),
  )
  const scripts: string[] = []
  for (const target of [...targets].slice(0, scriptsMax)) {
    const script = await requestWeb(context, { target, bytesMax: scriptBytesMax })
    if (script?.status === 200) scripts.push(script.body)
  }
  return scripts
}

/** Base path of a page's relative links. */
function baseOf(body: string, path: string): string {
  const [, href = ''] =
    /<base\b[^>]{0,100}?\bhref\s{0,9}=\s{0,9}["']?([^"'\s>]{1,300})/i.exec(body.slice(0, 20_000)) ?? []
  return pathHere(href, path) ?? path
}

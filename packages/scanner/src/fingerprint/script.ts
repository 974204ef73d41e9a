/** Extracts the parts of a page's scripts where libraries state their version. */
import { pathOnOrigin } from '#fingerprint/origin.ts'
import type { Origin } from '#net/http-message.ts'

const scriptsMax = 12
const headLength = 4000
const around = 220
const versionsMax = 60

/** Paths of scripts that a page loads from its own origin. */
export function scriptPaths(page: string, origin: Origin): string[] {
  const sources = [...page.matchAll(/<script\b[^>]{0,300}?\bsrc\s{0,20}=\s{0,20}["']?([^"'\s>]{1,500})/gi)].map(
    ([, src = '']) => src,
  )
  const paths = sources.flatMap((src) => {
    const isBare = !/^(\/|[a-z]+:)/i.test(src)
    return pathOnOrigin(isBare ? `/${src.replace(/^\.\//, '')}` : src, origin) ?? []
  })
  return [...new Set(paths)].slice(0, scriptsMax)
}

/**
 * The first lines of a script, which contain license notices, and the context of each version
 * string. Bundles for development contain modules as string literals, with escaped quotes.
 */
export function scriptExcerpt(body: Buffer): string {
  const text = body.toString('latin1')
  const parts = [text.slice(0, headLength)]
  for (const { index } of text.matchAll(/["']\d{1,4}\.\d{1,4}\.\d{1,5}\\?["']/g)) {
    if (index >= headLength) parts.push(text.slice(index - around, index + around))
    if (parts.length > versionsMax) break
  }
  return parts.join('\n')
}

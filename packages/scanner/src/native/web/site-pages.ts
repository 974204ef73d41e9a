/** The pages that a visitor reaches from the start page by links that only show something. */
import type { NativeContext } from '#native/native-check.ts'
import { linkedPages, linkedQueries } from '#native/web/parameters.ts'
import { type Page, requestWeb, withPathsOnly } from '#native/web/request.ts'
import { readScripts, scriptsOf, type WebSite } from '#native/web/site.ts'

export interface SitePages {
  /** The start page first. */
  readonly pages: readonly Page[]
  /** Their scripts, and the sources in source maps. */
  readonly scriptFiles: readonly Page[]
  /** The texts of the scripts. */
  readonly scripts: readonly string[]
}

const pagesMax = 10
const pagesMs = 5000
const pageLengthMax = 200_000
const known = new WeakMap<WebSite, Promise<SitePages>>()

/** Reads them once for all checks, level by level. */
export function readPages(context: NativeContext, site: WebSite): Promise<SitePages> {
  const reading = known.get(site) ?? follow(context, site)
  known.set(site, reading)
  return reading
}

async function follow(context: NativeContext, site: WebSite): Promise<SitePages> {
  const pages = [site.front]
  const seen = new Set([site.front.path])
  // A slow server would otherwise take the time of all other checks.
  const stopAt = performance.now() + pagesMs
  for (const page of pages) {
    const links = { front: page, base: site.base }
    for (const path of [...linkedPages(links), ...linkedQueries(links)]) {
      if (seen.has(path) || pages.length === pagesMax || performance.now() > stopAt) continue
      seen.add(path)
      const response = await requestWeb(context, { target: path })
      if (response?.status === 200 && isPage(response.body) && response.body !== site.unknown.body)
        pages.push({ ...response, body: withPathsOnly(context, response.body), path })
    }
  }
  const read = new Set(scriptsOf(site.front))
  const others = new Set(pages.flatMap((page) => scriptsOf(page)).filter((path) => !read.has(path)))
  const scriptFiles = [...site.scriptFiles, ...(await readScripts(context, [...others]))]
  return { pages, scriptFiles, scripts: scriptFiles.map(({ body }) => body) }
}

/** HTML of at most this many characters, which excludes generated lists. */
function isPage(body: string): boolean {
  return (
    body.length <= pageLengthMax &&
    /<(?:!doctype html|html|body|a|form|h\d|p|table|div|script)\b/i.test(body.slice(0, 4000))
  )
}

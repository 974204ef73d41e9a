/** Paths that a site names itself: in the links of its start page, its robots.txt, and its sitemap. */
import { linksOf } from '#native/web/html-forms.ts'
import type { NativeContext } from '#native/native-check.ts'
import { pathIn } from '#native/web/parameters.ts'
import { isDestructive, verbIn } from '#native/web/verbs.ts'
import { pathHere, requestWeb } from '#native/web/request.ts'
import type { WebSite } from '#native/web/site.ts'

const foldersMax = 6
const rulesMax = 100

export async function namedPaths(context: NativeContext, { base, front }: WebSite): Promise<readonly string[]> {
  const ruled = await ruledPaths(context, base)
  const linked = linksOf(front.body).flatMap((link) => pathHere(link, front.path) ?? [])
  const listed = (await listedTargets(context, base)).map((target) => pathIn(target))
  return [...new Set([...ruled, ...linked, ...listed])].filter((path) => path.startsWith(base) && path !== base)
}

/** Paths in robots.txt. */
export async function ruledPaths(context: NativeContext, base: string): Promise<readonly string[]> {
  const robots = base === '/' ? await requestWeb(context, { target: '/robots.txt' }) : undefined
  return robots?.status === 200 ? pathsInRobots(robots.body) : []
}

/** Paths in the sitemap, with their queries. */
export async function listedTargets(context: NativeContext, base: string): Promise<readonly string[]> {
  const sitemap = base === '/' ? await requestWeb(context, { target: '/sitemap.xml' }) : undefined
  if (sitemap?.status !== 200) return []
  const places = sitemap.body.matchAll(/<loc>\s{0,99}(https?:\/\/[^<\s]{1,500})/g).take(rulesMax)
  return [...places].flatMap(([, place = '']) => {
    if (!URL.canParse(place)) return []
    const { pathname, search } = new URL(place.replaceAll('&amp;', '&'))
    return `${pathname}${search}`
  })
}

/** Usual folders, and those that the site names and a request can't mistake for an action. */
export async function foldersOf(
  context: NativeContext,
  site: WebSite,
  usual: readonly string[],
): Promise<readonly string[]> {
  const paths = await namedPaths(context, site)
  const named = paths.filter((path) => path.endsWith('/') && !isAction(path)).slice(0, foldersMax)
  return [...new Set([...usual.map((name) => `${site.base}${name}`), ...named])]
}

function isAction(path: string): boolean {
  const verb = verbIn(path)
  return (verb !== undefined && verb !== 'upload') || isDestructive(path)
}

/** Paths of rules without wildcards. */
export function pathsInRobots(text: string): string[] {
  const rules = text.matchAll(/^[ \t]{0,9}(?:dis)?allow[ \t]{0,9}:[ \t]{0,9}(\/[\w./~%-]{1,200})[ \t]{0,9}\r?$/gim)
  return [...rules.take(rulesMax)].map(([, path = '']) => path)
}

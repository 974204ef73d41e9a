/** Paths that a site names itself: in the links of its start page and in its robots.txt. */
import { linksOf } from '#native/html-forms.ts'
import type { NativeContext } from '#native/native-check.ts'
import { isDestructive, verbIn } from '#native/verbs.ts'
import { pathHere, requestWeb } from '#native/web-request.ts'
import type { WebSite } from '#native/web-site.ts'

const foldersMax = 6
const rulesMax = 100

export async function namedPaths(context: NativeContext, { base, front }: WebSite): Promise<readonly string[]> {
  const robots = base === '/' ? await requestWeb(context, { target: '/robots.txt' }) : undefined
  const rules = robots?.status === 200 ? pathsInRobots(robots.body) : []
  const linked = linksOf(front.body).flatMap((link) => pathHere(link, front.path) ?? [])
  return [...new Set([...rules, ...linked])].filter((path) => path.startsWith(base) && path !== base)
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

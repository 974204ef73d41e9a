/** Pages that a server shows only to some clients. */
import type { NativeContext } from '#native/native-check.ts'
import { namedPaths } from '#native/web/named-paths.ts'
import { isChanging, isDestructive } from '#native/web/verbs.ts'
import { requestWeb, type WebResponse } from '#native/web/request.ts'
import type { WebSite } from '#native/web/site.ts'

const usualNames = ['admin', 'manage', 'internal', 'private']
export const deniedMax = 3
const namedMax = 8

const login = /\/(?:auth|log-?in|log-?on|sessions?|sign-?in|sso)\b/i

/** An error, or a redirect to the login. */
export function isDenied(response: WebResponse | undefined): boolean {
  const { status = 0, headers = [] } = response ?? {}
  if (status === 401 || status === 403) return true
  const location = headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? ''
  return status >= 302 && status <= 307 && login.test(location)
}

/** Paths that the server denies, unlike unknown ones. */
export async function deniedPages(context: NativeContext, site: WebSite): Promise<readonly string[]> {
  if (isDenied(site.unknown)) return []
  const named = (await namedPaths(context, site)).filter((path) => !isChanging(path) && !isDestructive(path))
  const paths = [...usualNames.map((name) => `${site.base}${name}`), ...named.slice(0, namedMax)]
  const denied: string[] = []
  for (const path of new Set(paths)) {
    const response = await requestWeb(context, { target: path })
    if (isDenied(response)) denied.push(path)
    if (denied.length === deniedMax) break
  }
  return denied
}

/** Pages that redirect visitors who haven't signed in, and send their content with the redirect. */
import { checkInfo, type NativeCheck, type NativeContext } from '#native/native-check.ts'
import { namedPaths } from '#native/web/named-paths.ts'
import { isChanging, isDestructive } from '#native/web/verbs.ts'
import { requestWeb, webProof } from '#native/web/request.ts'
import { readSite, type WebSite } from '#native/web/site.ts'

export const redirectContent = checkInfo({
  id: 'redirect-with-content',
  name: 'Protected page sent with the redirect to the login',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'A page redirects visitors to the login, but the response also contains the page itself, because the application continues after the redirect. Browsers hide the content; other clients show it.',
  impact: 'An attacker can read the page without an account, and actions of the same application may also be executed.',
  remediation:
    'End the request after the redirect (in PHP, call `exit` after `header`), or check access before anything else.',
  reference: 'https://cwe.mitre.org/data/definitions/698.html',
  tags: 'misconfig auth-bypass unauth',
  verifiedOn: 'php-redirect',
})

const pathsMax = 8
const lengthMax = 500_000
const login = /log-?in|log-?on|sign-?in|auth|session|account|user/i
/** Frameworks send a short page with a link to the destination. */
const notice = /redirect|\bmoved\b|\bfound\b|see other|click here/i
/** A cell of a table with text. */
const cell = /<td\b[^>]{0,200}>[^<]{0,200}[\p{L}\d][^<]{0,200}<\/td>/u

export const webRedirectContent: NativeCheck = {
  checks: [redirectContent],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    for (const target of await candidates(context, site)) {
      const response = await requestWeb(context, { target })
      if (!response) return {}
      const { status, headers, body } = response
      const location = headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? ''
      if (status < 300 || status >= 400 || !login.test(location) || body.length > lengthMax) continue
      const [found] = cell.exec(body) ?? []
      if (found === undefined || notice.test(body.slice(0, 1000))) continue
      return { [redirectContent.id]: { ...webProof(response, [found]), path: target } }
    }
    return { [redirectContent.id]: null }
  },
}

const internal = /admin|back-?office|dashboard|intern|manage|order|report|staff|user/i

async function candidates(context: NativeContext, site: WebSite): Promise<readonly string[]> {
  const named = await namedPaths(context, site)
  const readable = named.filter((path) => !isChanging(path) && !isDestructive(path))
  return readable
    .toSorted((left, right) => Number(internal.test(right)) - Number(internal.test(left)))
    .slice(0, pathsMax)
}

/** Pages that a proxy or the application protects by their path or the client's address, and other ways to reach them. */
import { randomBytes } from 'node:crypto'
import { hasPasswordField } from '#html.ts'
import { deniedMax, deniedPages, isDenied } from '#native/web/denied-pages.ts'
import { readAnswers } from '#native/web/api-answers.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { type Claim, identityCookies, identityHeaders } from '#native/web/identity-claims.ts'
import { requestWeb, webProof, type WebResponse } from '#native/web/request.ts'
import { readSite, type WebSite } from '#native/web/site.ts'

export const pathBypass = checkInfo({
  id: 'access-control-path-bypass',
  name: 'Access control bypass via path normalization',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:L/A:N',
  score: 8.2,
  summary:
    'The server denies access to a page, but returns it if the path is spelled differently, for example with an encoded letter or a second slash, or if a header overrides the path. The proxy and the application interpret the request differently.',
  impact: 'An attacker can use pages that only certain users or networks should have access to.',
  remediation:
    'Check access in the application as well. In the proxy, normalize the path before rules are applied, and remove the headers X-Original-URL and X-Rewrite-URL from requests.',
  reference: 'https://cwe.mitre.org/data/definitions/288.html',
  tags: 'misconfig auth bypass http',
  verifiedOn: 'haproxy-path-rule',
})
export const addressBypass = checkInfo({
  id: 'access-control-address-bypass',
  name: 'Access control bypass via the X-Forwarded-For header',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:L/A:N',
  score: 8.2,
  summary: 'The server denies access to a page, but returns it if the request claims to come from an internal address.',
  impact: 'An attacker can use pages that only certain networks should have access to.',
  remediation:
    'Use the address of the connection. Trust X-Forwarded-For and similar headers only from your own proxy, which must overwrite them.',
  reference: 'https://cwe.mitre.org/data/definitions/348.html',
  tags: 'misconfig auth bypass http',
  verifiedOn: 'nginx-forwarded',
})
export const identityBypass = checkInfo({
  id: 'access-control-identity-header',
  name: 'Authentication bypass via an identity header',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 9.1,
  summary:
    'The application takes the identity of the user from a request header that only its reverse proxy should set, such as X-Forwarded-User or X-Remote-User. The check received a page with the header that the server denies without it.',
  impact: 'An attacker can act as any user, including administrators, without a password.',
  remediation:
    'Accept the header only from the proxy: let the application listen on an address that only the proxy can reach, and let the proxy remove the header from all requests of clients before it sets its own.',
  reference: 'https://cwe.mitre.org/data/definitions/290.html',
  tags: 'misconfig auth bypass http',
  verifiedOn: 'identity-headers',
})

export const cookieBypass = checkInfo({
  id: 'access-control-identity-cookie',
  name: 'Authentication bypass via an unsigned cookie',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 9.1,
  summary:
    'The application takes the user, the role, or the login state from a cookie that is not signed, such as `role=admin`. The check received a page with the cookie that the server denies without it.',
  impact: 'An attacker can act as an administrator or another user, without a password.',
  remediation:
    'Keep the user and the role in a session on the server, or in a cookie that the server signs and verifies.',
  reference: 'https://cwe.mitre.org/data/definitions/565.html',
  tags: 'misconfig auth bypass http',
  verifiedOn: 'identity-cookies',
})

const markLength = 80
const addressHeaders = ['X-Forwarded-For', 'X-Real-IP', 'X-Client-IP', 'True-Client-IP']
const internalAddresses = ['127.0.0.1', '10.0.0.1', '192.168.0.1']

/** A request for a page in place of the ordinary one. */
interface Detour {
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
}

const spellings: readonly ((path: string) => Detour)[] = [
  (path) => ({ target: `/${path}` }),
  (path) => ({ target: path.replace(/^\/(.)/, (_, first: string) => `/%${first.charCodeAt(0).toString(16)}`) }),
  (path) => ({ target: `/x/..${path}` }),
  (path) => ({ target: `/.${path}` }),
  (path) => ({ target: path.replace(/^\/(.)/, (_, first: string) => `/${first.toUpperCase()}`) }),
  (path) => ({ target: path.replace(/^\/(.)/, (_, first: string) => `/${first.toUpperCase()}`).replace(/\/?$/, '/') }),
  (path) => ({ target: `${path}/` }),
  (path) => ({ target: `${path};/` }),
  (path) => ({ target: '/', headers: { 'X-Original-URL': path, 'X-Rewrite-URL': path } }),
  // The rule applies to the path in the header.
  (path) => ({ target: path, headers: { 'X-Original-URL': '/', 'X-Rewrite-URL': '/' } }),
]
const withIdentities = (path: string): Detour => ({ target: path, headers: Object.fromEntries(identityHeaders) })
const withCookies = (path: string): Detour => ({ target: path, headers: { Cookie: cookieHeader(identityCookies) } })
const origins: readonly ((path: string) => Detour)[] = internalAddresses.map((address) => (path) => ({
  target: path,
  headers: Object.fromEntries(addressHeaders.map((name) => [name, address])),
}))

export const webAccessBypass: NativeCheck = {
  checks: [pathBypass, addressBypass, identityBypass, cookieBypass],
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const denied = await deniedPages(context, site)
    const start = isDenied(site.front) ? [site.base] : []
    const all = [...new Set([...start, ...denied, ...(await deniedOperations(context))])]
    const byIdentity = await reachedBy(context, site, all, [withIdentities])
    const byCookie = await reachedBy(context, site, all, [withCookies])
    return {
      [pathBypass.id]: await reachedBy(context, site, denied, spellings),
      [addressBypass.id]: await reachedBy(context, site, all, origins),
      [identityBypass.id]:
        byIdentity &&
        (await withSingle(
          context,
          byIdentity,
          identityHeaders.map((header) => Object.fromEntries([header])),
        )),
      [cookieBypass.id]:
        byCookie &&
        (await withSingle(
          context,
          byCookie,
          identityCookies.map((cookie) => ({ Cookie: cookieHeader([cookie]) })),
        )),
    }
  },
}

/** Operations of an API that require authentication. */
async function deniedOperations(context: NativeContext): Promise<readonly string[]> {
  const answers = (await readAnswers(context)) ?? []
  return answers.flatMap(({ target, page }) => (isDenied(page) ? target : [])).slice(0, deniedMax)
}

/** The same with only the header that has the effect; with all of them if none has it alone. */
async function withSingle(
  context: NativeContext,
  proof: Proof,
  headers: readonly Readonly<Record<string, string>>[],
): Promise<Proof> {
  const { path = '/' } = proof
  for (const single of headers) {
    const page = await requestWeb(context, { target: path, headers: single })
    if (page?.status === 200) return { ...webProof(page, [page.body.trim().slice(0, markLength)]), path }
  }
  return proof
}

function cookieHeader(cookies: readonly Claim[]): string {
  return cookies.map((pair) => pair.join('=')).join('; ')
}

async function reachedBy(
  context: NativeContext,
  site: WebSite,
  denied: readonly string[],
  detours: readonly ((path: string) => Detour)[],
): Promise<Proof | null> {
  for (const path of denied) {
    for (const detour of detours) {
      const page = await requestWeb(context, detour(path))
      if (!page || !isOtherPage(page, site)) continue
      // A server that returns something for any path, or for any request with such a header, proves nothing.
      const unknown = await requestWeb(context, detour(`${site.base}${randomBytes(8).toString('hex')}`))
      if (!unknown || (unknown.status === page.status && unknown.body.length > 0)) continue
      const again = await requestWeb(context, { target: path, headers: { Accept: '*/*' } })
      if (!isDenied(again)) continue
      return { ...webProof(page, [page.body.trim().slice(0, markLength)]), path: detour(path).target }
    }
  }
  return null
}

/** A page with content that is neither the start page, the page for unknown paths, nor a login form. */
function isOtherPage({ status, body }: WebResponse, { front, unknown }: WebSite): boolean {
  return (
    status === 200 &&
    body.trim() !== '' &&
    ![front, unknown].some((page) => isAlike(page.body, body)) &&
    !hasPasswordField(body)
  )
}

/** The same text except for values of the same form, such as numbers used once. */
function isAlike(one: string, other: string): boolean {
  const plain = (text: string) => text.replaceAll(/[\da-f]{6,}|\d+/gi, '0').trim()
  return plain(one) === plain(other)
}

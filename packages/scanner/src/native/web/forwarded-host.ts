/** Pages for accounts whose links and forms lead to the host that a request names. */
import { randomBytes } from 'node:crypto'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { pathHere, requestWeb, webProof } from '#native/web/request.ts'
import { readPages } from '#native/web/site-pages.ts'
import { readSite } from '#native/web/site.ts'

export const forwardedHost = checkInfo({
  id: 'forwarded-host-trusted',
  name: 'Links on account pages use the X-Forwarded-Host header',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N',
  score: 6.1,
  summary:
    'A page for signing in, signing up, or resetting a password contains a link or form whose host is taken from the X-Forwarded-Host header of the request. The check sent a random host name.',
  impact:
    "Emails of such applications usually contain links with the same host. An attacker who requests a password reset for a user with the attacker's host receives the token when the user opens the link.",
  remediation:
    "Set the application's public URL in its configuration, and trust X-Forwarded-Host only from your own proxy, which must overwrite it.",
  reference: 'https://cwe.mitre.org/data/definitions/640.html',
  tags: 'misconfig auth http',
  verifiedOn: 'flask-forwarded-host',
})

const accountPath =
  /(?:forgot|forgotten|invite|join|log-?in|lost|passwords?|recover|recovery|register|registration|sign-?in|sign-?up)[^/]{0,20}\/?$/i
/** `/reset` alone doesn't say what it resets, and a link to reset a password may do so at once. */
const passwordLink =
  /<a\b[^<>]{0,200}?\bhref\s{0,9}=\s{0,9}["']?([^"'\s<>?#]{1,200})[^<>]{0,200}>[^<>]{0,40}\b(?:forgot(?:ten)?|lost|vergessen)\b[^<>]{0,40}</gi
const pagesMax = 3

export const webForwardedHost: NativeCheck = {
  checks: [forwardedHost],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const { pages } = await readPages(context, site)
    const named = pages.flatMap(({ path }) => path.split('?', 1)).filter((path) => accountPath.test(path))
    const linked = pages.flatMap(({ path, body }) =>
      [...body.matchAll(passwordLink).take(pagesMax)].flatMap(([, link = '']) => pathHere(link, path) ?? []),
    )
    for (const path of [...new Set([...linked, ...named])].slice(0, pagesMax)) {
      const proof = await linksToHost(context, path)
      if (proof) return { [forwardedHost.id]: proof }
    }
    return { [forwardedHost.id]: null }
  },
}

async function linksToHost(context: NativeContext, path: string): Promise<Proof | undefined> {
  const token = randomBytes(6).toString('hex')
  const host = `${token}.example`
  // The query keeps the page out of caches.
  const response = await requestWeb(context, {
    target: `${path}?glacis=${token}`,
    headers: { 'X-Forwarded-Host': host },
  })
  const link = new RegExp(`\\b(?:action|href)\\s{0,9}=\\s{0,9}["']?https?://${token}\\.example\\b`, 'i')
  const [found] = link.exec(response?.body ?? '') ?? []
  return response && found !== undefined ? { ...webProof(response, [found]), path } : undefined
}

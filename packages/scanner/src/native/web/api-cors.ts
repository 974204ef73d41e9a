/** APIs that let any website read their responses, although the start page doesn't. */
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { collectionsOf, readAnswers } from '#native/web/api-answers.ts'
import { checkInfo, type NativeCheck, type NativeContext } from '#native/native-check.ts'
import { folderOf, requestWeb, webProof, type WebResponse } from '#native/web/request.ts'
import { readSite, type WebSite } from '#native/web/site.ts'

const apiCors = checkInfo({
  id: 'cors-reflects-origin-api',
  name: 'CORS reflects any origin with credentials allowed (API)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:H/I:N/A:N',
  score: 5.3,
  summary:
    "An API endpoint copies the request's Origin into `Access-Control-Allow-Origin`, even if it is `null` or only resembles the site's own, and sends `Access-Control-Allow-Credentials: true`.",
  impact: "An attacker's website can send API requests in the session of a signed-in visitor and read the responses.",
  remediation:
    'Compare the whole Origin with an allowlist of your own sites, and allow credentials only for those. Do not allow `null`, and anchor patterns at both ends.',
  reference: 'https://fetch.spec.whatwg.org/#http-cors-protocol',
  tags: 'misconfig cors api',
  verifiedOn: 'fastapi-customers',
})
const callsMax = 3

export const webApiCors: NativeCheck = {
  checks: [apiCors],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const answers = await readAnswers(context)
    const site = await readSite(context)
    if (!answers || !site) return {}
    const answered = answers.filter(({ page }) => [200, 401, 403].includes(page.status)).map(({ target }) => target)
    const records = (await collectionsOf(context)).map(({ target, examples: [id = '1'] }) => target.replace('*', id))
    const calls = [...answered, ...records].slice(0, callsMax)
    const origins = originsOf(context, site)
    for (const target of calls) {
      for (const origin of origins) {
        const page = await requestFrom(context, target, origin)
        if (!page || !isReflected(page, origin)) continue
        // The start page has a check of its own.
        const front = await requestFrom(context, folderOf(context.basePath), origin)
        if (!front || (isReflected(front, origin) && origin === origins[0])) return { [apiCors.id]: null }
        return { [apiCors.id]: { ...webProof(page, [origin]), path: target } }
      }
    }
    return { [apiCors.id]: null }
  },
}

/** Another site, a page without an origin, and names that only begin or end like the site's own. */
function originsOf({ hostname }: NativeContext, { front }: WebSite): readonly string[] {
  const random = randomBytes(6).toString('hex')
  const [, canonical] =
    /<link\b[^>]{0,100}\srel=["']?canonical["']?[^>]{0,100}\shref=["']?https?:\/\/([\w.-]{1,200})/i.exec(front.body) ??
    []
  const own = canonical ?? hostname
  const parent = own.split('.').slice(-2).join('.')
  const likeOwn = isIP(own) ? [] : [`https://${own}.${random}.example`, `https://${random}${parent}`]
  return [`https://${random}.example`, 'null', ...likeOwn]
}

function requestFrom(context: NativeContext, target: string, origin: string): Promise<WebResponse | undefined> {
  return requestWeb(context, { target, headers: { Accept: 'application/json', Origin: origin } })
}

function isReflected({ headers }: WebResponse, origin: string): boolean {
  const valueOf = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
  return valueOf('access-control-allow-origin') === origin && valueOf('access-control-allow-credentials') === 'true'
}

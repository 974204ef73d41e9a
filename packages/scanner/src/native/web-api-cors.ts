/** APIs that let any website read their responses, although the start page doesn't. */
import { randomBytes } from 'node:crypto'
import { readAnswers } from '#native/api-answers.ts'
import { checkInfo } from '#native/native-check.ts'
import type { NativeCheck, NativeContext } from '#native/native-check.ts'
import { folderOf, requestWeb, webProof, type WebResponse } from '#native/web-request.ts'

const apiCors = checkInfo({
  id: 'cors-reflects-origin-api',
  name: 'API reflects any CORS origin with credentials allowed',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:H/I:N/A:N',
  score: 5.3,
  summary:
    "An API call copies the request's Origin into `Access-Control-Allow-Origin` and sends `Access-Control-Allow-Credentials: true`.",
  impact: "Any website that a signed-in user visits can read the API's responses with that user's session.",
  remediation: 'Compare Origin with an allowlist of your own sites, and allow credentials only for those.',
  reference: 'https://fetch.spec.whatwg.org/#http-cors-protocol',
  tags: 'misconfig cors api',
})
const callsMax = 3

export const webApiCors: NativeCheck = {
  checks: [apiCors],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const answers = await readAnswers(context)
    if (!answers) return {}
    const calls = answers.filter(({ page }) => [200, 401, 403].includes(page.status)).slice(0, callsMax)
    const origin = `https://${randomBytes(6).toString('hex')}.example`
    for (const { target } of calls) {
      const page = await requestFrom(context, target, origin)
      if (!page || !isReflected(page, origin)) continue
      // The start page has a check of its own.
      const front = await requestFrom(context, folderOf(context.basePath), origin)
      if (!front || isReflected(front, origin)) return { [apiCors.id]: null }
      return { [apiCors.id]: { ...webProof(page, [origin]), path: target } }
    }
    return { [apiCors.id]: null }
  },
}

function requestFrom(context: NativeContext, target: string, origin: string): Promise<WebResponse | undefined> {
  return requestWeb(context, { target, headers: { Accept: 'application/json', Origin: origin } })
}

function isReflected({ headers }: WebResponse, origin: string): boolean {
  const valueOf = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
  return valueOf('access-control-allow-origin') === origin && valueOf('access-control-allow-credentials') === 'true'
}

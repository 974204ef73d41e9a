/** Authentication that a server requires for listed methods only. */
import { randomBytes } from 'node:crypto'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { linkedPages } from '#native/web/parameters.ts'
import { folderOf, requestWeb, webProof, type WebResponse } from '#native/web/request.ts'
import { readSite } from '#native/web/site.ts'

const methodBypass = checkInfo({
  id: 'http-method-bypass',
  name: 'Authentication bypass via HTTP verb tampering',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'The server requires a password for GET, but returns the page for another HTTP method. The check sent the unknown method `GLACIS`, or `HEAD`, which returns the page without its content.',
  impact: 'An attacker can use the protected pages without a password.',
  remediation:
    'Protect all methods: remove `<Limit>` around `Require` in Apache, and the `http-method` elements of `security-constraint` in web.xml.',
  reference: 'https://httpd.apache.org/docs/2.4/mod/core.html#limit',
  tags: 'misconfig auth bypass http',
  verifiedOn: 'apache-limit',
})

const unknownMethod = 'GLACIS'
const unauthorized = 401
const markLength = 80

export const webMethodBypass: NativeCheck = {
  checks: [methodBypass],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const base = folderOf(context.basePath)
    for (const target of new Set([base, ...linkedPages(site)])) {
      const page = await requestWeb(context, { target })
      if (!page) return {}
      if (!requiresPassword(page)) continue
      const proof = (await bypassedBy(context, target, unknownMethod)) ?? (await bypassedBy(context, target, 'HEAD'))
      if (proof) return { [methodBypass.id]: proof }
    }
    return { [methodBypass.id]: null }
  },
}

async function bypassedBy(context: NativeContext, target: string, method: string): Promise<Proof | undefined> {
  const page = await requestWeb(context, { method, target })
  const isReached = page && (method === 'HEAD' ? page.status === 200 : isContent(page))
  if (!isReached) return undefined
  // Some servers answer a method with the same status everywhere.
  const missing = await requestWeb(context, {
    method,
    target: `${folderOf(target)}${randomBytes(8).toString('hex')}`,
  })
  if (!missing || missing.status === page.status) return undefined
  const mark = method === 'HEAD' ? `HTTP/1.1 ${page.status}` : page.body.trim().slice(0, markLength)
  return { ...webProof(page, [mark]), path: target }
}

function requiresPassword({ status, headers }: WebResponse): boolean {
  const challenge = headers.find(([name]) => name.toLowerCase() === 'www-authenticate')?.[1] ?? ''
  return status === unauthorized && /^(?:Basic|Digest)\b/i.test(challenge)
}

/** Neither a login form nor a message about the method. */
function isContent({ status, body }: WebResponse): boolean {
  const isMessage = body.length < 500 && /\bmethod\b|\bGLACIS\b/i.test(body)
  return status === 200 && body.trim() !== '' && !isMessage && !/type=["']?password/i.test(body)
}

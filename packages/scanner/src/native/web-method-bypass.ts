/** Authentication that a server requires for listed methods only. */
import { randomBytes } from 'node:crypto'
import { checkInfo } from '#native/native-check.ts'
import type { NativeCheck } from '#native/native-check.ts'
import { folderOf, requestWeb, webProof, type WebResponse } from '#native/web-request.ts'

const methodBypass = checkInfo({
  id: 'http-method-bypass',
  name: 'Authentication bypass via HTTP verb tampering',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'The server requires a password for GET, but returns the page for an unknown HTTP method. The check sent the method `GLACIS`.',
  impact: 'An attacker can use the protected pages without a password.',
  remediation:
    'Protect all methods: remove `<Limit>` around `Require` in Apache, and the `http-method` elements of `security-constraint` in web.xml.',
  reference: 'https://httpd.apache.org/docs/2.4/mod/core.html#limit',
  tags: 'misconfig auth bypass http',
})

const unknownMethod = 'GLACIS'
const unauthorized = 401
const markLength = 80

export const webMethodBypass: NativeCheck = {
  checks: [methodBypass],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const target = folderOf(context.basePath)
    const page = await requestWeb(context, { target })
    if (!page) return {}
    if (!requiresPassword(page)) return { [methodBypass.id]: null }
    const bypassed = await requestWeb(context, { method: unknownMethod, target })
    if (!bypassed) return {}
    if (!isContent(bypassed)) return { [methodBypass.id]: null }
    // Some servers answer an unknown method with the same text everywhere.
    const missing = await requestWeb(context, {
      method: unknownMethod,
      target: `${target}${randomBytes(8).toString('hex')}`,
    })
    if (!missing || missing.status === bypassed.status) return { [methodBypass.id]: null }
    const proof = webProof(bypassed, [bypassed.body.trim().slice(0, markLength)])
    return { [methodBypass.id]: { ...proof, path: target } }
  },
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

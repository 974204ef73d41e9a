/** Parameters and paths that the server inserts into the header of its response with their line breaks. */
import { randomBytes } from 'node:crypto'
import { checkInfo, type Proof } from '#native/native-check.ts'
import { type Parameter, placeOf } from '#native/web/parameters.ts'
import type { SendValue } from '#native/web/server-evaluation.ts'
import { webProof, type WebResponse } from '#native/web/request.ts'

export const headerInjection = checkInfo({
  id: 'crlf-injection-linked-parameter',
  name: 'CRLF injection in a request parameter or path',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N',
  score: 6.1,
  summary:
    'The server copies a request parameter, or the path in a redirect, to a response header without removing line breaks. The check added a header with a random value this way.',
  impact:
    "An attacker who gets a user to open a crafted link can set cookies, redirect the user, or run scripts in the site's origin.",
  remediation:
    'Reject line breaks in values that become headers. Current frameworks do so; update old ones. In nginx, use `$request_uri` instead of `$uri`, which is decoded.',
  reference: 'https://cwe.mitre.org/data/definitions/113.html',
  tags: 'injection crlf',
  verifiedOn: 'nginx-path-in-redirect python-redirects',
})

/** Pages that redirect to an address with their own path, which servers decode before they insert it. */
export async function addsHeaderToRedirect(
  paths: readonly string[],
  request: (path: string) => Promise<WebResponse | undefined>,
): Promise<Proof | null> {
  for (const path of paths) {
    const plain = await request(path)
    const location = plain?.headers.find(([name]) => name.toLowerCase() === 'location')?.[1]
    if (!location?.includes(path)) continue
    const token = randomBytes(6).toString('hex')
    const response = await request(`${path}%0d%0aX-Glacis:%20${token}`)
    if (response && hasHeader(response, token)) return { ...webProof(response, [token]), path }
  }
  return null
}

export async function addsHeader(parameter: Parameter, send: SendValue): Promise<Proof | null> {
  const token = randomBytes(6).toString('hex')
  const response = await send(`${parameter.value}\r\nX-Glacis: ${token}`)
  return response && hasHeader(response, token) ? { ...webProof(response, [token]), path: placeOf(parameter) } : null
}

function hasHeader({ headers }: WebResponse, token: string): boolean {
  return headers.some(([name, text]) => name.toLowerCase() === 'x-glacis' && text.startsWith(token))
}

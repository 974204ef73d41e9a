/** Cookies whose value is a serialized object of a language, without a signature. */
import { checkInfo } from '#native/native-check.ts'
import type { Cookie } from '#native/web/cookie-signatures.ts'

export const serializedCookie = checkInfo({
  id: 'cookie-serialized-object',
  name: 'Cookie contains a serialized object without a signature',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 8.1,
  summary:
    'The server stores an object or array in a cookie in a format that can contain code or instances of any class (Python pickle, Java, PHP, Ruby Marshal, or .NET), and does not sign it.',
  impact:
    'If the server restores the object from the cookie, an attacker can usually run any code with the permissions of the application.',
  remediation:
    'Store such data in a session on the server, or as JSON in a cookie that the server signs and verifies before it reads it.',
  reference: 'https://cwe.mitre.org/data/definitions/502.html',
  tags: 'misconfig deserialization cookie',
  verifiedOn: 'serialized-cookies',
})

/** An object of PHP, from its class to its last member, or an array, in which `unserialize` also accepts objects. */
const phpObject = /^(?:O:\d{1,3}:"[\w\\]{1,80}"|a):\d{1,3}:\{[^\n]{0,3000}\}$/

/** The language whose objects the cookie contains. */
export function languageOf(cookie: Cookie): string | undefined {
  // Python shows bytes this way where a text is expected.
  const value = /^b'([\w+/=-]{8,4000})'$/.exec(cookie.value)?.[1] ?? cookie.value
  if (phpObject.test(value)) return 'PHP'
  // Two hyphens separate the signature of Rack.
  if (/[^\w+/=-]|--/.test(value) || value.length < 8) return undefined
  const bytes = Buffer.from(value, 'base64')
  const start = bytes.toString('hex', 0, 5)
  if (/^80(?:02|03|04|05)/.test(start) && bytes.at(-1) === 0x2e) return 'Python'
  if (start.startsWith('aced0005')) return 'Java'
  if (/^0408(?:7b|5b|6f)/.test(start)) return 'Ruby'
  if (bytes.toString('hex', 0, 9) === '0001000000ffffffff') return '.NET'
  return phpObject.test(bytes.toString('latin1')) ? 'PHP' : undefined
}

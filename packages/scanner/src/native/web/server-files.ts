/** Parameters that the server uses as the path of a file. */
import { randomBytes } from 'node:crypto'
import { checkInfo, type Proof } from '#native/native-check.ts'
import { type Parameter, placeOf } from '#native/web/parameters.ts'
import type { SendValue } from '#native/web/server-evaluation.ts'
import { webProof } from '#native/web/request.ts'

export const fileTraversal = checkInfo({
  id: 'path-traversal-linked-parameter',
  name: 'Path traversal in a request parameter',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary: 'A request parameter accepts a path outside the intended directory. The check read /etc/passwd this way.',
  impact: 'An attacker can read any file that the server process can read, including keys and passwords.',
  remediation:
    'Resolve the path and reject it if it is outside the intended directory, or accept identifiers instead of file names.',
  reference: 'https://cwe.mitre.org/data/definitions/22.html',
  tags: 'lfi traversal files',
  verifiedOn: 'fastapi-parameters orders-api',
})
export const phpInclusion = checkInfo({
  id: 'php-file-inclusion',
  name: 'PHP file inclusion',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'The application includes the file specified in a parameter of a link, and accepts stream wrappers such as `php://filter`. The check read the source code of a page this way.',
  impact: "An attacker can read the application's source code and, with chained filters, run code on the server.",
  remediation: 'Include only files from a fixed list, and map names from parameters to that list.',
  reference: 'https://cwe.mitre.org/data/definitions/98.html',
  tags: 'lfi php rce',
  verifiedOn: 'php-pages',
})

const climb = '../'.repeat(12)
/** A page may insert the file in the middle of a line. */
const passwords = /(?<![\w.@-])root:[^:\s]{0,200}:0:0:[^\n]{0,300}/

export async function proveFileTraversal(parameter: Parameter, send: SendValue): Promise<Proof | null> {
  for (const value of [`${climb}etc/passwd`, '/etc/passwd']) {
    const response = await send(value)
    const [line] = passwords.exec(response?.body ?? '') ?? []
    if (response?.status !== 200 || line === undefined) continue
    const control = await send(`${value}-${randomBytes(6).toString('hex')}`)
    if (!control || passwords.test(control.body)) continue
    return { ...webProof(response, [line]), path: placeOf(parameter) }
  }
  return null
}

/** `<?php` or `<?=` in Base64, at the start of a file. */
const encodedSource = /(?:PD9waH|PD89)[\w+/]{8,100}/

/** Reads the included file itself: with its ending, or without one if the application appends it. */
export async function provePhpInclusion(parameter: Parameter, send: SendValue): Promise<Proof | null> {
  const { value } = parameter
  if (!/^[\w./-]{1,100}$/.test(value)) return null
  const response = await send(`php://filter/convert.base64-encode/resource=${value}`)
  const [source] = encodedSource.exec(response?.body ?? '') ?? []
  if (!response || source === undefined) return null
  const plain = await send(value)
  return plain && !plain.body.includes(source) ? { ...webProof(response, [source]), path: placeOf(parameter) } : null
}

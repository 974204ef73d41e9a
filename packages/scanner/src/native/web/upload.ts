/** Uploads with the method PUT (RFC 9110, section 9.3.4), with or without WebDAV. */
import { randomBytes } from 'node:crypto'
import { foldersOf } from '#native/web/named-paths.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { requestWeb, webProof } from '#native/web/request.ts'
import { readSite } from '#native/web/site.ts'

const upload = checkInfo({
  id: 'http-put-open',
  name: 'Unauthenticated file upload with HTTP PUT',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:H/A:L',
  score: 8.2,
  summary:
    'The web server stores files that unauthenticated clients send with PUT. The check uploaded a text file with a random name, read it back, and deleted it.',
  impact:
    'An attacker can replace files and host content on your server. Where the server runs scripts, the attacker can upload one and run code.',
  remediation:
    'Require authentication for PUT and DELETE, or disable them: `dav_methods off;` in nginx, `Dav Off` in Apache, `readonly` set to `true` for the DefaultServlet in Tomcat.',
  reference: 'https://cwe.mitre.org/data/definitions/434.html',
  tags: 'misconfig http webdav unauth',
  verifiedOn: 'apache2-webdav tomcat-put webdav-robots wsgidav',
})
const folders = ['', 'webdav/', 'dav/', 'uploads/', 'upload/', 'files/']

export const webUpload: NativeCheck = {
  permission: 'writes',
  checks: [upload],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    for (const folder of await foldersOf(context, site, folders)) {
      const proof = await uploadTo(folder, context)
      if (proof !== null) return proof === undefined ? {} : { [upload.id]: proof }
    }
    return { [upload.id]: null }
  },
}

/** @returns null if the server refused the file; undefined if it didn't answer */
async function uploadTo(folder: string, context: NativeContext): Promise<Proof | null | undefined> {
  const target = `${folder}glacis-${randomBytes(6).toString('hex')}.txt`
  const body = `Upload test of a security scan: ${randomBytes(9).toString('hex')}\n`
  const stored = await requestWeb(context, { method: 'PUT', target, headers: { 'Content-Type': 'text/plain' }, body })
  if (!stored) return undefined
  if (![200, 201, 204].includes(stored.status)) return null
  const read = await requestWeb(context, { target })
  const deleted = await requestWeb(context, { method: 'DELETE', target })
  if (read?.status !== 200 || read.body.trim() !== body.trim()) return null
  const answer = [stored, read, ...(deleted ? [deleted] : [])].map(({ received }) => received).join('\n')
  return { ...webProof({ ...stored, received: answer }, [body.trim()]) }
}

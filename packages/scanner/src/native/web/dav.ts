/** WebDAV shares, which PROPFIND lists (RFC 4918, section 9.1). */
import { foldersOf } from '#native/web/named-paths.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { requestWeb, webProof } from '#native/web/request.ts'
import { readSite } from '#native/web/site.ts'

const shareOpen = checkInfo({
  id: 'webdav-open',
  name: 'WebDAV share exposed without authentication',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary: 'The server lists the files of a WebDAV share to unauthenticated clients.',
  impact: 'An attacker can list and download all files in the share and, if it is writable, upload files.',
  remediation:
    'Require authentication for all WebDAV methods (`Require valid-user` in Apache, `auth_basic` in nginx, a user mapping in WsgiDAV), or disable WebDAV.',
  reference: 'https://www.rfc-editor.org/rfc/rfc4918#section-9.1',
  tags: 'misconfig webdav unauth',
  verifiedOn: 'apache2-webdav dufs juicefs nginx-webdav rclone-webdav webdav-robots webdav-server wsgidav',
})
const commonFolders = ['', 'webdav/', 'dav/']
const sharesMs = 8000

export const webDav: NativeCheck = {
  checks: [shareOpen],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const stopAt = performance.now() + sharesMs
    for (const folder of await foldersOf(context, site, commonFolders)) {
      // A slow server would otherwise take the time of all other checks.
      if (performance.now() > stopAt) return {}
      const proof = await listShare(context, folder)
      if (proof !== null) return proof === undefined ? {} : { [shareOpen.id]: proof }
    }
    return { [shareOpen.id]: null }
  },
}

/** @returns null if the folder isn't a share; undefined if the server didn't answer */
async function listShare(context: NativeContext, target: string): Promise<Proof | null | undefined> {
  const response = await requestWeb(context, { method: 'PROPFIND', target, headers: { Depth: '1' } })
  if (!response) return undefined
  const isListed =
    response.status === 207 && /<(?:\w{1,40}:)?multistatus[\s>][\s\S]{0,4000}?<(?:\w{1,40}:)?href>/i.test(response.body)
  // Some web servers also describe a page this way, without listing files. The root of a calendar server names the
  // user that it assigns to the client.
  const [kind] =
    /<(?:\w{1,40}:)?collection\b[^>]{0,300}>|<(?:\w{1,40}:)?current-user-principal>\s{0,99}<(?:\w{1,40}:)?href>/i.exec(
      response.body,
    ) ?? []
  return isListed && kind !== undefined ? { ...webProof(response, [kind]), path: target } : null
}

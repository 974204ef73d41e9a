/** Tomcat ignores what follows a semicolon in a path, so that it reads `..;` as `..`. Proxies don't. */
import { randomBytes } from 'node:crypto'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { folderOf, requestWeb, webProof, type WebResponse } from '#native/web/request.ts'

const managerReachable = checkInfo({
  id: 'tomcat-manager-through-path-parameter',
  name: 'Tomcat Manager reachable through the reverse proxy (..;)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:N',
  score: 6.5,
  summary:
    'The reverse proxy in front of Tomcat does not reject `..;` in paths, which Tomcat interprets as `..`. The check used it to reach the Manager application, which the proxy does not publish.',
  impact:
    "An attacker can bypass the proxy's access rules, open every application on the server, and guess the Manager's password. With it, the attacker can run code on the server.",
  remediation:
    'Reject paths with a semicolon in the proxy (nginx: `if ($request_uri ~ ";") { return 400; }`; Apache: `RewriteRule ";" - [F]`), and remove the Manager or restrict it with a `RemoteAddrValve`.',
  reference: 'https://tomcat.apache.org/tomcat-9.0-doc/security-howto.html',
  tags: 'misconfig tomcat proxy bypass',
  verifiedOn: 'tomcat-semicolon',
})

export const webPathParameter: NativeCheck = {
  checks: [managerReachable],
  isPerFolder: true,
  appliesTo: ({ protocol, technologies }) =>
    protocol === 'http' && technologies.some(({ wfn }) => wfn.product === 'tomcat'),
  async run(context) {
    const base = folderOf(context.basePath)
    const folder = base === '/' ? `/${randomBytes(8).toString('hex')}/` : base
    const target = `${folder}${'..;/'.repeat(folder.split('/').length - 2)}manager/html`
    const page = await requestWeb(context, { target })
    if (!page) return {}
    const sign = signOfManager(page)
    const direct = sign === undefined ? undefined : await requestWeb(context, { target: '/manager/html' })
    if (sign === undefined || !direct || signOfManager(direct) !== undefined) return { [managerReachable.id]: null }
    return { [managerReachable.id]: { ...webProof(page, [sign]), path: target } }
  },
}

/** What the Manager sends without a password, or to an address that isn't allowed to use it. */
function signOfManager({ status, headers, body }: WebResponse): string | undefined {
  const challenge = headers.find(([name]) => name.toLowerCase() === 'www-authenticate')?.[1] ?? ''
  if (status === 401) return /Tomcat Manager Application/.exec(challenge)?.[0]
  if (status === 403) return /\bconf\/tomcat-users\.xml\b|\bMETA-INF\/context\.xml\b/.exec(body)?.[0]
  return status === 200 ? /Tomcat Web Application Manager/.exec(body)?.[0] : undefined
}

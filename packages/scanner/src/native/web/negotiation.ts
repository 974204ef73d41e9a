/** Apache content negotiation (MultiViews) lists all files whose names start with the requested one. */
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { folderOf, requestWeb, webProof } from '#native/web/request.ts'

const filesListed = checkInfo({
  id: 'apache-multiviews',
  name: 'File names disclosed by Apache content negotiation (MultiViews)',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary:
    'The Apache HTTP Server lists all files whose names start with the requested name if the client accepts none of their types.',
  impact: 'An attacker can find files that no page links to, such as backups and other versions of a page.',
  remediation: 'Remove `MultiViews` from `Options`, or disable mod_negotiation with `a2dismod negotiation`.',
  reference: 'https://httpd.apache.org/docs/2.4/content-negotiation.html',
  tags: 'misconfig apache disclosure',
  verifiedOn: 'apache-multiviews',
})

/** Names of start pages. */
const names = ['index', 'default']
const notAcceptable = 406
const alternative = /\{"([^"]{1,200})" [\d.]{1,5} \{type [^}]{1,100}\}/

export const webNegotiation: NativeCheck = {
  checks: [filesListed],
  appliesTo: ({ protocol, technologies }) =>
    protocol === 'http' && technologies.some(({ wfn }) => wfn.product === 'http_server'),
  async run(context) {
    for (const name of names) {
      const target = `${folderOf(context.basePath)}${name}`
      const page = await requestWeb(context, { target, headers: { Accept: 'application/x-glacis' } })
      if (!page) return {}
      const listed = page.headers.find(([header]) => header.toLowerCase() === 'alternates')?.[1] ?? ''
      const [found, file = ''] = alternative.exec(listed) ?? []
      if (page.status !== notAcceptable || found === undefined || !file.startsWith(`${name}.`)) continue
      return { [filesListed.id]: { ...webProof(page, [found]), path: target } }
    }
    return { [filesListed.id]: null }
  },
}

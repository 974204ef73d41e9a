/** Git and Subversion repositories that a web server publishes. */
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { folderOf, pathHere, requestWeb, webProof, type WebResponse } from '#native/web/request.ts'

const gitRead = checkInfo({
  id: 'git-http-open',
  name: 'Git repository exposed without authentication over HTTP',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary:
    'A Git repository that a page of the web server refers to can be cloned without authentication. The check only listed its branches.',
  impact: 'An attacker can clone the source code with its full history.',
  remediation:
    'Unless the code is public, require authentication for all repositories, for example with `auth_basic "Git"; auth_basic_user_file /etc/nginx/git.htpasswd;` in the location of git-http-backend in nginx, or `Require valid-user` in Apache.',
  reference: 'https://git-scm.com/docs/git-http-backend',
  tags: 'misconfig git unauth http',
  verifiedOn: 'git-http',
})
const gitPush = checkInfo({
  id: 'git-http-anonymous-push',
  name: 'Git repository writable without authentication over HTTP',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:H/A:H',
  score: 9.1,
  summary:
    'The web server offers the git-receive-pack service, which accepts pushes, for a repository without authentication. The check did not push anything.',
  impact: 'An attacker can change the source code, and run code wherever it is built or deployed.',
  remediation:
    'Disable pushes without authentication with `git config http.receivepack false` in the repository, or require authentication for git-receive-pack in the web server.',
  reference: 'https://git-scm.com/docs/git-http-backend',
  tags: 'misconfig git unauth http',
  verifiedOn: 'git-http',
})
const subversionRead = checkInfo({
  id: 'svn-http-open',
  name: 'Subversion repository exposed without authentication over HTTP',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary: 'A Subversion repository can be read over HTTP without authentication.',
  impact: 'An attacker can check out the source code with its full history.',
  remediation:
    'Unless the code is public, require authentication in the `<Location>` of the repositories: `AuthType Basic`, `AuthUserFile /etc/svn/users`, and `Require valid-user`.',
  reference: 'https://svnbook.red-bean.com/en/1.8/svn.serverconfig.httpd.html',
  tags: 'misconfig svn unauth http',
  verifiedOn: 'svn-apache',
})
const repositoriesMax = 3
const addressesMax = 100

/** Repositories whose clone URL is shown on a page. */
export const gitOverHttp: NativeCheck = {
  checks: [gitRead, gitPush],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const base = folderOf(context.basePath)
    const page = await requestWeb(context, { target: base })
    if (!page) return {}
    for (const path of repositoriesIn(page.body, base)) {
      const read = await advertised(context, path, 'git-upload-pack')
      const push = await advertised(context, path, 'git-receive-pack')
      if (read || push) return { [gitRead.id]: read ?? null, [gitPush.id]: push ?? null }
    }
    return { [gitRead.id]: null, [gitPush.id]: null }
  },
}

/** Paths of repositories in addresses anywhere in a page, and in its links: `/git/shop.git`. */
export function repositoriesIn(html: string, base: string): readonly string[] {
  const addresses = html.matchAll(/\bhttps?:\/\/[\w.:-]{1,200}(\/[\w.~+/-]{1,200}?\.git)(?![\w.-])/g)
  const links = html.matchAll(/\shref\s{0,9}=\s{0,9}["']?([\w.~+/-]{1,200}?\.git)\/?["'\s>]/gi)
  const paths = [
    ...addresses.take(addressesMax).map(([, path = '']) => path),
    ...[...links.take(addressesMax)].flatMap(([, link = '']) => pathHere(link, base) ?? []),
  ]
  return [...new Set(paths)].filter((path) => !path.endsWith('/.git')).slice(0, repositoriesMax)
}

/** The first request of a clone or push in the smart protocol (https://git-scm.com/docs/gitprotocol-http). */
async function advertised(context: NativeContext, path: string, service: string): Promise<Proof | undefined> {
  const target = `${path}/info/refs?service=${service}`
  const response = await requestWeb(context, { target })
  const [announcement] = /^[0-9a-f]{4}# service=git-(?:upload|receive)-pack\n/.exec(response?.body ?? '') ?? []
  if (response?.status !== 200 || announcement?.slice(4).trim() !== `# service=${service}`) return undefined
  return { ...webProof(response, [announcement.trim()]), path: target }
}

/** Repositories that Apache's module lists as pages. */
export const subversionOverHttp: NativeCheck = {
  checks: [subversionRead],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const base = folderOf(context.basePath)
    const page = await requestWeb(context, { target: base })
    if (!page) return {}
    for (const path of [base, ...listedRepositories(page, base)]) {
      const repository = path === base ? page : await requestWeb(context, { target: path })
      const heading = repository?.status === 200 && revision.exec(repository.body)?.[0]
      if (repository && heading) return { [subversionRead.id]: { ...webProof(repository, [heading]), path } }
    }
    return { [subversionRead.id]: null }
  },
}

/** The first repositories that the module lists with `SVNListParentPath on`. */
function listedRepositories({ body }: WebResponse, base: string): string[] {
  if (!/<title>Collection of Repositories<|\bpath="Collection of Repositories"/.test(body)) return []
  const links = body.matchAll(/<(?:li><a|dir name="[^"<>]{1,200}")\s{1,20}href="([\w~%-][\w.~%-]{0,200}\/)"/g)
  return links
    .take(repositoriesMax)
    .map(([, name = '']) => `${base}${name}`)
    .toArray()
}

/** The title and heading of a folder in a repository, or its description with `SVNIndexXSLT`. */
const revision =
  /<title>(?:[^<]{1,200} - )?Revision \d{1,9}: \/[^<]{0,300}<\/title>\s{0,20}<\/head>\s{0,20}<body>\s{0,20}<h2>|<svn version="[^"]{1,100}"\s{1,20}href="[^"]{1,100}">\s{0,20}<index rev="\d{1,9}" path="\/[^"]{0,300}"/

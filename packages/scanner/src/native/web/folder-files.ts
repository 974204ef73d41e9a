/** Files that don't belong on a web server, in the folders of applications below its root. */
import { randomBytes } from 'node:crypto'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { folderOf, requestWeb, targetHere, webProof } from '#native/web/request.ts'
import { readPages } from '#native/web/site-pages.ts'
import { readSite } from '#native/web/site.ts'

export const exposedFile = checkInfo({
  id: 'application-files-exposed',
  name: 'Sensitive application files exposed',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'A file that is not meant for visitors can be downloaded from a directory of an application: repository metadata, settings, a backup, or a database dump.',
  impact: "An attacker can read the application's source code or data, and in many cases its passwords and keys.",
  remediation:
    'Remove the file or deny access to it, deploy only what visitors need, and rotate every secret that it contains.',
  reference: 'https://cwe.mitre.org/data/definitions/538.html',
  tags: 'exposure files backup config',
  verifiedOn: 'nginx-application-files',
})

const phpSettings = [/^\s{0,9}<\?php/, /pass(?:word|wd)|DB_|secret/i]
const dump = [/^(?:-- (?:MySQL|MariaDB|PostgreSQL|phpMyAdmin)\b|(?:CREATE TABLE|INSERT INTO|DROP TABLE)\s)/m]
const archives = [
  ['zip', new RegExp(String.raw`^PK\x03\x04`)],
  ['tar.gz', new RegExp(String.raw`^\x1f\ufffd\x08`)],
] as const
/** File names, and what their content must match. */
const files: readonly (readonly [string, readonly RegExp[]])[] = [
  ['.git/HEAD', [/^(?:ref: refs\/heads\/\S{1,200}|[0-9a-f]{40})\s{0,2}$/]],
  ['.env', [/^[A-Z][A-Z0-9_]{1,60}\s?=/m, /\n[A-Z][A-Z0-9_]{1,60}\s?=/]],
  ['.svn/wc.db', [/^SQLite format 3/]],
  ['.htpasswd', [/^[\w.@-]{1,60}:(?:\$apr1\$|\$2[aby]\$|\{SHA\}|\$[156]\$)/m]],
  ['config.php.bak', phpSettings],
  ['config.php~', phpSettings],
  ...archives.map(([ending, sign]) => [`backup.${ending}`, [sign]] as const),
  ['backup.sql', dump],
  ['dump.sql', dump],
]
const history = /^(?:cat|cd|exit|git|ls|mysql|nano|psql|ssh|sudo|vi|vim)\b[^\n]{0,200}/
const historyFiles = [
  ['.bash_history', [new RegExp(history.source, 'm'), new RegExp(`\\n${history.source.slice(1)}`)]],
] as const
const foldersMax = 3
const bytesMax = 65_536
const foldersMs = 5000
/** Folders of assets, which contain no application. */
const assets =
  /^\/(?:assets?|build|css|dist|fonts?|icons?|images?|img|js|media|node_modules|pics|pictures|public|scripts?|static|styles?|themes?|vendor|[._@][^/]{0,60})\/$/i

export const folderFiles: NativeCheck = {
  checks: [exposedFile],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    // The files of the root have checks of their own.
    const { pages } = await readPages(context, site)
    const folders = site.base === '/' ? foldersIn(pages.map(({ body }) => body).join('\n')) : [site.base]
    const stopAt = performance.now() + foldersMs
    for (const folder of folders) {
      // A slow server would otherwise take the time of all other checks.
      if (performance.now() > stopAt) return {}
      const proof = await fileIn(context, folder)
      if (proof) return { [exposedFile.id]: proof }
    }
    return { [exposedFile.id]: null }
  },
}

/** The first folders that a page links to. */
export function foldersIn(html: string): readonly string[] {
  const links = html.matchAll(
    /<(?:a|form|frame|iframe)\b[^<>]{0,300}?\b(?:href|action|src)\s{0,9}=\s{0,9}["']?([^"'\s<>]{1,300})/gi,
  )
  const paths = [...links].flatMap(([, link = '']) => targetHere(link, '/')?.split(/[?#]/, 1) ?? [])
  const folders = paths.flatMap((path) => /^\/[\w.~-]{1,60}\//.exec(folderOf(path))?.[0] ?? [])
  return [...new Set(folders)].filter((folder) => !assets.test(folder)).slice(0, foldersMax)
}

async function fileIn(context: NativeContext, folder: string): Promise<Proof | undefined> {
  const control = await requestWeb(context, { target: `${folder}${randomBytes(8).toString('hex')}.bak` })
  if (!control || control.status === 200) return undefined
  const [, ownName = ''] = /([^/]{1,80})\/$/.exec(folder) ?? []
  const named = archives.flatMap(([ending, sign]) =>
    [`${ownName}.${ending}`, `backup/${ownName}.${ending}`].map((name) => [name, [sign]] as const),
  )
  for (const [name, signs] of [...files, ...(ownName.startsWith('~') ? historyFiles : named)]) {
    const target = `${folder}${name}`
    const file = await requestWeb(context, { target, bytesMax })
    if (!file) return undefined
    const isPage = /<html|<!doctype/i.test(file.body)
    const found = file.status === 200 && !isPage ? signs.map((sign) => sign.exec(file.body)?.[0]) : []
    if (found.length > 0 && found.every((part) => part !== undefined))
      return {
        ...webProof(
          file,
          found.map((part) => part.slice(0, 100)),
        ),
        path: target,
      }
  }
  return undefined
}

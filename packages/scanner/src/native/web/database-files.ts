/** Databases that an application keeps inside the web root, at a documented path. */
import { checkInfo, type NativeCheck, type NativeContext } from '#native/native-check.ts'
import { folderOf, pathHere, requestWeb, webProof } from '#native/web/request.ts'
import { readSite, type WebSite } from '#native/web/site.ts'

export const exposedDatabase = checkInfo({
  id: 'application-database-exposed',
  name: 'Application database exposed (SQLite)',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    "The application's SQLite database is inside the web root, at the path given in the application's documentation, and can be downloaded.",
  impact: 'An attacker can download the entire database, including accounts and password hashes.',
  remediation:
    'Move the database out of the web root, for example in MediaWiki with `$wgSQLiteDataDir = "/var/lib/mediawiki";` in LocalSettings.php, or deny access to its directory. Treat the data as compromised: reset passwords, and invalidate sessions and tokens.',
  reference: 'https://cwe.mitre.org/data/definitions/538.html',
  tags: 'exposure files config',
  verifiedOn: 'mediawiki-sqlite',
})

/** By the name of the product in lower case. */
const documented: Readonly<Record<string, readonly string[]>> = {
  drupal: ['sites/default/files/.ht.sqlite'],
  kanboard: ['data/db.sqlite'],
  nextcloud: ['data/nextcloud.db', 'data/owncloud.db'],
  owncloud: ['data/owncloud.db'],
  wordpress: ['wp-content/database/.ht.sqlite'],
}
const database = /^SQLite format 3/
const headBytes = 1024

export const databaseFiles: NativeCheck = {
  checks: [exposedDatabase],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const names = context.service.technologies.map(({ name }) => name.toLowerCase())
    const site = names.some((name) => name === 'mediawiki' || documented[name]) ? await readSite(context) : undefined
    if (!site) return {}
    const fixed = names.flatMap((name) => documented[name] ?? []).map((name) => `${site.base}${name}`)
    const targets = new Set([...fixed, ...(await wikiDatabases(context, site))])
    for (const target of targets) {
      const file = await requestWeb(context, {
        target,
        headers: { Range: `bytes=0-${headBytes - 1}` },
        bytesMax: 16 * headBytes,
      })
      const [found] = file?.status === 200 || file?.status === 206 ? (database.exec(file.body) ?? []) : []
      if (file && found !== undefined) return { [exposedDatabase.id]: { ...webProof(file, [found]), path: target } }
    }
    return { [exposedDatabase.id]: null }
  },
}

const wikiApi = /<link\b[^<>]{0,80}\brel="EditURI"[^<>]{0,80}\bhref="([^"<>]{0,300})\/api\.php\?action=rsd"/
const wikiId = /"dbtype"\s{0,3}:\s{0,3}"sqlite"[\s\S]{0,5000}?"wikiid"\s{0,3}:\s{0,3}"([\w-]{1,64})"/

/** MediaWiki's API states the kind and the name of its database. */
async function wikiDatabases(context: NativeContext, { front }: WebSite): Promise<readonly string[]> {
  const [, address] = wikiApi.exec(front.body) ?? []
  // The link has the wiki's own hostname.
  const here = address?.replace(/^(?:https?:)?\/\/[^/]{1,260}/, '')
  const folder = here === undefined ? undefined : folderOf(pathHere(`${here}/`, '/') ?? '')
  if (folder === undefined || folder === '') return []
  const info = await requestWeb(context, { target: `${folder}api.php?action=query&meta=siteinfo&format=json` })
  const [, id] = info?.status === 200 ? (wikiId.exec(info.body) ?? []) : []
  return id === undefined ? [] : [`${folder}data/${id}.sqlite`]
}

/** Files with secrets or personal data that a directory listing, robots.txt, the sitemap, or a link names. */
import { linksOf } from '#native/web/html-forms.ts'
import { contentFolders, foldersIn, listedNames, listsOnlyAssets } from '#native/web/listing.ts'
import { listedTargets, ruledPaths } from '#native/web/named-paths.ts'
import { checkInfo, type NativeCheck, type NativeContext } from '#native/native-check.ts'
import { pathIn } from '#native/web/parameters.ts'
import { isDecisive, normalized, personalMember } from '#native/web/personal-data.ts'
import { kindOf, recordsIn } from '#native/web/record-kinds.ts'
import { readPages } from '#native/web/site-pages.ts'
import { secretKeyIn } from '#native/web/script-secrets.ts'
import { isDestructive } from '#native/web/verbs.ts'
import { folderOf, pathHere, requestWeb, webProof } from '#native/web/request.ts'
import { readSite, type WebSite } from '#native/web/site.ts'

export const confidentialFile = checkInfo({
  id: 'confidential-files-exposed',
  name: 'Files with secrets or personal data exposed',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'A file that a directory listing, robots.txt, the sitemap, or a link refers to can be downloaded without authentication. It contains passwords, keys, or personal data, or it is a backup or a database.',
  impact: 'An attacker can read the data, and use the passwords and keys to access other systems.',
  remediation:
    'Move the file out of the web root, disable directory listings, and rotate every secret that the file contains.',
  reference: 'https://cwe.mitre.org/data/definitions/538.html',
  tags: 'exposure files backup secrets',
  verifiedOn: 'nginx-listed-files',
})

const filesMax = 16
const listingsMax = 6
const bytesMax = 65_536
const filesMs = 8000
/** Files that are meant to be read, such as examples and translations. */
const harmless =
  /example|sample|template|dummy|schema|swagger|openapi|manifest|package(?:-lock)?\.json|composer\.|\/(?:i18n|lang|languages|locales?|translations?)\//i

interface FileKind {
  readonly names: RegExp
  /** @returns the part of the content that proves it */
  readonly proof: (content: string, path: string) => string | undefined
}

const privateKey = /-----BEGIN (?:[A-Z]{2,9} )?PRIVATE KEY-----|^PuTTY-User-Key-File-\d/m
/** A value that isn't a placeholder, a reference, or a word of a user interface. */
const secretValue = String.raw`(?!\$\{|\$[A-Z(]|<|%|\{\{|change|your|example|placeholder|redacted|process\.|os\.)(?=[^\s"'<>]{0,60}[\d!@#$%^&*+_./-])[^\s"'<>,;]{6,200}`
const secret = new RegExp(
  String.raw`(?:^|[\s"'_.<\[?&$-])(?:password|passwd|passwort|kennwort|passphrase|pass|pwd|psk|secret|secret[_-]?key|api[_-]?key|access[_-]?key|(?:auth|access)?[_-]?token|private[_-]?key)["'\]]?\s{0,9}(?:=>|[:=>])\s{0,9}["']?${secretValue}`,
  'im',
)
const passwordHash = /^[\w.@-]{1,60}:(?:\$apr1\$|\$2[aby]\$|\{SHA\}|\$[156]\$)[^\n]{0,100}/m
const dump =
  /^(?:-- (?:MySQL|MariaDB|PostgreSQL|phpMyAdmin)\b[^\n]{0,60}|(?:INSERT INTO|COPY) [^\n]{0,200}?(?:account|address|credential|customer|e_?mail|employee|member|order|pass|person|session|user)[^\n]{0,200})/im
const archive = new RegExp(String.raw`^(?:PK\x03\x04|\x1f[\x8b\ufffd]\x08|BZh\d|\ufffd7zXZ|7z\ufffd\ufffd|Rar!)`)
const database = /^SQLite format 3/

const first = (sign: RegExp) => (content: string) => sign.exec(content)?.[0]

const kinds: readonly FileKind[] = [
  { names: /\.(?:key|pem|ppk|rsa)$|\/id_(?:rsa|dsa|ecdsa|ed25519)$/i, proof: first(privateKey) },
  { names: /\.(?:htpasswd|passwd|shadow)(?:[.~]\w{0,8})?$|\/(?:htpasswd|passwd|shadow)$/i, proof: first(passwordHash) },
  {
    names:
      /\.(?:env|ini|conf|cfg|cnf|config|ya?ml|json|properties|xml|toml|inc|php|phps|py|rb|pl|sh|ps1|bat|txt|log|bak|old|orig|save|swp)(?:[.~]\w{0,8})?$|~$|\/\.env/i,
    proof: (content) => secretKeyIn(content) ?? first(secret)(content) ?? first(passwordHash)(content),
  },
  { names: /\.(?:sql|dump|dmp)(?:[.~]\w{0,8})?$/i, proof: first(dump) },
  { names: /\.(?:csv|tsv|txt)$/i, proof: personalColumns },
  {
    names: /\/(?:accounts|contacts|customers|employees|members|patients|subscribers|users)\.(?:csv|tsv|txt)$/i,
    proof: addressLine,
  },
  { names: /\.json$/i, proof: (content, path) => records(content, path.replace(/\.json$/i, '')) },
  {
    names:
      /(?:backup|bak|dump|export|database|db|site|www|htdocs|config|home|source|src|private|intern)[^/]{0,60}\.(?:zip|tar|tgz|gz|bz2|xz|7z|rar)$/i,
    proof: first(archive),
  },
  { names: /\.(?:db|sqlite3?)$/i, proof: first(database) },
]

export const confidentialFiles: NativeCheck = {
  checks: [confidentialFile],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const stopAt = performance.now() + filesMs
    let count = 0
    for await (const path of namedFiles(context, site)) {
      const candidates = harmless.test(path) ? [] : kinds.filter(({ names }) => names.test(path))
      if (candidates.length === 0) continue
      // A slow server would otherwise take the time of all other checks.
      if (++count > filesMax || performance.now() > stopAt) break
      const file = await requestWeb(context, { target: path, headers: { Range: `bytes=0-${bytesMax - 1}` }, bytesMax })
      if (!file || (file.status !== 200 && file.status !== 206) || isPage(file.body)) continue
      const found = candidates.map(({ proof }) => proof(file.body, path)).find((part) => part !== undefined)
      if (found !== undefined)
        return { [confidentialFile.id]: { ...webProof(file, [found.trim().slice(0, 100)]), path } }
    }
    return { [confidentialFile.id]: null }
  },
}

function isPage(body: string): boolean {
  return /<html|<!doctype html/i.test(body.slice(0, 2000))
}

/** Each file once: those of listings, of robots.txt and the sitemap, and of links. */
async function* namedFiles(context: NativeContext, site: WebSite): AsyncGenerator<string> {
  const { pages, scripts } = await readPages(context, site)
  const ruled = await ruledPaths(context, site.base)
  const listed = (await listedTargets(context, site.base)).map((target) => pathIn(target))
  const linked = pages.flatMap(({ body, path }) => linksOf(body).flatMap((link) => pathHere(link, path) ?? []))
  const sources = pages.flatMap((page) => foldersIn(page, site.base))
  const mentioned = scripts.flatMap((script) => filesNamedIn(script))
  const named = [...new Set([...ruled, ...linked, ...mentioned, ...listed])].filter(
    (path) => path.startsWith(site.base) && !isDestructive(path),
  )
  const seen = new Set<string>()
  for (const path of named) {
    if (path.endsWith('/') || seen.has(path)) continue
    seen.add(path)
    yield path
  }
  const usual = contentFolders.map((name) => `${site.base}${name}`)
  const folders = [...new Set([site.base, ...named.map(folderOf), ...sources, ...usual])]
  let listings = 0
  for (const folder of folders) {
    if (!folder.startsWith(site.base) || listings === listingsMax) continue
    const page = await requestWeb(context, { target: folder })
    if (page?.status !== 200 || !listedNames(page.body, folder) || listsOnlyAssets(page.body, folder)) continue
    listings++
    for (const link of linksOf(page.body)) {
      const path = pathHere(link, folder)
      if (path === undefined || !path.startsWith(folder) || seen.has(path)) continue
      seen.add(path)
      // Folders in a listing come next.
      if (path.endsWith('/')) folders.push(path)
      else yield path
    }
  }
}

/** Absolute paths of files in the text of a script. */
function filesNamedIn(script: string): string[] {
  const paths = script.matchAll(/["'`](\/(?!\/)[\w./-]{1,120}\.[a-z]{2,6})["'`?]/g).take(100)
  return [...paths].map(([, path = '']) => path)
}

const personal =
  /e_?mail|phone|telefon|mobile|street|address|adresse|first_?name|last_?name|surname|vorname|nachname|^name$/

/** Columns of a table with at least one row that only its owner should read. */
function personalColumns(content: string): string | undefined {
  const [header = '', row = ''] = content.split(/\r?\n/, 2)
  const [separator = ''] = /[,;\t]/.exec(header) ?? []
  if (separator === '' || header.length > 2000 || row.split(separator).length < 2) return undefined
  const columns = header.split(separator).map((name) => normalized(name.trim().replaceAll('"', '')))
  const isPersonal = columns.some(isDecisive) || columns.filter((name) => personal.test(name)).length >= 3
  return isPersonal ? header : undefined
}

/** The email address of a person in a table of people. */
function addressLine(content: string): string | undefined {
  return /^[^\n]{0,200}[,;\t][^\n]{0,200}\n(?:[^\n]{0,300}\n)?[^\n]{0,100}\b[\w.+-]{1,60}@[\w-]{1,60}\.[\w.]{2,60}/
    .exec(content)?.[0]
    .split('\n')
    .at(-1)
}

function records(content: string, path: string): string | undefined {
  const kind = kindOf(path)
  return (kind && recordsIn(content, kind)) ?? personalMember(content, 'list')
}

/** Files with secrets or personal data that a directory listing, robots.txt, the sitemap, or a link names. */
import { confidentialPart, mayBeConfidential } from '#native/confidential-content.ts'
import { linksOf } from '#native/web/html-forms.ts'
import { contentFolders, foldersIn, listedNames, listsOnlyAssets } from '#native/web/listing.ts'
import { listedTargets, ruledPaths } from '#native/web/named-paths.ts'
import { checkInfo, type NativeCheck, type NativeContext } from '#native/native-check.ts'
import { pathIn } from '#native/web/parameters.ts'
import { readPages } from '#native/web/site-pages.ts'
import { isDestructive } from '#native/web/verbs.ts'
import { folderOf, pathHere, requestWeb, webProof, targetHere } from '#native/web/request.ts'
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
      if (!mayBeConfidential(path)) continue
      // A slow server would otherwise take the time of all other checks.
      if (++count > filesMax || performance.now() > stopAt) break
      const file = await requestWeb(context, { target: path, headers: { Range: `bytes=0-${bytesMax - 1}` }, bytesMax })
      if (!file || (file.status !== 200 && file.status !== 206) || isPage(file.body)) continue
      const found = confidentialPart(file.body, path)
      if (found !== undefined) return { [confidentialFile.id]: { ...webProof(file, [found]), path } }
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
  const targets = pages.flatMap(({ body, path }) => linksOf(body).flatMap((link) => targetHere(link, path) ?? []))
  const linked = targets.map((target) => pathIn(target))
  // `/download?file=backup.sql`
  const queried = targets.filter((target) => target.includes('?') && mayBeConfidential(target))
  const sources = pages.flatMap((page) => foldersIn(page, site.base))
  const mentioned = scripts.flatMap((script) => filesNamedIn(script))
  const named = [...new Set([...ruled, ...linked, ...mentioned, ...listed])].filter(
    (path) => path.startsWith(site.base) && !isDestructive(path),
  )
  const seen = new Set<string>()
  for (const target of queried) {
    if (!target.startsWith(site.base) || isDestructive(target) || seen.has(target)) continue
    seen.add(target)
    yield target
  }
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

/** Recognizes directory listings by their structure instead of the server's name. */
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { folderOf, type Page, requestWeb, webProof, type WebResponse } from '#native/web/request.ts'

const listing = checkInfo({
  id: 'directory-listing',
  name: 'Directory listing enabled',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The web server lists the contents of a directory that has no index page.',
  impact: 'An attacker can find and download files that are not linked anywhere, such as backups and uploads.',
  remediation:
    'Disable directory listings: `Options -Indexes` in Apache, `autoindex off;` in nginx, `file_server` without `browse` in Caddy, `dir-listing.activate = "disable"` in lighttpd.',
  reference: 'https://cwe.mitre.org/data/definitions/548.html',
  tags: 'exposure listing http',
  verifiedOn:
    'apache2 caddy hfs http-server lighttpd mini-httpd miniserve nginx rclone-webdav serve simple-http-server tomcat-listing webrick wsgidav',
})
export const contentFolders = ['backup/', 'uploads/', 'files/', 'logs/', 'exports/']
const assetFolders = ['static/', 'images/']
const linkedFoldersMax = 8
const foldersMs = 5000
const linksMax = 300
const pageLengthMax = 256 * 1024
/** Minimum share of links, without navigation, whose text names what they link to. */
const namedShareMin = 0.8

export const directoryListing: NativeCheck = {
  checks: [listing],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const base = folderOf(context.basePath)
    const front = await requestWeb(context, { target: base })
    if (!front) return {}
    const proof = proofOf(front, base) ?? (await scriptedListing(context, front, base))
    if (proof) return { [listing.id]: proof }
    const uploads = front.body.includes('/wp-content/') ? ['wp-content/uploads/'] : []
    const content = new Set([...contentFolders, ...uploads].map((name) => `${base}${name}`))
    const assets = assetFolders.map((name) => `${base}${name}`)
    const folders = new Set([...foldersIn({ body: front.body, path: base }, base), ...content, ...assets])
    const stopAt = performance.now() + foldersMs
    for (const folder of folders) {
      // A slow server would otherwise take the time of all other checks.
      if (performance.now() > stopAt) return {}
      const page = await requestWeb(context, { target: folder })
      const found = page && proofOf(page, folder)
      if (found && (content.has(folder) || !listsOnlyAssets(page.body, folder))) return { [listing.id]: found }
    }
    return { [listing.id]: null }
  },
}

function proofOf(page: WebResponse, path: string): Proof | undefined {
  const names = page.status === 200 ? listedNames(page.body, path) : undefined
  return names && { ...webProof(page, names.slice(0, 5)), path }
}

/** HFS lists the files of a folder in a script, with its API. */
async function scriptedListing(context: NativeContext, front: WebResponse, base: string): Promise<Proof | undefined> {
  const [, api] = /"SPECIAL_URI":\s{0,3}"\/([\w~/-]{1,40}\/)"/.exec(front.body) ?? []
  if (api === undefined || !front.body.includes('HFS = {')) return undefined
  const target = `${base}${api}api/get_file_list?uri=/`
  const list = await requestWeb(context, { target })
  const [entry] = list?.status === 200 ? (/"list":\[\{"n":"[^"]{1,200}"/.exec(list.body) ?? []) : []
  return list && entry !== undefined ? { ...webProof(list, [entry]), path: target } : undefined
}

/** Folders of the files that a page uses, with those above them. */
export function foldersIn({ body, path }: Pick<Page, 'body' | 'path'>, base: string): string[] {
  const links = body.matchAll(/\s(?:src|href)\s{0,9}=\s{0,9}["']([^"'?#\s>]{1,300})/gi).take(linksMax)
  const folders = links.toArray().flatMap(([, link = '']) => {
    const file = pathOf(link, path)
    return file?.startsWith(base) === true ? foldersOf(file.slice(base.length)).map((folder) => `${base}${folder}`) : []
  })
  return [...new Set(folders)].slice(0, linkedFoldersMax)
}

/** A listing of files that pages load anyway discloses nothing. */
export function listsOnlyAssets(body: string, folder: string): boolean {
  const names = listedNames(body, folder) ?? []
  return names.every((name) => name.startsWith('<') || asset.test(name))
}
const asset =
  /\.(?:css|eot|gif|ico|jpe?g|js|map|mjs|png|svg|ttf|webp|woff2?)$|^(?:css|fonts?|icons?|images?|img|js|lib|media|search_index\.json|static|styles?|vendor)$/i

/** `a/b/` and `a/` of `a/b/c.js`. */
function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, at) => `${names.slice(0, names.length - at).join('/')}/`)
}

/**
 * The names that a directory listing shows.
 *
 * A listing consists of links whose text is the name of what they link to, directly below the page. Because a simple
 * site can look the same, the page must also have a listing's title, a link to the parent folder, dates, or sizes, or
 * nothing else.
 *
 * @returns undefined if the page isn't a listing
 */
export function listedNames(html: string, path: string): readonly string[] | undefined {
  const page = withoutElements(html.slice(0, pageLengthMax), ['script', 'style', 'svg'])
  const links = page
    .matchAll(anchor)
    .take(linksMax)
    .map(([, double, single, bare, text = '']) => ({
      link: decoded(double ?? single ?? bare ?? ''),
      text: textOf(text).replace(/^[^\p{L}\p{N}._~$@!#(+-]+/u, ''),
    }))
    .toArray()
  const below = links.flatMap(({ link, text }) => {
    const rest = pathOf(link, path)
    return rest?.startsWith(path) && rest !== path ? [{ name: lastSegment(rest.slice(path.length)), text }] : []
  })
  const names = below.flatMap(({ name, text }) => (name !== undefined && isNameOf(name, text) ? [name] : []))
  const hasQueries = links.some(({ link }) => /^[^?#:/]+\?/.test(link))
  if (hasListingTitle(page, path) && (names.length > 0 || (below.length === 0 && !hasQueries)))
    return [...names, titleOf(page)]
  if (names.length === 0 || names.length < below.length * namedShareMin) return undefined
  return hasParentLink(links) || isDetailed(page, names) || isBareList(page) ? names : undefined
}

/** Repetitions are limited, because a hostile page would otherwise take quadratic time. */
const anchor =
  /<a\b[^<>]{0,500}?\shref\s{0,9}=\s{0,9}(?:"([^"]{0,500})"|'([^']{0,500})'|([^\s>]{1,500}))[^<>]{0,500}>([\s\S]{0,1500}?)<\/a>/gi

function withoutElements(html: string, names: readonly string[]): string {
  return names.reduce((text, name) => {
    const [first = '', ...rest] = text.split(new RegExp(`<${name}\\b`, 'i'))
    const close = `</${name}>`
    return [first, ...rest.map((part) => (part.includes(close) ? part.slice(part.indexOf(close)) : ''))].join('')
  }, html)
}

/** The name of a file or folder; undefined for a path that is deeper. */
function lastSegment(rest: string): string | undefined {
  const [, name] = /^([^/]+)\/?$/.exec(rest) ?? []
  return name
}

/** Long names are shortened by some servers. */
function isNameOf(name: string, text: string): boolean {
  const shown = text.replace(/\/$/, '')
  if (shown === name || text.startsWith(`${name} `) || text.startsWith(`${name}/ `)) return true
  const [, start = ''] = /^(.{10,}?)(?:\.\.&gt;|\.\.>|\.{3}|…)$/.exec(shown) ?? []
  return start !== '' && name.startsWith(start)
}

/** A page's own title or heading that names what it lists, or that is the path itself. */
function hasListingTitle(page: string, path: string): boolean {
  const titles = [...page.matchAll(/<(?:title|h1|h2)\b[^>]{0,300}>([\s\S]{0,400}?)<\/(?:title|h1|h2)>/gi)].map(
    ([, text = '']) => textOf(text),
  )
  return titles.some(
    (title) =>
      /\b(?:index of|(?:directory )?listing(?: of| for| directory)?:?|contents of|files (?:within|in|of)|directory(?::|(?= \/)))\s{0,9}\[?\.?\S{0,500}\//i.test(
        title,
      ) ||
      title === path ||
      title.endsWith(` - ${path}`),
  )
}

function hasParentLink(links: readonly { link: string; text: string }[]): boolean {
  return links.some(({ link, text }) => /^\.\.\/?$/.test(link) || /^\[?(?:to )?parent directory\]?$/i.test(text))
}

/** Most names are followed by a date or a size. */
function isDetailed(page: string, names: readonly string[]): boolean {
  const text = textOf(page)
  const detailed = names.filter((name) => {
    const at = text.indexOf(name)
    return /\d{4}-\d\d-\d\d|\d{1,2}[-/ ][A-Z][a-z]{2}[-/ ]\d{4}|\d{1,15}(?:\.\d{1,9})? ?(?:Bytes|(?:[KMG]i?)?B)\b/.test(
      text.slice(at + name.length, at + name.length + 120),
    )
  })
  return detailed.length * 2 > names.length
}

/** Nothing but links, as Go's file server writes. */
function isBareList(page: string): boolean {
  return /^\s*(?:<!doctype html>\s*)?(?:<meta[^>]*>\s*)*<pre>\s*(?:<a [^>]*>[^<]*<\/a>\s*)+<\/pre>\s*$/i.test(page)
}

function titleOf(page: string): string {
  return /<(?:title|h1|h2)\b[^>]{0,300}>[\s\S]{0,400}?<\/(?:title|h1|h2)>/i.exec(page)?.[0] ?? ''
}

function textOf(html: string): string {
  return decoded(html.replaceAll(/<[^<>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim()
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]{2,5}));/gi, (whole, decimal, hexadecimal, name) => {
    if (name) return entities[String(name).toLowerCase()] ?? whole
    const code = decimal ? Number(decimal) : parseInt(String(hexadecimal), 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** The decoded path of a link without a query on this server. */
function pathOf(link: string, base: string): string | undefined {
  if (link.includes('?') || !URL.canParse(link, `http://here.invalid${base}`)) return undefined
  const url = new URL(link, `http://here.invalid${base}`)
  if (url.hostname !== 'here.invalid') return undefined
  try {
    return decodeURIComponent(url.pathname)
  } catch {
    return undefined
  }
}

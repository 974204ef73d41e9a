/** Names an application by the title of its page, if the page itself confirms it. */

/** Words that aren't names, or only in combination with others. */
const genericWords = new Set(
  (
    'about account accounts admin administration api app application auth blog browser client cloud console control dashboard data ' +
    'default demo dev development docs documentation editor error example explorer file files form forum help home host index ' +
    'info intranet jquery local localhost log login main manager media monitor my network node online page panel portal project react ' +
    'register release search server service services session settings setup shop sign signin site start status store system ' +
    'test the tool tools untitled user users version vite vue web webapp website welcome wiki your'
  ).split(' '),
)
const htmlLengthMax = 65_536

/**
 * @param title of the page, on one line
 * @param html of the page
 * @returns `Name 1.2.3` if the page states the version next to the name or for the whole application; `Name` if the page links to the
 *   name's repository or package; undefined if it confirms neither
 */
export function ownName(title: string, html: string): string | undefined {
  const page = html.slice(0, htmlLengthMax)
  const names = title
    // "mtail on host:3903"
    .replace(/ (?:on|at|@) [\w.:[\]-]{3,100}$/, '')
    .split(/\s[-–—|·:•]\s|[|:]\s/)
    .map((part) => part.trim())
    .filter(isName)
  const versions = names.flatMap((name) => versionNextTo(name, page).map((version) => `${name} ${version}`))
  return versions[0] ?? statedVersion(names, page) ?? names.find((name) => isLinked(name, page))
}

function isName(text: string): boolean {
  if (!/^[A-Za-z][\w.+-]{2,30}(?: [A-Z][\w.+-]{1,30}){0,2}$/.test(text) || /\d\.\d/.test(text)) return false
  return text.split(' ').some((word) => word.length > 2 && !genericWords.has(word.toLowerCase()))
}

/** The name in any spelling: `D-Tale`, `dtale`, `d_tale`. */
function spellings(name: string): string {
  return (name.match(/[A-Za-z0-9]{1,60}/g) ?? []).join('[ _.-]?')
}

/** The version in a response that describes the server: JSON with a version at the top, or nothing else. */
export function versionIn(body: string): string | undefined {
  const text = body.slice(0, 2000)
  const [, plain] = /^\s{0,20}"?v?(\d{1,4}\.\d{1,4}\.\d{1,5}[\w.+-]{0,20})"?\s{0,20}$/.exec(text) ?? []
  const [, member] =
    /^\s{0,20}\{[^{}[\]]{0,500}?"(?:app_?|server_?)?version"\s{0,3}:\s{0,3}"v?(\d{1,4}\.\d{1,4}\.\d{1,5}[\w.+-]{0,20})"/i.exec(
      text,
    ) ?? []
  return plain ?? member
}

/** Three numbers, or two after a `v` or the word; or the version of the script or style sheet of that name. */
function versionNextTo(name: string, page: string): string[] {
  const number = String.raw`(?:(?:version["'\s:=]{1,4}|v\.?\s?)(\d{1,4}\.\d{1,4}(?:\.\d{1,5}){0,2})|(\d{1,4}\.\d{1,4}\.\d{1,5}))`
  const release = String.raw`((?:-?(?:alpha|beta|rc|dev|a|b)[.-]?\d{0,3})?)(?![\w.]{0,40}\.(?:js|css|map))\b`
  const pattern = new RegExp(
    String.raw`(?:\b|_)${spellings(name)}(?:</\w{1,10}>)?["'\s/:@_=(-]{1,4}${number}${release}`,
    'i',
  )
  const [, marked, bare, suffix = ''] = pattern.exec(page) ?? []
  const version = marked ?? bare
  if (version !== undefined) return [`${version}${suffix}`]
  const asset = String.raw`/${spellings(name)}(?:[.-]min)?\.(?:css|js)\?(?:v|ver|version)?=?v?(\d{1,4}\.\d{1,4}\.\d{1,5})["'&]`
  return [...(new RegExp(asset, 'i').exec(page)?.slice(1) ?? [])]
}

/** A version that the page states for the whole application, if it states only one. */
function statedVersion([name]: readonly string[], page: string): string | undefined {
  const versions = new Set(
    page
      .matchAll(stated)
      .take(20)
      .map(([, ...groups]) => groups.find((group) => group !== undefined) ?? ''),
  )
  const [version] = versions
  return name === undefined || version === undefined || versions.size > 1 ? undefined : `${name} ${version}`
}

const number = String.raw`v?(\d{1,4}\.\d{1,4}\.\d{1,5}[\w.+-]{0,20})["']`
const stated = new RegExp(
  [
    String.raw`<meta\s{1,5}name=["'](?:app-?|application-)?version["']\s{1,5}content=["']${number}`,
    String.raw`\s(?:data-(?:app-)?version|id=["'](?:app-?)?version["'](?:\s[^<>]{0,100})?\svalue)=["']${number}`,
    String.raw`\b(?:(?:app|application|platform|product|server|ui)_?version|window\.version|var version)["']?\s{0,3}[:=]\s{0,3}["']${number}`,
  ].join('|'),
  'gi',
)

function isLinked(name: string, page: string): boolean {
  const hosts = String.raw`(?:github\.com|gitlab\.com|codeberg\.org)/[\w.-]{1,60}/|(?:pypi\.org/project|npmjs\.com/package)/`
  return new RegExp(String.raw`\bhref=["']?https?://(?:www\.)?(?:${hosts})${spellings(name)}/?["'#?\s>]`, 'i').test(
    page,
  )
}

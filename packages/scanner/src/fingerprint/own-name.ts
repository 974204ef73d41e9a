/** Names an application by the title of its page, if the page itself confirms it. */
import { z } from 'zod'
import { isConfirmedBySoftware, isMentionedByScripts, otherNames } from '#fingerprint/own-traces.ts'
import { isInAddress } from '#fingerprint/text.ts'

/** Words that aren't names, or that are names only in combination with others. */
const genericWords = new Set(
  (
    'about account  accounts admin administration api app application auth blog browser client cloud console control dashboard data ' +
    'default demo dev development docs documentation editor error example explorer file files form forum help home host index ' +
    'info intranet jquery local localhost log login main manager media monitor my network node online page panel portal project react ' +
    'register release search server service services session settings setup shop sign signin site start status store system ' +
    'test the tool tools untitled user users version vite vue web webapp website welcome wiki your'
  ).split(' '),
)
const htmlLengthMax = 65_536
const scriptsLengthMax = 2_097_152

/** What a page states about its application besides its title. */
export interface OwnDescription {
  readonly html: string
  /** The text of the page's own scripts. */
  readonly scripts?: string
  /** The name in the page's web app manifest. */
  readonly manifestName?: string
  /** Names of the cookies that the server sets. */
  readonly cookies?: readonly string[]
}

/**
 * @param title of the page, on one line
 * @returns `Name 1.2.3` if the page or its scripts state the version next to the name, or the page states one for the
 *   whole application; `Name` if they link to the name's repository, package, or documentation, or if the manifest has
 *   the name of the title; undefined if nothing confirms the name
 */
export function ownName(title: string, description: OwnDescription): string | undefined {
  const { manifestName = '', cookies = [] } = description
  const page = description.html.slice(0, htmlLengthMax).replaceAll('&nbsp;', ' ')
  const scripts = (description.scripts ?? '').slice(0, scriptsLengthMax)
  const titles = title
    // "mtail on host:3903"
    .replace(/ (?:on|at|@) [\w.:[\]-]{3,100}$/, '')
    .split(/\s(?:[-–—|·:•]|::)\s|[|:]\s/)
    // "Sign in to Acme"
    .map((part) => part.trim().replace(/^(?:install|set ?up|welcome to|(?:log|sign) ?in(?: to)?) (?=[A-Z])/i, ''))
  const others = otherNames(page)
  const interfaces = titles.flatMap(ownerOfInterface)
  const names = [...new Set([...titles, manifestName.trim(), ...others, ...interfaces])].filter(isName)
  const versions = [
    ...names.flatMap((name) => versionOfFiles(name, page).map((version) => `${name} ${version}`)),
    ...[page, scripts].flatMap((text) =>
      names.flatMap((name) => versionNextTo(name, text).map((version) => `${name} ${version}`)),
    ),
  ]
  const stated = versions[0] ?? statedVersion(names, page)
  if (stated !== undefined) return stated
  const isConfirmed = (name: string) =>
    isLinked(name, page) ||
    isLinked(name, scripts) ||
    (name === manifestName && titles.includes(name)) ||
    (others.includes(name) && titles.includes(name)) ||
    interfaces.includes(name) ||
    hasOtherRelease(name, page) ||
    isConfirmedBySoftware(name, spellings(name), { html: page, scripts, cookies }) ||
    (name === titles[0] && isMentionedByScripts(name, { html: page, scripts }))
  const confirmed = names.find(isConfirmed)
  // Underscore, Lodash, and highlight.js state their version this way.
  const ownScripts = scripts.replaceAll(/var version\b/gi, '')
  return confirmed === undefined ? undefined : (statedVersion([confirmed], ownScripts) ?? confirmed)
}

/** Only software has a web interface: `acme-cli web frontend`. The kind of a device isn't a name. */
function ownerOfInterface(title: string): string[] {
  const [, name = ''] =
    /^([A-Za-z][\w.+-]{3,30}(?: [A-Z][\w.+-]{1,30})?) web ?(?:ui|gui|interface|front-?end)$/i.exec(title) ?? []
  const isKind = name.split(' ').some((word) => genericWords.has(word.toLowerCase()) || deviceWords.test(word))
  return name === '' || isKind ? [] : [name]
}

const deviceWords =
  /^(?:camera|company|controller|device|gateway|hub|meter|modem|printer|remote|router|sensor|simple|switch|wireless)$/i

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
  const [, first] =
    /^\s{0,20}\{[^{}[\]]{0,500}?"(?:app_?|server_?)?version"\s{0,3}:\s{0,3}"v?(\d{1,4}\.\d{1,4}\.\d{1,5}[\w.+-]{0,20})"/i.exec(
      text,
    ) ?? []
  return plain ?? first ?? versionMember(body)
}

const parsedLengthMax = 100_000
const Members = z.record(z.string(), z.unknown())

/** A version at the top of a JSON object, after other objects. */
function versionMember(body: string): string | undefined {
  if (!/^\s{0,20}\{/.test(body) || body.length > parsedLengthMax) return undefined
  try {
    const parsed = Members.parse(JSON.parse(body))
    // `{"status": true, "data": {"version": "2.4.1"}}`
    const members = Object.entries({ ...Members.safeParse(parsed['data']).data, ...parsed })
    // The version of an OpenAPI description is that of its format.
    if (members.some(([name]) => name === 'openapi' || name === 'swagger')) return undefined
    const found = members.find(([name]) => /^(?:app|server|current|build|release|pkg|package)?_?version$/i.test(name))
    return /^v?(\d{1,4}\.\d{1,4}\.\d{1,5}[\w.+-]{0,20})$/.exec(String(found?.[1] ?? ''))?.[1]
  } catch {
    return undefined
  }
}

const descriptionLengthMax = 4000
const describing =
  '(?:allows|enables|exposes|generates|helps|is|lets|makes|manages|provides|runs|serves|simulates|stores|turns)'

/**
 * The name in an OpenAPI description whose text describes the program of that name, or that links to its repository. A
 * title alone isn't enough, because every application has one.
 */
export function describedName(text: string): string | undefined {
  const [, info = ''] =
    /^\s{0,20}\{\s{0,20}"(?:openapi|swagger)"\s{0,9}:\s{0,9}"[^"]{1,10}"\s{0,9},\s{0,20}"info"\s{0,9}:\s{0,9}\{([\s\S]{1,4000})/.exec(
      text.slice(0, descriptionLengthMax),
    ) ?? []
  const member = (key: string) =>
    new RegExp(String.raw`"${key}"\s{0,9}:\s{0,9}"([^"\\]{1,1000})`).exec(info.split('"paths"', 1)[0] ?? '')?.[1] ?? ''
  const name = member('title').replace(/(?: (?:REST|HTTP|admin|management))?(?: (?:API|server|service))?$/i, '')
  if (!isName(name)) return undefined
  const opening = new RegExp(String.raw`^(?:the )?${spellings(name)} ${describing}\b`, 'i')
  if (!opening.test(member('description')) && !isLinked(name, info)) return undefined
  const [version = ''] = /^\d{1,4}\.\d{1,4}\.\d{1,5}[\w.+-]{0,20}$/.exec(member('version')) ?? []
  return version === '' || isTemplate.test(version) ? name : `${name} ${version}`
}

/** The first version of most project templates. */
const isTemplate = /^(?:0\.[01]\.\d|1\.0\.0)$/

/** Three numbers, or two after a `v` or the word; or the version of the script or style sheet of that name. */
function versionNextTo(name: string, page: string): string[] {
  const number = String.raw`(?:(?:version(?:["'\s:=]{1,4}|</t[dh]>\s{0,99}<td>\s{0,99})|v\.?\s?)(\d{1,4}\.\d{1,4}(?:\.\d{1,5}){0,2})|(\d{1,4}\.\d{1,4}\.\d{1,5}))`
  const release = String.raw`((?:-?(?:alpha|beta|rc|dev|a|b)[.-]?\d{0,3})?)(?![\w.]{0,40}\.(?:js|css|map))\b`
  const pattern = new RegExp(
    String.raw`(?:\b|_)${spellings(name)}(?:</\w{1,10}>)?["'\s/:@_=(-]{1,4}${number}${release}`,
    'dgi',
  )
  const found = page.matchAll(pattern).find(({ indices }) => {
    const [start, end] = indices?.[1] ?? indices?.[2] ?? [0, 0]
    return !isInAddress(page, start, end) && !isOtherRelease(page, indices?.[0] ?? [0, 0])
  })
  const [, marked, bare, suffix = ''] = found ?? []
  const version = marked ?? bare
  if (version !== undefined) return [`${version}${suffix}`]
  // package.json as part of a script
  const described = String.raw`["']?name["']?\s{0,2}:\s{0,2}["'](?:@[\w-]{1,40}/)?${spellings(name)}["'],\s{0,9}["']?version["']?\s{0,2}:\s{0,2}["'](\d{1,4}\.\d{1,4}\.\d{1,5}[\w.+-]{0,20})["']`
  const [, ofPackage] = new RegExp(described, 'i').exec(page) ?? []
  if (ofPackage !== undefined) return [ofPackage]
  const asset = String.raw`/${spellings(name)}(?:[.-]min)?\.(?:css|js)\?(?:v|ver|version)?=?v?(\d{1,4}\.\d{1,4}\.\d{1,5})["'&]`
  return [...(new RegExp(asset, 'i').exec(page)?.slice(1) ?? [])]
}

/** Only software has releases: `Acme version 1.5 or later`. */
function hasOtherRelease(name: string, page: string): boolean {
  const pattern = new RegExp(String.raw`\b${spellings(name)} version \d{1,4}\.\d{1,4}(?:\.\d{1,5})?`, 'gi')
  return page
    .matchAll(pattern)
    .take(20)
    .some(({ index, 0: text }) => isOtherRelease(page, [index, index + text.length]))
}

/** `Acme version 1.5 or later`, `requires Acme 1.5`, and `Acme 1.6.0 is available` are about other releases. */
function isOtherRelease(text: string, [start, end]: readonly [number, number]): boolean {
  return (
    /^(?:\+|,? (?:or|and) (?:above|greater|higher|later|newer|older|earlier|up)\b| (?:is|are) (?:now )?(?:available|required|needed)\b| (?:onwards|introduce[sd]|adds|added)\b)/i.test(
      text.slice(end, end + 30),
    ) ||
    /\b(?:after|before|(?:introduced|new) in|least|needs?|requires?|since|than|until|(?:update|upgrade)d? (?:from|to)) (?:the )?(?:new )?$/i.test(
      text.slice(Math.max(0, start - 30), start),
    )
  )
}

/** The version in the names of many of the program's own files: `acme.core-2.4.1.js`, `acme.login-2.4.1.js`. */
function versionOfFiles(name: string, page: string): string[] {
  const pattern = new RegExp(
    String.raw`\s(?:src|href)=["'](?!https?:|\/\/)(?:[^"'?#]{0,200}/)?(${spellings(name)}[._-][\w.-]{1,80}?[._-]v?(\d{1,4}\.\d{1,4}\.\d{1,5})(?:\.min)?\.(?:js|css))["'?]`,
    'gi',
  )
  const files = new Map([...page.matchAll(pattern).take(100)].map(([, file = '', version = '']) => [file, version]))
  const versions = new Set(files.values())
  return files.size >= assetsMin && versions.size === 1 ? [...versions] : []
}

/** A version that the page states for the whole application, if it states only one. */
function statedVersion([name]: readonly string[], page: string): string | undefined {
  const versions = new Set(
    page
      .matchAll(stated)
      .take(20)
      .map(([, ...groups]) => groups.find((group) => group !== undefined) ?? ''),
  )
  const version = versions.size === 0 ? assetVersion(page) : [...versions][0]
  return name === undefined || version === undefined || versions.size > 1 ? undefined : `${name} ${version}`
}

const assetsMin = 4
/** `1.0.0` is often a cache-busting parameter rather than a version. */
const isPlaceholder = /^[01]\.0\.0$/

/** The version that all of the page's own scripts and style sheets have in their query: `js/menu.js?v=5.2.1`. */
function assetVersion(page: string): string | undefined {
  const assets = [
    ...page
      .matchAll(/\s(?:src|href)=["'](?!https?:|\/\/)[^"'?#]{1,200}\.(?:js|css)\?(?:v|ver|version)=([^"'&]{1,40})["'&]/g)
      .take(100),
  ]
  const values = new Set(assets.map(([, value = '']) => value))
  const [, version = ''] = /^v?(\d{1,3}\.\d{1,3}\.\d{1,4})(?![\d.])/.exec([...values][0] ?? '') ?? []
  const isStated = assets.length >= assetsMin && values.size === 1 && version !== '' && !isPlaceholder.test(version)
  return isStated ? version : undefined
}

const number = String.raw`v?(\d{1,4}\.\d{1,4}\.\d{1,5}[\w.+-]{0,20})["']`
const stated = new RegExp(
  [
    String.raw`<meta\s{1,5}name=["'](?:app-?|application-)?version["']\s{1,5}content=["']${number}`,
    String.raw`\s(?:data-(?:app-)?version|id=["'](?:app-?)?version["'](?:\s[^<>]{0,100})?\svalue)=["']${number}`,
    String.raw`(?:\b|_)(?:(?:app|application|platform|product|server|ui)_?version|window\.version|var version)["']?\s{0,3}[:=]\s{0,3}["']${number}`,
  ].join('|'),
  'gi',
)

/** Scripts contain links as plain text. */
function isLinked(name: string, page: string): boolean {
  const hosts = String.raw`(?:github\.com|gitlab\.com|codeberg\.org)/[\w.-]{1,60}/|(?:pypi\.org/project|npmjs\.com/package|hub\.docker\.com/r/[\w.-]{1,60})/`
  const repository = String.raw`(?:${hosts})${spellings(name)}(?:\.git)?(?:/(?:issues|releases|wiki|blob|tree)[^"'\s]{0,200})?/?["'\`#?\s)>]`
  const documentation = String.raw`${spellings(name)}\.readthedocs\.io\b`
  return new RegExp(String.raw`https?://(?:www\.)?(?:${repository}|${documentation})`, 'i').test(page)
}

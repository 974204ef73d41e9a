/**
 * Which requests a profile sends. Deep asks everything. The others ask what is general, and of what
 * is written for a product only what was recognised, because most such questions have no business
 * with most services.
 */
import type { ScanProfile } from '@glacis/contract/runner'
import type { HttpResponse } from '#net/http.ts'
import type { Group } from '#template/groups.ts'
import { subjectName } from '#template/relevance.ts'
import type { Template } from '#template/template.ts'

/** Requests that so many checks wait for are sent whatever was recognised. */
const WANTED_BY_MANY = 6
/** Words that are said of many products and so single out none. */
const vague: ReadonlySet<string> = new Set(
  [
    'http https web www server service php java python node javascript js html css linux windows unix generic other multiple',
    'api app cms login panel debian ubuntu go golang lua perl ruby tech detect detection discovery vuln cve misconfig exposure',
    'unauth rce xss lfi sqli ssrf kev vkev edb packetstorm hackerone osint default_login fingerprint plugin authenticated',
  ].flatMap((line) => line.split(' ')),
)

/** Whether a check is worth its requests on a service where these names were recognised. */
export function concernsNames(
  template: Pick<Template, 'isSpecific' | 'subjects'>,
  names: ReadonlySet<string>,
): boolean {
  if (!template.isSpecific) return true
  for (const name of names) if (!vague.has(name) && template.subjects.has(name)) return true
  return false
}

/**
 * Whether what a check saw under a path may belong to any product, so that it says nothing of the one
 * it is written for, which was not recognised: a redirect, a profiler that comes with a language, a
 * file with a common name.
 */
export function isBorrowed(template: Template, names: ReadonlySet<string>, path: string): boolean {
  const { tags, cves } = template.info
  if (tags.includes('wordpress') && !names.has('wordpress')) return !/\/(?:wp-|xmlrpc\.php)/.test(path)
  if (!template.isSpecific || cves.length === 0) return false
  return tags.some((tag) => /^(?:redirect|pprof|debug)$/.test(tag)) && !concernsNames(template, names)
}

/** Folders that belong to one product: nothing of it is asked where that was not recognised. */
const families: readonly (readonly [RegExp, string])[] = [[/^\/(?:wp-content|wp-admin|wp-includes)\//, 'wordpress']]

/** Whether a path lies in the folders of a product that was not recognised. */
export function isForeign(path: string, names: ReadonlySet<string>, profile: ScanProfile): boolean {
  return profile !== 'deep' && families.some(([folder, name]) => folder.test(path) && !names.has(name))
}

/** Whether a request is sent at all. */
export function isWanted(group: Group, names: ReadonlySet<string>, profile: ScanProfile): boolean {
  if (profile === 'deep' || group.isFront || group.isGeneral || group.members.length >= WANTED_BY_MANY) return true
  return group.members.some(({ template }) => concernsNames(template, names))
}

/** Headers by which a runtime gives itself away: too little to name it, enough to ask what is written for it. */
const manners: readonly (readonly [string, RegExp, string])[] = [
  // Others who keep a connection for five seconds say how many requests are left, too.
  ['keep-alive', /^timeout=5$/, 'node.js'],
]

/** Names of the runtimes that a service may rest on, by the manner of its answers. */
export function runtimesOf(answers: readonly Pick<HttpResponse, 'headers'>[]): ReadonlySet<string> {
  const headers = answers.flatMap((answer) => answer.headers)
  const shown = manners.filter(([name, pattern]) =>
    headers.some(([key, value]) => key.toLowerCase() === name && pattern.test(value)),
  )
  return new Set(shown.map(([, , runtime]) => runtime))
}

/** What a match says of the service: what the check is about, and what its matcher is called. */
export function namesOfMatch({ subjects, info }: Template, matcherName: string): readonly string[] {
  if (!info.tags.some((tag) => /^(?:tech|detect|panel|login)$/i.test(tag))) return []
  return [...subjects, subjectName(matcherName)].filter(
    (name) => name !== '' && !vague.has(name) && !/^cve\d{4}$/.test(name),
  )
}

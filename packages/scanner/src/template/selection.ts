/**
 * Decides which requests are relevant to a service: generic ones, and product-specific ones only
 * for identified products, because most of them don't apply to most services.
 */
import { isFatalPath } from '#fingerprint/fatal-paths.ts'
import type { HttpResponse } from '#net/http-message.ts'
import type { Group } from '#template/groups.ts'
import { normalizedName } from '#template/relevance.ts'
import type { Template } from '#template/template.ts'

/** Requests shared by at least this many checks are always sent. */
const SHARED_BY_MIN = 6
/** Generic words that don't identify a product. */
const genericNames: ReadonlySet<string> = new Set(
  [
    'http https web www server service php java python node javascript js html css linux windows unix generic other multiple',
    'api app cms login panel debian ubuntu go golang lua perl ruby tech detect detection discovery vuln cve misconfig exposure',
    'unauth rce xss lfi sqli ssrf kev vkev edb packetstorm hackerone osint default_login fingerprint plugin authenticated',
  ].flatMap((line) => line.split(' ')),
)

/** Whether to run a check on a service with these identified products. */
export function appliesTo(template: Pick<Template, 'isSpecific' | 'subjects'>, names: ReadonlySet<string>): boolean {
  return !template.isSpecific || isAbout(template, names)
}

/** Whether a check names one of the identified products as its product or topic. */
export function isAbout({ subjects }: Pick<Template, 'subjects'>, names: ReadonlySet<string>): boolean {
  for (const name of names) if (!genericNames.has(name) && subjects.has(name)) return true
  return false
}

/**
 * Whether a match at this path could come from any product, and so is no evidence for an
 * unidentified one: a redirect, a language's profiler, a file with a common name.
 */
export function isSharedPath(template: Template, names: ReadonlySet<string>, path: string): boolean {
  const { tags, cves } = template.info
  if (tags.includes('wordpress') && !names.has('wordpress')) return !/\/(?:wp-|xmlrpc\.php)/.test(path)
  if (!template.isSpecific || cves.length === 0) return false
  return tags.some((tag) => /^(?:redirect|pprof|debug)$/.test(tag)) && !appliesTo(template, names)
}

/** Product-specific folders, only requested if the product was identified. */
const productFolders: readonly (readonly [RegExp, string])[] = [
  [/^\/(?:wp-content|wp-admin|wp-includes)\//, 'wordpress'],
]

/** Whether a path is in a folder of an unidentified product, or would end an identified one. */
export function isForeignPath(path: string, names: ReadonlySet<string>): boolean {
  return productFolders.some(([folder, name]) => folder.test(path) && !names.has(name)) || isFatalPath(path, names)
}

/** Stores that create an index for a document sent to any path. */
const documentStores: ReadonlySet<string> = new Set(['elasticsearch', 'opensearch'])

/** Whether a service with these products keeps what is sent to any path. */
export function keepsDocuments(names: ReadonlySet<string>): boolean {
  return !names.isDisjointFrom(documentStores)
}

/** Whether a check for other software could create something on the service. */
export function couldCreate(
  { http, subjects }: Pick<Template, 'http' | 'subjects'>,
  names: ReadonlySet<string>,
): boolean {
  if (!keepsDocuments(names) || !subjects.isDisjointFrom(names)) return false
  return http.some(({ method, paths, raws }) => {
    const methods = [...(paths.length > 0 ? [method] : []), ...raws.map(({ text }) => /^\w+/m.exec(text)?.[0] ?? '')]
    return methods.some((name) => !/^(?:GET|HEAD|OPTIONS)$/i.test(name))
  })
}

/** Whether to send a request. */
export function shouldSend(group: Group, names: ReadonlySet<string>): boolean {
  if (group.members.every(({ template }) => couldCreate(template, names))) return false
  if (group.isFront || group.isGeneral || group.members.length >= SHARED_BY_MIN) return true
  return group.members.some(({ template }) => appliesTo(template, names))
}

/** Headers that hint at a runtime: not enough to identify it, but enough to run its checks. */
const runtimeHints: readonly (readonly [string, RegExp, string])[] = [
  // Other servers with a five-second keep-alive also send the number of remaining requests.
  ['keep-alive', /^timeout=5$/, 'node.js'],
]

/** Runtimes suggested by the form of the responses. */
export function runtimesOf(answers: readonly Pick<HttpResponse, 'headers'>[]): ReadonlySet<string> {
  const headers = answers.flatMap((response) => response.headers)
  const matchingHints = runtimeHints.filter(([name, pattern]) =>
    headers.some(([key, value]) => key.toLowerCase() === name && pattern.test(value)),
  )
  return new Set(matchingHints.map(([, , runtime]) => runtime))
}

/** Names that a match adds: the topics of the check and the matcher's name. */
export function namesOfMatch({ subjects, info }: Template, matcherName: string): readonly string[] {
  if (!info.tags.some((tag) => /^(?:tech|detect|panel|login)$/i.test(tag))) return []
  return [...subjects, normalizedName(matcherName)].filter(
    (name) => name !== '' && !genericNames.has(name) && !/^cve\d{4}$/.test(name),
  )
}

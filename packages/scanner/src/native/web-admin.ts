/** Administration pages that don't require a login, recognized by their controls instead of the product's name. */
import { hasPasswordField } from '#html.ts'
import { checkInfo } from '#native/native-check.ts'
import type { NativeCheck, NativeContext } from '#native/native-check.ts'
import { folderOf, type Page, pathHere, readPage, readPageAt, webProof } from '#native/web-request.ts'
import { readSite } from '#native/web-site.ts'

export const openAdministration = checkInfo({
  id: 'web-administration-open',
  name: 'Administration interface exposed without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:L',
  score: 7.3,
  summary:
    'An administration page with controls such as delete, stop, or run is accessible without authentication. The check did not use them.',
  impact: 'An attacker can view and change everything that the interface manages.',
  remediation:
    'Enable the login of the application, or put it behind a reverse proxy that requires authentication (`auth_basic` in nginx).',
  reference: 'https://cwe.mitre.org/data/definitions/306.html',
  tags: 'misconfig panel admin unauth',
})
const folders = ['', 'admin/', 'dashboard', 'ui/']
const pagesMax = 3
const pageLengthMax = 256 * 1024

export const webAdministration: NativeCheck = {
  checks: [openAdministration],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const base = folderOf(context.basePath)
    for (const folder of folders) {
      const page = folder === '' ? (await readSite(context))?.front : await readPage(context, `${base}${folder}`)
      if (!page) return {}
      for (const found of [page, ...(await subpages(context, page))]) {
        const controls = found.status === 200 ? administrationControls(found.body) : undefined
        if (controls)
          return { [openAdministration.id]: { ...webProof(found, controls), path: found.path, quality: 80 } }
      }
    }
    return { [openAdministration.id]: null }
  },
}

/** `/admin/user/`, `/books/list`, `/queues/mail` */
const listPath =
  /\/(?:(?:list|index|all)|(?:accounts|agents|clients|collections|connections|containers|customers|databases|deployments|devices|indexes|jobs|models|nodes|orders|pipelines|processes|projects|queues|repositories|rules|runs|schedules|sessions|spiders|tables|tasks|tokens|users|workers|workflows)(?:\/[\w.-]{1,60})?)\/?$|\/(?:admin|administration)\/\w{1,40}\/$/i

/** Lists of records that an administration page links. Other links are not followed: a GET request can change something. */
async function subpages(context: NativeContext, { status, path, body }: Page): Promise<Page[]> {
  if (status !== 200 || !isAdministration(body) || hasPasswordField(body)) return []
  const links = [...body.matchAll(/<a\b[^>]{0,300}?\bhref\s{0,9}=\s{0,9}["']([^"'#\s]{1,300})/gi).take(100)]
    .flatMap(([, link = '']) => pathHere(link, path) ?? [])
    .filter((link) => listPath.test(link))
  const pages: Page[] = []
  for (const target of [...new Set(links)].filter((link) => link !== path && !verbIn(link)).slice(0, pagesMax)) {
    const page = await readPageAt(context, target)
    if (page) pages.push(page)
  }
  return pages
}

const administrationWords =
  /\b(?:admin|administration|administrator|backend|console|control panel|dashboard|manage|manager|management|monitor|monitoring|queues?|scheduler|settings)\b/i
const destructive = new Set(
  'clear delete destroy drop flush kill purge reboot remove reset restart shutdown stop terminate truncate wipe'.split(
    ' ',
  ),
)
const changing = new Set(
  'add cancel clone create deploy disable edit empty enable execute export import insert install new pause promote resume retry run save schedule start trigger uninstall update upload'.split(
    ' ',
  ),
)
/** A shopping cart or a list of favorites has the same controls. */
const personal = /\b(?:basket|cart|checkout|compare|favorites|newsletter|subscribe|subscriptions?|wish-?list)\b/i

/**
 * The controls that make a page an administration interface.
 *
 * @returns undefined unless the page is about administration, has no password field, and has at least three different
 *   controls, one of which destroys something
 */
export function administrationControls(html: string): readonly string[] | undefined {
  const page = html.slice(0, pageLengthMax)
  if (!isAdministration(page) || hasPasswordField(page) || personal.test(page)) return undefined
  const actions = byVerb(actionsIn(page))
  const all = new Map([...byVerb(linksIn(page)), ...actions])
  const isDestructive = [...actions.keys()].some((verb) => destructive.has(verb))
  return isDestructive && all.size >= 3 ? [...actions.values(), ...all.values()].slice(0, 5) : undefined
}

function byVerb(targets: readonly string[]): Map<string, string> {
  return new Map(targets.flatMap((target) => [verbIn(target) ?? []].flat().map((verb) => [verb, target] as const)))
}

function isAdministration(page: string): boolean {
  const titles = page.matchAll(/<(title|h1|h2)\b[^>]{0,300}>([\s\S]{0,300}?)<\/\1>/gi).take(10)
  return [...titles].some(([, , text = '']) => administrationWords.test(text.replaceAll(/<[^<>]{0,300}>/g, ' ')))
}

/** What forms, buttons, and scripts of a page request; pages that only document an interface don't have them. */
function actionsIn(page: string): string[] {
  const forms = page
    .matchAll(/<form\b[^>]{0,500}>/gi)
    .filter(([form]) => /\bmethod\s{0,9}=\s{0,9}["']?post/i.test(form))
  const targets = page.matchAll(
    /\s(?:formaction|hx-(?:post|put|delete)|data-(?:url|action)|onclick|onsubmit)\s{0,9}=\s{0,9}(?:"([^"#]{1,300})"|'([^'#]{1,300})')/gi,
  )
  const functions = page.matchAll(
    /\bfunction\s{1,9}((?:delete|destroy|drop|kill|purge|reboot|restart|shutdown|terminate|truncate|wipe)[A-Z]\w{0,40})\s{0,9}\(/g,
  )
  return [
    ...functions.take(100).map(([, name = '']) => name),
    ...forms.take(200).map(([form]) => /\baction\s{0,9}=\s{0,9}["']([^"'#]{1,300})/i.exec(form)?.[1] ?? ''),
    ...targets.take(1000).map(([, double, single]) => double ?? single ?? ''),
    ...linksIn(page).filter((link) => /[?/=]\d{1,9}\b|\?[^=]{1,40}=/.test(link)),
  ]
}

function linksIn(page: string): string[] {
  const links = page.matchAll(/<a\b[^>]{0,300}?\shref\s{0,9}=\s{0,9}["']([^"'#]{1,300})["']/gi)
  return [...links.take(1000)].map(([, target = '']) => target)
}

/** The verb that is a whole part of a path, query, or function name, such as `delete` in `/users/delete/1`. */
export function verbIn(target: string): string | undefined {
  if (/^(?:(?!javascript)[a-z][\w+.-]{0,20}:|\/\/)/i.test(target)) return undefined
  const parts = target
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z_-]+/)
  // Titles of articles have more words than `create-table`.
  const words = parts.flatMap((part) => (part.split('-').length > 2 ? [] : part.split(/[_-]/)))
  return words.find((word) => destructive.has(word)) ?? words.find((word) => changing.has(word))
}

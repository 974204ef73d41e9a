/** Administration pages that don't require a login, recognized by their controls instead of the product's name. */
import { commentsIn, hasPasswordField } from '#html.ts'
import { checkInfo, type NativeCheck, type NativeContext } from '#native/native-check.ts'
import { namedPaths } from '#native/web/named-paths.ts'
import { functionsOf, hasLogin, scriptCalls } from '#native/web/script-calls.ts'
import { destructive, verbIn } from '#native/web/verbs.ts'
import { folderOf, type Page, pathHere, readPage, readPageAt, requestWeb, webProof } from '#native/web/request.ts'
import { readSite, type WebSite } from '#native/web/site.ts'

export const openAdministration = checkInfo({
  id: 'web-administration-open',
  name: 'Admin interface exposed without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:L',
  score: 7.3,
  summary:
    'An administration page with controls such as delete, stop, or run is accessible without authentication. The check did not use the controls.',
  impact: 'An attacker can view and change everything that the interface manages.',
  remediation:
    "Enable the application's login, or put it behind a reverse proxy that requires authentication (`auth_basic` in nginx).",
  reference: 'https://cwe.mitre.org/data/definitions/306.html',
  tags: 'misconfig panel admin unauth',
  verifiedOn: 'crontab-ui dynamodb-admin sandman2 sqladmin starlette-admin',
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
    const site = await readSite(context)
    const scripted = site && (await scriptedAdministration(context, site))
    if (scripted) return { [openAdministration.id]: scripted }
    const usual = folders.map((folder) => `${base}${folder}`)
    const named = site ? await administrationPaths(context, site) : []
    for (const path of new Set([...usual, ...named])) {
      const page = path === base ? site?.front : await readPage(context, path)
      if (!page) return {}
      for (const found of [page, ...(await subpages(context, page))]) {
        const controls = found.status === 200 ? administrationControls(found.body, found.path) : undefined
        if (controls)
          return { [openAdministration.id]: { ...webProof(found, controls), path: found.path, quality: 80 } }
      }
    }
    return { [openAdministration.id]: null }
  },
}

const namedMax = 4
const administrationPath =
  /(?:^|[/_-])(?:admin\w{0,12}|back-?office|backend|dashboard|internal|manage|management|manager|staff)(?:[/_.-]|$)/i

/** Paths of administration pages that links, the robots.txt, and comments of the start page name. */
async function administrationPaths(context: NativeContext, site: WebSite): Promise<readonly string[]> {
  const mentioned = commentsIn(site.front.body).flatMap((text) =>
    [...text.matchAll(/(?:^|[\s"'(:])(\/[\w/-]{3,60})/g).take(5)].map(([, path = '']) => path),
  )
  const paths = [...mentioned, ...(await namedPaths(context, site))]
  return paths.filter((path) => administrationPath.test(path) && verbIn(path) === undefined).slice(0, namedMax)
}

const readsMax = 4
/** What administrators manage, as part of a path or of the name of a function. */
const managed =
  /^(?:agents?|apps?|backups?|builds?|clients?|clusters?|collections?|commands?|config|configuration|connections?|containers?|crons?|cronjobs?|crontabs?|databases?|db|deployments?|devices?|domains?|endpoints?|environments?|expectations?|features?|flags?|flows?|hosts?|images?|indexes|indices|instances?|jobs?|keys?|logs?|mocks?|models?|modules?|monitors?|networks?|nodes?|packages?|pipelines?|plugins?|pods?|printers?|process(?:es)?|prox(?:y|ies)|queues?|repos?|repository|repositories|requests?|routes?|rules?|runs?|schedules?|scripts?|secrets?|servers?|services?|settings?|snapshots?|stacks?|streams?|stubs?|tables?|targets?|tasks?|tokens?|topics?|tunnels?|users?|vhosts?|vms?|volumes?|webhooks?|workers?|workflows?)$/

/**
 * An application without a login whose scripts change what administrators manage, and which either returns data to
 * unauthenticated calls of its scripts or has the functions in its page.
 */
async function scriptedAdministration(context: NativeContext, { front, unknown, scripts }: WebSite) {
  const texts = [front.body, ...scripts]
  if (front.status !== 200 || hasPasswordField(front.body) || personal.test(front.body) || hasLogin(texts))
    return undefined
  const controls = scriptedControls(texts)
  if (!controls) return undefined
  const handlers = functionsIn(front.body)
  const called = controls.functions.filter((name) => handlers.has(name))
  if (called.length > 0 && controls.functions.length >= 3)
    return { ...webProof(front, called.slice(0, 5)), path: front.path, quality: 80 }
  for (const target of controls.reads.flatMap((path) => pathHere(path, front.path) ?? []).slice(0, readsMax)) {
    const page = await requestWeb(context, { target, headers: { Accept: 'application/json' } })
    if (!page) return undefined
    if (page.status === 401 || page.status === 403) return undefined
    if (page.status === 200 && page.body !== unknown.body && isData(page.body))
      return { ...webProof(page, ['HTTP/1.1 200']), path: target, quality: 80 }
  }
  return undefined
}

function isData(body: string): boolean {
  return (
    /^\s{0,99}(?:\[\s{0,99}[{["]|\{\s{0,99}")/.test(body) && !/^\s{0,9}\{\s{0,9}"(?:error|message|detail)"/.test(body)
  )
}

/** Functions that the handlers of a page call. */
function functionsIn(html: string): ReadonlySet<string> {
  const handlers = html.matchAll(/\son(?:click|submit|change)\s{0,9}=\s{0,9}["'](?:return )?(\w{3,40})\(/gi).take(300)
  return new Set([...handlers].map(([, name = '']) => name))
}

/**
 * @returns undefined unless the scripts have at least two different verbs for what administrators manage, one of which
 *   destroys something
 */
export function scriptedControls(texts: readonly string[]) {
  const calls = scriptCalls(texts)
  const writes = calls.filter(({ method, path }) => method !== 'GET' && isManaged(path))
  const functions = functionsOf(texts).filter((name) => verbIn(name) !== undefined && isManaged(name))
  const verbs = new Set([...writes.map(({ method, path }) => verbOfCall(method, path)), ...functions.map(verbIn)])
  const destroys = [...verbs].some((verb) => verb !== undefined && destructive.has(verb))
  if (!destroys || verbs.size < 2) return undefined
  return {
    functions,
    reads: calls.flatMap(({ method, path }) => (method === 'GET' && !path.includes('*') && !verbIn(path) ? path : [])),
  }
}

function verbOfCall(method: string, path: string): string {
  return verbIn(path) ?? (method === 'DELETE' ? 'delete' : method.toLowerCase())
}

function isManaged(name: string): boolean {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => managed.test(word))
}

/** `/admin/user/`, `/books/list`, `/queues/mail` */
const listPath =
  /\/(?:(?:list|index|all)|(?:accounts|agents|clients|collections|connections|containers|customers|databases|deployments|devices|indexes|jobs|models|nodes|orders|pipelines|processes|projects|queues|repositories|rules|runs|schedules|sessions|spiders|tables|tasks|tokens|users|workers|workflows)(?:\/[\w.-]{1,60})?)\/?$|\/(?:admin|administration)\/\w{1,40}\/$/i

/** Lists of records that an administration page links to. Other links aren't followed: a GET can change something. */
async function subpages(context: NativeContext, { status, path, body }: Page): Promise<Page[]> {
  if (status !== 200 || !isAdministration(body, path) || hasPasswordField(body)) return []
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
/** A shopping cart or a list of favorites has the same controls. */
const personal = /\b(?:basket|cart|checkout|compare|favorites|newsletter|subscribe|subscriptions?|wish-?list)\b/i

/**
 * The controls that make a page an administration interface.
 *
 * @returns undefined unless the page is about administration, has no password field, and has at least three different
 *   controls, one of which destroys something
 */
export function administrationControls(html: string, path = '/'): readonly string[] | undefined {
  const page = html.slice(0, pageLengthMax)
  if (!isAdministration(page, path) || hasPasswordField(page) || personal.test(page)) return undefined
  const actions = byVerb(actionsIn(page))
  const all = new Map([...byVerb(linksIn(page)), ...actions])
  const isDestructive = [...actions.keys()].some((verb) => destructive.has(verb))
  return isDestructive && all.size >= 3 ? [...actions.values(), ...all.values()].slice(0, 5) : undefined
}

function byVerb(targets: readonly string[]): Map<string, string> {
  return new Map(targets.flatMap((target) => [verbIn(target) ?? []].flat().map((verb) => [verb, target] as const)))
}

const administrativePath = /^\/(?:[\w-]{1,40}\/){0,2}(?:admin|administration)(?:\/|$)/i

function isAdministration(page: string, path: string): boolean {
  if (administrativePath.test(path)) return true
  const titles = page.matchAll(/<(title|h1|h2)\b[^>]{0,300}>([\s\S]{0,300}?)<\/\1>/gi).take(10)
  return [...titles].some(([, , text = '']) => administrationWords.test(text.replaceAll(/<[^<>]{0,300}>/g, ' ')))
}

/** What forms, buttons, and scripts of a page request; pages that only document an interface don't have them. */
function actionsIn(page: string): string[] {
  const forms = page
    .matchAll(/<form\b[^>]{0,500}>/gi)
    .filter(([form]) => /\bmethod\s{0,9}=\s{0,9}["']?post/i.test(form))
  const targets = page.matchAll(
    /\s(?:formaction|hx-(?:post|put|delete)|data-(?:[a-z]{1,10}-)?(?:url|action|name)|onclick|onsubmit)\s{0,9}=\s{0,9}(?:"([^"#]{1,300})"|'([^'#]{1,300})')/gi,
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

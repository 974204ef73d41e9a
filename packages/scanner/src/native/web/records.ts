/** Records of an internal kind in APIs that a description, a JSON index, or the application's own scripts name. */
import { z } from 'zod'
import { checkInfo, type NativeContext, type Proof } from '#native/native-check.ts'
import { kindOf, recordsIn } from '#native/web/record-kinds.ts'
import { pathHere, requestWeb, webProof, type WebResponse } from '#native/web/request.ts'
import { readSite, type WebSite } from '#native/web/site.ts'
import { findWritable } from '#native/web/writable.ts'

export const exposedRecords = checkInfo({
  id: 'api-records-exposed',
  name: 'API returns internal records without authentication',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary:
    "An API endpoint found in the application's scripts, a JSON index, or an OpenAPI description returns users, credentials, mail, jobs, logs, or machines without authentication.",
  impact: 'An attacker can read the records, and often change them with other operations of the same API.',
  remediation: 'Require authentication for the API, for example with a token or session checked before every route.',
  reference: 'https://owasp.org/API-Security/editions/2023/en/0xa2-broken-authentication/',
  tags: 'exposure api unauth',
  verifiedOn: 'flask-profiler saq',
})
const indexes = ['', 'api/', 'api/v1/']
/** Lists that many applications have, tried last. */
const usualLists = ['api/users', 'api/v1/users', 'api/jobs', 'api/tasks', 'api/nodes', 'api/devices', 'api/connections']
const callsMax = 16
const linksMax = 60

/** Null if no call proves the weakness. */
export interface RecordProofs {
  readonly records: Proof | null
  readonly writable: Proof | null
}

/**
 * Tries the calls that the start page's scripts, JSON indexes, and `described` paths name.
 *
 * @returns undefined if the server didn't answer
 */
export async function findRecords(
  context: NativeContext,
  base: string,
  described: readonly string[],
): Promise<RecordProofs | undefined> {
  const site = await readSite(context)
  if (!site) return undefined
  let writable: Proof | undefined
  const calls = new Set([...described, ...callsOfScripts(site)])
  for (const name of indexes) {
    const target = `${base}${name}`
    const index = await requestWeb(context, { target, headers: { Accept: 'application/json' } })
    if (!index) return undefined
    if (index.status !== 200) continue
    for (const path of linksIn(index.body, target)) if (kindOf(path)) calls.add(path)
    writable ??= await findWritable(context, index, linksIn(index.body, target))
  }
  for (const name of usualLists) calls.add(`${base}${name}`)
  for (const target of [...calls].slice(0, callsMax)) {
    const proof = await recordsAt(context, target)
    if (proof) return { records: proof, writable: writable ?? null }
  }
  return { records: null, writable: writable ?? null }
}

async function recordsAt(context: NativeContext, target: string): Promise<Proof | undefined> {
  const kind = kindOf(target)
  const page = await readCall(context, target)
  if (page?.status !== 200 || !kind) return undefined
  const highlight = recordsIn(page.body, kind)
  return highlight === undefined
    ? undefined
    : { ...webProof(page, [highlight]), path: target.split('?', 1)[0] ?? target }
}

/** Many frameworks redirect to the path with a slash at its end. */
async function readCall(context: NativeContext, target: string): Promise<WebResponse | undefined> {
  const headers = { Accept: 'application/json' }
  const page = await requestWeb(context, { target, headers })
  const isRedirect = page !== undefined && page.status >= 301 && page.status <= 308 && !target.endsWith('/')
  return isRedirect ? requestWeb(context, { target: `${target}/`, headers }) : page
}

/** API calls in a page and its scripts. */
function callsOfScripts({ front, scripts }: WebSite): string[] {
  const calls = callsIn([front.body, ...scripts]).flatMap((call) => pathHere(call, front.path) ?? [])
  // `"/queues/" + name` also has a list at `/queues`.
  return calls.flatMap((call) => (/\w\/$/.test(call) ? [call, call.slice(0, -1)] : call))
}

const literal = /["'`}](\/?(?:[\w.-]{1,40}\/){0,5}[\w-]{1,40}\/?)["'`?]/g
const literalsMax = 20_000
const isApi = /(?:^|\/)(?:api|rest|v\d)\//
const apiBase = /^\/?(?:[\w-]{1,30}\/)?(?:api|rest)(?:\/v\d)?\/?$/
/** `prefix = '/shop'` in a script. */
const declaredBase =
  /\b\w{0,30}(?:prefix|base|baseurl|basepath|root)["']?\]?\s{0,3}[:=]\s{0,3}["'`](\/[\w-]{1,30}(?:\/[\w-]{1,30})?)\/?["'`]/gi
const basesMax = 3

/**
 * Paths of API calls in the text of scripts, whole or as a base path and a name.
 *
 * @returns only those whose last part is a kind of internal records
 */
export function callsIn(texts: readonly string[]): string[] {
  return apiPaths(texts, { test: (path) => kindOf(path) !== undefined })
}

/** Paths of API calls in the text of scripts that a pattern accepts, whole or as a base path and a name. */
export function apiPaths(texts: readonly string[], accepted: Pick<RegExp, 'test'>): string[] {
  const literals = new Set(
    texts.flatMap((text) => [...text.matchAll(literal).take(literalsMax)].map(([, path = '']) => path)),
  )
  const declared = texts.flatMap((text) => [...text.matchAll(declaredBase).take(basesMax)].map(([, base = '']) => base))
  const named = [...literals].filter((path) => accepted.test(path))
  const bases = new Set([...[...literals].filter((path) => apiBase.test(path)), ...declared].slice(0, basesMax))
  const whole = named.filter((path) => isApi.test(path))
  const joined = [...bases].flatMap((base) =>
    named.filter((path) => !isApi.test(path)).map((path) => `${base.replace(/\/$/, '')}/${path.replace(/^\//, '')}`),
  )
  return [...new Set([...whole, ...joined])]
}

/** Links of a JSON index on the same server. */
export function linksIn(body: string, path: string): string[] {
  if (!/^\s{0,99}\{/.test(body) || body.length > 100_000) return []
  try {
    const links = stringsIn(z.json().parse(JSON.parse(body))).slice(0, linksMax)
    return links.flatMap((link) => linkedPath(link, path) ?? [])
  } catch {
    return []
  }
}

/** The path of a link. The index may name a host that is only reachable from outside. */
function linkedPath(link: string, base: string): string | undefined {
  const [text = ''] = link.split('{')
  if (!/^(?:https?:\/)?\/\S{1,300}$/.test(text) || !URL.canParse(text, `http://here.invalid${base}`)) return undefined
  const { pathname } = new URL(text, `http://here.invalid${base}`)
  return pathname === base ? undefined : pathname
}

function stringsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (depth > 4 || typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((item) => stringsIn(item, depth + 1))
}

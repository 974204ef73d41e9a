/** Caches that store a page with values of a single request, or with the session of a single visitor. */
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { folderOf, requestWeb, webProof, type WebRequest, type WebResponse } from '#native/web/request.ts'

export const cachePoisoning = checkInfo({
  id: 'web-cache-poisoning',
  name: 'Web cache poisoning',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:H/A:N',
  score: 8.2,
  summary:
    'The home page contains the host of the X-Forwarded-Host header or the value of a tracking parameter such as `utm_source`, and a cache returns that page to requests without them. The check used a unique query, so no other client receives the page.',
  impact: "An attacker can make the cache deliver a page that loads the attacker's scripts to all users.",
  remediation:
    'Use a configured hostname for URLs in pages, and trust X-Forwarded-Host only from your own proxy. Remove headers and parameters that are not part of the cache key before requests reach the application.',
  reference: 'https://cwe.mitre.org/data/definitions/349.html',
  tags: 'misconfig cache http',
  verifiedOn: 'nginx-forwarded varnish-session',
})
export const sessionCached = checkInfo({
  id: 'session-cookie-cached',
  name: 'Session cookie stored in a shared cache',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:N',
  score: 8.1,
  summary:
    'A cache stores a page together with the session cookie that the application issued for one visitor, and returns both to other visitors.',
  impact: 'An attacker can receive the same session as other visitors, and use it once one of them signs in.',
  remediation:
    'Send `Cache-Control: private` or `no-store` with every response that sets a cookie, and configure the cache not to store responses with `Set-Cookie`.',
  reference: 'https://cwe.mitre.org/data/definitions/524.html',
  tags: 'misconfig cache http session',
  verifiedOn: 'varnish-session',
})

/** Parameters that caches are often configured to leave out of their key. */
const unkeyed = ['utm_source', 'utm_content', 'utm_campaign', 'gclid', 'fbclid']
const sessionName = /sess|^sid|sid$|auth|token|jwt/i
const otherName = /csrf|xsrf/i
/** The Age and Date headers have a resolution of one second. */
const secondMs = 1100

export const webCache: NativeCheck = {
  checks: [cachePoisoning, sessionCached],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const fresh = await read(context, { target: newTarget(context) })
    // A hit for a new address means that the cache ignores queries: the page of all visitors would be changed.
    if (!fresh || isHit(fresh)) return {}
    const poisoned = (await poisonedByHost(context)) ?? (await poisonedByParameter(context))
    const session = await cachedSession(context, fresh)
    return {
      ...(poisoned !== undefined && { [cachePoisoning.id]: poisoned }),
      ...(session !== undefined && { [sessionCached.id]: session }),
    }
  },
}

function newTarget(context: NativeContext): string {
  return `${folderOf(context.basePath)}?glacis=${randomBytes(6).toString('hex')}`
}

/** The header keeps the response from being shared with other checks. */
function read(context: NativeContext, { target, headers }: WebRequest): Promise<WebResponse | undefined> {
  return requestWeb(context, { target, headers: { Accept: '*/*', ...headers } })
}

function poisonedByHost(context: NativeContext): Promise<Proof | undefined> {
  const host = `${randomBytes(6).toString('hex')}.example`
  const target = newTarget(context)
  return poisoned(context, { target, headers: { 'X-Forwarded-Host': host } }, { target, sign: host })
}

async function poisonedByParameter(context: NativeContext): Promise<Proof | null | undefined> {
  const values = unkeyed.map((name) => ({ name, sign: randomBytes(6).toString('hex') }))
  const all = values.map(({ name, sign }) => `&${name}=${sign}`).join('')
  const page = await read(context, { target: newTarget(context) + all })
  if (!page) return undefined
  for (const { name, sign } of values.filter(({ sign }) => page.body.includes(sign))) {
    const target = newTarget(context)
    const proof = await poisoned(context, { target: `${target}&${name}=${sign}` }, { target, sign })
    if (proof) return proof
  }
  return null
}

/** Whether the page without the value contains it after a request with it. */
async function poisoned(
  context: NativeContext,
  request: WebRequest,
  { target, sign }: { readonly target: string; readonly sign: string },
): Promise<Proof | undefined> {
  const first = await read(context, request)
  if (!first?.received.includes(sign)) return undefined
  const next = await read(context, { target })
  if (!next?.received.includes(sign)) return undefined
  // A page that lists recent requests contains the value at any address.
  const other = await read(context, { target: `${target}-other` })
  return other && !other.received.includes(sign) ? webProof(next, [sign]) : undefined
}

/** Whether two requests get the session of the first one, but a request for another address gets another session. */
async function cachedSession(context: NativeContext, other: WebResponse): Promise<Proof | null | undefined> {
  if (sessionsOf(other).length === 0) return null
  const target = newTarget(context)
  const first = await read(context, { target })
  const second = await read(context, { target })
  if (!first || !second) return undefined
  const others = sessionsOf(other)
  const shared = sessionsOf(first).find((cookie) => sessionsOf(second).includes(cookie) && !others.includes(cookie))
  if (shared === undefined) return null
  if (isHit(second)) return webProof(second, [shared])
  await wait(secondMs, undefined, { signal: context.signal })
  const third = await read(context, { target })
  if (!third) return undefined
  const isStored = isHit(third) || (headerOf(first, 'date') ?? 'none') === headerOf(third, 'date')
  return isStored && sessionsOf(third).includes(shared) ? webProof(third, [shared]) : null
}

/** Name and value of each cookie that has the name of a session. */
function sessionsOf({ status, headers }: WebResponse): string[] {
  if (status !== 200) return []
  return headers.flatMap(([header, value]) => {
    const [, cookie, name = ''] =
      header.toLowerCase() === 'set-cookie' ? (/^(([\w.-]{1,60})=[^;\s]{16,4000})/.exec(value) ?? []) : []
    return cookie !== undefined && sessionName.test(name) && !otherName.test(name) ? cookie : []
  })
}

/** Whether a cache reports that it stored the response before the request. */
export function isHit({ headers }: WebResponse): boolean {
  return headers.some(([name, value]) =>
    /^age$|cache-?hits?$/i.test(name) ? /[1-9]/.test(value) : /cache/i.test(name) && /\bhit\b/i.test(value),
  )
}

function headerOf({ headers }: WebResponse, name: string): string | undefined {
  return headers.find(([other]) => other.toLowerCase() === name)?.[1]
}

/** Sign-in calls that issue a token without credentials, as in applications without accounts. */
import type { NativeContext, Proof } from '#native/native-check.ts'
import { scriptCalls } from '#native/web/script-calls.ts'
import { isChanging } from '#native/web/verbs.ts'
import { pathHere, requestWeb, webProof } from '#native/web/request.ts'
import type { WebSite } from '#native/web/site.ts'

const signIn = /^\/?(?:[\w-]{1,20}\/){0,4}(?:sign-?in|log-?in|authenticate)\/?$/i
const issuedToken =
  /"(?:(?:access|auth|id)_?)?(?:token|jwt)"\s{0,9}:\s{0,9}"(eyJ[\w-]{4,400}\.(eyJ[\w-]{4,2000})\.[\w-]{4,800})"/i
/** Applications with guest access issue such tokens on purpose. */
const guest = /guest|anonym|visitor|public/i
const callsMax = 6

/**
 * Sends an empty object to the sign-in call that the scripts name.
 *
 * @returns the response, if its token authorizes a call of the scripts that is rejected without it
 */
export async function tokenWithoutCredentials(context: NativeContext, site: WebSite): Promise<Proof | undefined> {
  const calls = scriptCalls([site.front.body, ...site.scripts])
  const hereOf = (path: string) => pathHere(path, site.front.path)
  const target = calls.flatMap(({ method, path }) =>
    method === 'POST' && signIn.test(path) ? (hereOf(path) ?? []) : [],
  )[0]
  if (target === undefined) return undefined
  const response = await requestWeb(context, {
    method: 'POST',
    target,
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  })
  const [found, token = '', claims = ''] = response?.status === 200 ? (issuedToken.exec(response.body) ?? []) : []
  if (!response || found === undefined) return undefined
  if (guest.test(response.body) || guest.test(Buffer.from(claims, 'base64url').toString('utf8'))) return undefined
  const readable = calls.flatMap(({ method, path }) =>
    method === 'GET' && !path.includes('*') && !isChanging(path) ? (hereOf(path) ?? []) : [],
  )
  for (const path of [...new Set(readable)].slice(0, callsMax)) {
    const closed = await requestWeb(context, { target: path })
    if (closed?.status !== 401 && closed?.status !== 403) continue
    const opened = await requestWeb(context, { target: path, headers: { Authorization: `Bearer ${token}` } })
    if (opened?.status === 200) return { ...webProof(response, [found.slice(0, 40)]), path: target, quality: 99 }
  }
  return undefined
}

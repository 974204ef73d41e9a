/** JSON Web Tokens that the server should reject: without a valid signature, or signed with a well-known secret. */
import { createHmac, randomBytes } from 'node:crypto'
import { readAnswers } from '#native/web/api-answers.ts'
import { deniedPages } from '#native/web/denied-pages.ts'
import { readDescription } from '#native/web/api-description.ts'
import { checkInfo, type NativeContext, type Proof } from '#native/native-check.ts'
import { namesOf } from '#native/web/known-secrets.ts'
import { readProvider } from '#native/web/openid.ts'
import { readPages } from '#native/web/site-pages.ts'
import { requestWeb, webProof, type WebResponse } from '#native/web/request.ts'
import { readSite, type WebSite } from '#native/web/site.ts'

export const unsignedAccepted = checkInfo({
  id: 'jwt-unsigned-accepted',
  name: 'JWT accepted without a valid signature',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 9.1,
  summary:
    'An API operation, a page, or the UserInfo endpoint of the OpenID provider accepts a JSON Web Token that is not signed (`"alg":"none"`), or does not verify signatures at all. It rejects other invalid tokens.',
  impact: 'An attacker can forge tokens and impersonate any user.',
  remediation:
    'Verify each token with a function that checks its signature, such as `jwt.verify()` instead of `jwt.decode()`, and accept only the algorithm that the server signs with.',
  reference: 'https://www.rfc-editor.org/rfc/rfc8725#section-3.1',
  tags: 'misconfig auth bypass jwt',
  verifiedOn: 'authlib-provider cookie-tokens express-forged-tokens fastapi-tokens',
})

export interface TokenProofs {
  /** A token without a valid signature. */
  readonly unsigned: Proof | null
  /** A token signed with a well-known secret. */
  readonly weak: Proof | null
}

const none: TokenProofs = { unsigned: null, weak: null }
const targetsMax = 2
const namedSecretsMax = 3
// cspell:disable
/** Secrets of jwt.io and of the documentation of FastAPI and NestJS, and the most frequent words. */
const usualSecrets = [
  'secret',
  'changeme',
  'supersecret',
  'your-256-bit-secret',
  'a-string-secret-at-least-256-bits-long',
  '09d25e094faa6ca2556c818166b7a9563b93f7099f6f0f4caa6cf63b88e8d3e7',
  'secretKey',
]
// cspell:enable
const known = new WeakMap<NativeContext, Promise<TokenProofs | undefined>>()

/**
 * Sends at most 22 forged tokens, with GET requests to operations that reject requests without one, or in cookies to a
 * denied page. None of them is an attempt to log in, so no account can be locked.
 *
 * @returns undefined if the server didn't answer
 */
export function forgedTokens(context: NativeContext): Promise<TokenProofs | undefined> {
  const reading = known.get(context) ?? forge(context)
  known.set(context, reading)
  return reading
}

async function forge(context: NativeContext): Promise<TokenProofs | undefined> {
  const answers = await readAnswers(context)
  const site = await readSite(context)
  if (!answers || !site) return undefined
  const provider = await readProvider(context)
  const denied = answers.filter(({ page }) => (page.status === 401 || page.status === 403) && !asksForPassword(page))
  const isExpected = denied.some(({ page }) => mentionsToken(page)) || (await usesTokens(context))
  const operations = (isExpected ? denied : []).map(({ target }) => target).toSorted(ownAccountFirst)
  const userinfo = provider?.userinfo === undefined ? [] : [provider.userinfo]
  const inHeader = [...userinfo, ...operations].map((target): Target => ({ target, carrier: 'header' }))
  const targets = inHeader.length > 0 ? inHeader.slice(0, targetsMax) : await deniedPage(context, site)
  // Many programs require a number as the subject, and others a name.
  const [byNumber, byName] = [claimsOf('1', provider?.issuer), claimsOf('admin', provider?.issuer)]
  for (const target of targets) {
    const proof = (await acceptsUnsigned(context, target, byName)) ?? (await acceptsUnsigned(context, target, byNumber))
    if (proof) return { unsigned: { ...proof, path: target.target }, weak: null }
  }
  const [target] = targets
  if (target === undefined) return none
  const secrets = [...namesOf(site.front.body), ...usualSecrets]
  const weak =
    (await acceptsSecret(context, target, { claims: byNumber, secrets })) ??
    (await acceptsSecret(context, target, { claims: byName, secrets: secrets.slice(0, namedSecretsMax) }))
  return { unsigned: null, weak: weak && { ...weak, path: target.target } }
}

interface Target {
  readonly target: string
  readonly carrier: 'cookie' | 'header'
}

/** A page that may read the token from a cookie. */
async function deniedPage(context: NativeContext, site: WebSite): Promise<readonly Target[]> {
  for (const target of await deniedPages(context, site)) {
    const page = await requestWeb(context, { target })
    if (page && !asksForPassword(page)) return [{ target, carrier: 'cookie' }]
  }
  return []
}

function headerOf({ headers }: WebResponse, name: string): string {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? ''
}

function asksForPassword(page: WebResponse): boolean {
  return /^(?:basic|digest|negotiate|ntlm)\b/i.test(headerOf(page, 'www-authenticate'))
}

/** Pages redirect to the login, and Flask-JWT-Extended rejects invalid tokens with 422. */
const rejections = [302, 303, 307, 400, 401, 403, 422]
const tokenWord = /\b(?:authorization header|bearer|jwt|(?:access[ _-]?|auth[ _-]?)?tokens?)\b/i

function mentionsToken(page: WebResponse): boolean {
  return tokenWord.test(headerOf(page, 'www-authenticate')) || tokenWord.test(page.body.slice(0, 2000))
}

/** A script that sends or stores a token. */
const tokenInScript = /["'`]Bearer |\b(?:local|session)Storage\.(?:[gs]etItem\(\s{0,3}["'`])?\w{0,20}(?:jwt|token)/i

/** Whether the API is described, or the scripts of the site name tokens. */
async function usesTokens(context: NativeContext): Promise<boolean> {
  if (await readDescription(context)) return true
  const site = await readSite(context)
  if (!site) return false
  const { pages, scripts } = await readPages(context, site)
  return [...pages.map(({ body }) => body), ...scripts].some((text) => tokenInScript.test(text))
}

const ownAccount = /\/(?:account|current|me|profile|self|user|user-?info|who-?am-?i)\/?$/i

/** Operations that need no role. */
function ownAccountFirst(left: string, right: string): number {
  return Number(ownAccount.test(right)) - Number(ownAccount.test(left))
}

async function acceptsUnsigned(context: NativeContext, target: Target, claims: string): Promise<Proof | null> {
  const send = (token: string) => sendToken(context, target, token)
  const unsigned = await send(`${encoded({ alg: 'none', typ: 'JWT' })}.${claims}.`)
  // 404: no such user; 403: not the role that the operation requires.
  if (unsigned === undefined || ![200, 403, 404].includes(unsigned.status)) return null
  const isForbidden = unsigned.status === 403
  const isRejected = (page: WebResponse | undefined) =>
    page !== undefined &&
    (isForbidden ? rejections.filter((status) => status !== 403) : rejections).includes(page.status)
  const invalid = await send(signedWith(randomBytes(32), claims))
  const control = isRejected(invalid)
    ? // Some libraries report an unknown algorithm in another way than a wrong signature.
      isForbidden
      ? await send(`${encoded({ alg: 'HS0', typ: 'JWT' })}.${claims}.Z2xhY2lz`)
      : invalid
    : // No signature is verified.
      invalid?.status === unsigned.status && !isForbidden
      ? await send(randomBytes(24).toString('hex'))
      : undefined
  return isRejected(control) ? webProof(unsigned, [`HTTP/1.1 ${unsigned.status}`]) : null
}

/** Tokens that differ only in their signature; the one with the secret is sent twice. */
async function acceptsSecret(
  context: NativeContext,
  target: Target,
  { claims, secrets }: { readonly claims: string; readonly secrets: readonly string[] },
): Promise<Proof | null> {
  const send = (secret: string | Buffer) => sendToken(context, target, signedWith(secret, claims))
  const rejected = await send(randomBytes(32))
  if (!rejected || !rejections.includes(rejected.status)) return null
  for (const secret of secrets) {
    const page = await send(secret)
    if (!page || page.status === rejected.status || page.status > 500) continue
    const again = await send(secret)
    const fact = `signed with the secret "${secret}"`
    if (again?.status === page.status)
      return { ...webProof({ ...page, received: `${page.received.slice(0, 8000)}\n\n${fact}` }, [fact]) }
  }
  return null
}

function signedWith(secret: string | Buffer, claims: string): string {
  const text = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${claims}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

// cspell:disable-next-line
const cookieNames = 'token jwt session auth access_token auth_token accessToken authToken'.split(' ')

function sendToken(context: NativeContext, { target, carrier }: Target, token: string) {
  const headers =
    carrier === 'header'
      ? { Accept: 'application/json', Authorization: `Bearer ${token}` }
      : { Accept: 'text/html,*/*;q=0.8', Cookie: cookieNames.map((name) => `${name}=${token}`).join('; ') }
  return requestWeb(context, { target, headers })
}

/** Claims of an administrator, under the names that usual libraries and applications read. */
function claimsOf(subject: string, issuer: string | undefined): string {
  const now = Math.floor(Date.now() / 1000)
  const names = { sub: subject, user: 'admin', username: 'admin', id: 1, user_id: 1, userId: 1 }
  const roles = { role: 'admin', roles: ['admin', 'ROLE_ADMIN'], scope: 'admin', is_admin: true, admin: true }
  const kind = { type: 'access', token_type: 'access', fresh: true, jti: randomBytes(8).toString('hex') }
  const times = { iat: now - 60, nbf: now - 60, exp: now + 3600 }
  return encoded({ ...names, ...roles, ...kind, ...(issuer !== undefined && { iss: issuer }), ...times })
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Tokens and session cookies that a web server gives to an anonymous visitor, and forged tokens that it accepts. */
import { createHmac } from 'node:crypto'
import { readAnswers } from '#native/web/api-answers.ts'
import { forgedTokens, unsignedAccepted } from '#native/web/forged-tokens.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { requestWeb, type WebResponse } from '#native/web/request.ts'
import { type Cookie, secretOfCookie } from '#native/web/cookie-signatures.ts'
import { namesOf, secretThat } from '#native/web/known-secrets.ts'
import { readPages } from '#native/web/site-pages.ts'
import { namedPaths } from '#native/web/named-paths.ts'
import { languageOf, serializedCookie } from '#native/web/serialized-cookies.ts'
import { isChanging, isDestructive } from '#native/web/verbs.ts'
import { readSite, type WebSite } from '#native/web/site.ts'

const unsigned = checkInfo({
  id: 'jwt-unsigned',
  name: 'Unsigned JWT issued (alg none)',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 9.1,
  summary: 'The server issues JSON Web Tokens without a signature (`"alg":"none"`), so clients can change them.',
  impact: "An attacker can change a token's claims, for example to impersonate another user or gain another role.",
  remediation: 'Sign tokens with RS256, ES256, or HS256 and a random secret, and reject `none` when verifying.',
  reference: 'https://www.rfc-editor.org/rfc/rfc8725#section-3.1',
  tags: 'misconfig http jwt',
  verifiedOn: 'web-tokens',
})
const weakJwt = checkInfo({
  id: 'jwt-weak-secret',
  name: 'JWT signed with a well-known secret',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 9.1,
  summary:
    'The server signs JSON Web Tokens with a secret that appears in examples or documentation, or that is the name of the application: it issued such a token, or accepted one that the check had signed.',
  impact: 'An attacker can forge tokens and impersonate any user.',
  remediation: 'Replace the secret with at least 32 random bytes, for example from `openssl rand -base64 32`.',
  reference: 'https://www.rfc-editor.org/rfc/rfc8725#section-3.5',
  tags: 'misconfig http jwt',
  verifiedOn: 'cookie-tokens express-forged-tokens web-tokens',
})
const weakSession = checkInfo({
  id: 'session-weak-secret',
  name: 'Session cookie signed with a well-known secret',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 9.1,
  summary:
    'A session cookie is signed with a secret that appears in examples or documentation, or that is the name of the application. The check recognizes the cookies of about 15 web frameworks, among them Flask, Starlette, Django, Express, Koa, Tornado, Gin, and Hapi.',
  impact:
    'An attacker can forge session cookies. In most of these frameworks, the cookie contains the session itself, so the attacker can impersonate any user.',
  remediation:
    'Replace the secret with at least 32 random bytes, for example `SECRET_KEY` in Flask and Django, `secret_key` of the session middleware in Starlette, or `secret` in express-session.',
  reference: 'https://flask.palletsprojects.com/en/stable/config/#SECRET_KEY',
  tags: 'misconfig http session',
  verifiedOn: 'mojolicious-session signed-cookies superset web-tokens',
})
const predictable = checkInfo({
  id: 'session-id-predictable',
  name: 'Predictable session IDs',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 8.1,
  summary:
    'The server numbers its sessions consecutively: three requests without a cookie received consecutive session IDs.',
  impact: "An attacker can guess the IDs of other sessions and take over their users' accounts.",
  remediation: 'Use at least 128 random bits as the session ID, as the session libraries of web frameworks do.',
  reference: 'https://cwe.mitre.org/data/definitions/330.html',
  tags: 'misconfig http session',
  verifiedOn: 'php-diagnostics',
})

const jwtPattern = /\beyJ[\w-]{10,2000}\.eyJ[\w-]{2,4000}\.[\w-]{0,600}/g
const tokensMax = 5
const hashes: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' }

export const webTokens: NativeCheck = {
  checks: [unsigned, unsignedAccepted, weakJwt, weakSession, serializedCookie, predictable],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const page = await requestWeb(context, { target: context.basePath })
    if (!page) return {}
    const site = await readSite(context)
    // Some applications create a session only on the page that the first one redirects to.
    const front = page.status >= 300 && page.status < 400 ? site?.front : undefined
    const linked = site ? (await readPages(context, site)).pages : []
    const answers = (await readAnswers(context)) ?? []
    const pages = [page, ...(front ? [front] : []), ...answers.map((answer) => answer.page)]
    const all = [...pages, ...linked, ...(site ? await namedPages(context, site) : [])]
    const issued = firstProof(pages, tokensOf, secretOfJwt)
    const forged = await forgedTokens(context)
    return {
      [unsigned.id]: firstProof(pages, tokensOf, (token) => (algorithmOf(token) === 'none' ? 'alg: none' : undefined)),
      ...(forged && { [unsignedAccepted.id]: forged.unsigned }),
      [weakJwt.id]: issued ?? forged?.weak ?? null,
      [weakSession.id]: weakCookie(all, site ? namesOf(site.front.body) : []),
      [serializedCookie.id]: objectInCookie(all),
      [predictable.id]: await consecutiveNumbers(context, pages),
    }
  },
}

const numbered = /^[\w.-]{0,20}(?:sess|sid|auth|token)[\w.-]{0,20}=(\d{1,15})(?:;|$)/i
const stepMax = 5

/** The session numbers of three requests increase by one or, with other visitors in between, a little more. */
async function consecutiveNumbers(context: NativeContext, pages: readonly WebResponse[]): Promise<Proof | null> {
  if (pages.every((page) => sessionNumber(page) === undefined)) return null
  const numbers: number[] = []
  let last: WebResponse | undefined
  for (let turn = 0; turn < 3; turn++) {
    last = await requestWeb(context, { target: context.basePath, headers: { Accept: 'text/html' } })
    const number = last && sessionNumber(last)
    if (number === undefined) return null
    numbers.push(number)
  }
  const isCounted = numbers.slice(1).every((number, at) => {
    const step = number - (numbers[at] ?? 0)
    return step >= 1 && step <= stepMax
  })
  if (!last || !isCounted) return null
  const fact = `three requests: ${numbers.join(', ')}`
  return { request: last.request, answer: `HTTP/1.1 ${last.status}\n\n${fact}`, highlights: [fact] }
}

function sessionNumber({ headers }: WebResponse): number | undefined {
  for (const [name, text] of headers) {
    const [, number] = /^set-cookie$/i.test(name) ? (numbered.exec(text) ?? []) : []
    if (number !== undefined) return Number(number)
  }
  return undefined
}

function tokensOf({ received }: WebResponse): string[] {
  return [...new Set(received.match(jwtPattern) ?? [])].slice(0, tokensMax)
}

/** The proof contains the fact, and the token only up to its signature. */
function firstProof(
  pages: readonly WebResponse[],
  valuesOf: (page: WebResponse) => readonly string[],
  test: (value: string) => string | undefined,
): Proof | null {
  for (const page of pages) {
    for (const value of valuesOf(page)) {
      const fact = test(value)
      if (fact === undefined) continue
      const shown = `${value.slice(0, value.lastIndexOf('.')).slice(0, 300)}.…`
      return { request: page.request, answer: `HTTP/1.1 ${page.status}\n\n${shown}\n\n${fact}`, highlights: [fact] }
    }
  }
  return null
}

function cookiesOf({ headers }: WebResponse): Cookie[] {
  return headers.flatMap(([key, text]) => {
    const [, name = '', raw = ''] = /^set-cookie$/i.test(key) ? (/^([^=;]+)=([^;]+)/.exec(text) ?? []) : []
    return raw.length < 10 || raw.length > 4000 ? [] : [{ name, raw, value: percentDecoded(raw.replaceAll('"', '')) }]
  })
}

const shownMax = 40

/** The proof contains the start of the cookie. */
function weakCookie(pages: readonly WebResponse[], names: readonly string[]): Proof | null {
  for (const page of pages) {
    const cookies = cookiesOf(page)
    for (const cookie of cookies) {
      const secret = secretOfCookie(cookie, cookies, names)
      if (secret === undefined) continue
      const fact = factOf(secret)
      const answer = `HTTP/1.1 ${page.status}\n\nSet-Cookie: ${cookie.name}=${cookie.raw.slice(0, shownMax)}…\n\n${fact}`
      return { request: page.request, answer, highlights: [fact] }
    }
  }
  return null
}

function objectInCookie(pages: readonly WebResponse[]): Proof | null {
  for (const page of pages) {
    for (const cookie of cookiesOf(page)) {
      const language = languageOf(cookie)
      if (language === undefined) continue
      const shown = `${cookie.name}=${cookie.value.slice(0, shownMax)}`
      const answer = `HTTP/1.1 ${page.status}\n\nSet-Cookie: ${shown}…\n\nserialized by ${language}`
      return { request: page.request, answer, highlights: [shown] }
    }
  }
  return null
}

const namedMax = 10

/** Pages that robots.txt, the sitemap, and links name. Another check requests them as well. */
async function namedPages(context: NativeContext, site: WebSite): Promise<readonly WebResponse[]> {
  const paths = (await namedPaths(context, site)).filter((path) => !isChanging(path) && !isDestructive(path))
  const pages: WebResponse[] = []
  for (const target of paths.slice(0, namedMax)) {
    const page = await requestWeb(context, { target })
    if (page) pages.push(page)
  }
  return pages
}

function factOf(secret: string): string {
  return `signed with the secret "${secret}"`
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function algorithmOf(token: string): string | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString())
    const algorithm = typeof header === 'object' && header !== null && 'alg' in header ? header.alg : undefined
    return typeof algorithm === 'string' ? (/^none$/i.test(algorithm) ? 'none' : algorithm) : undefined
  } catch {
    return undefined
  }
}

function secretOfJwt(token: string): string | undefined {
  const hash = hashes[algorithmOf(token) ?? '']
  const end = token.lastIndexOf('.')
  const [signed, signature] = [token.slice(0, end), token.slice(end + 1)]
  if (!hash) return undefined
  const secret = secretThat((candidate) => createHmac(hash, candidate).update(signed).digest('base64url') === signature)
  return secret === undefined ? undefined : factOf(secret)
}

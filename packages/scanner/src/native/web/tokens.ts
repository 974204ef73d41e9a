/** Tokens and session cookies that a web server gives to an anonymous visitor, and forged tokens that it accepts. */
import { createHmac } from 'node:crypto'
import { readAnswers } from '#native/web/api-answers.ts'
import { forgedTokens, unsignedAccepted } from '#native/web/forged-tokens.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { requestWeb, type WebResponse } from '#native/web/request.ts'
import { readSite } from '#native/web/site.ts'

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
  verifiedOn: 'express-forged-tokens web-tokens',
})
const weakSession = checkInfo({
  id: 'session-weak-secret',
  name: 'Session cookie signed with a well-known secret',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 9.1,
  summary:
    'A session cookie is signed with a secret that appears in examples or documentation, or that is the name of the application. The check recognizes cookies of Flask, Express, and Mojolicious, and others with a hexadecimal signature.',
  impact:
    'An attacker can forge session cookies. In Flask and Mojolicious, the cookie contains the session itself, so the attacker can impersonate any user.',
  remediation:
    'Replace `SECRET_KEY` (Flask), the `secret` option (express-session, cookie-session), or `secrets` (Mojolicious) with at least 32 random bytes.',
  reference: 'https://flask.palletsprojects.com/en/stable/config/#SECRET_KEY',
  tags: 'misconfig http session',
  verifiedOn: 'mojolicious-session superset web-tokens',
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

// cspell:disable
const words = [
  'secret password changeme change-me changeit admin test testing jwt token auth key private default example dev',
  'development qwerty letmein insecure session cookie flask express node hello root pass demo super',
  'app myapp my_app application server web website site api shop',
  'secretkey secretKey secret_key secret-key my_secret my-secret mysecret mysecretkey my_secret_key my-secret-key',
  'your_secret your-secret your-secret-key your_secret_key yoursecret yoursecretkey your-256-bit-secret',
  'your_jwt_secret your-jwt-secret jwtsecret jwt_secret jwt-secret jwtSecret jwt_secret_key JWT_SECRET',
  'SECRET SECRET_KEY SuperSecret supersecret super-secret super_secret super_secret_key superSecretKey',
  'topsecret s3cr3t s3cret secret123 123456 12345678 123456789 1234567890 shhh shhhh shhhhh thisisasecret',
  'this-is-a-secret this_is_a_secret thisismysecret not-so-secret notsosecret replace-me replaceme todo',
]
const phrases = [
  'keyboard cat',
  'some secret',
  'my secret',
  'a secret',
  'this is a secret',
  'super secret key',
  'secret key',
]
const otherPhrases = ['you-will-never-guess', 'hard to guess string', 'dev key', 'change this', 'P@ssw0rd', '']
/** Defaults of Apache Superset (CVE-2023-27524) and Apache Airflow (CVE-2020-17526). */
const defaults = [
  '\u0002\u0001thisismyscretkey\u0001\u0002\\e\\y\\y\\h',
  'CHANGE_ME_TO_A_COMPLEX_RANDOM_SECRET',
  'thisISaSECRET_1234',
  'YOUR_OWN_RANDOM_GENERATED_SECRET_KEY',
  'TEST_NON_DEV_SECRET',
  'temporary_key',
]
// cspell:enable
/** Secrets of examples, documentation, and tutorials. */
const secrets = words.flatMap((line) => line.split(' ')).concat(phrases, otherPhrases, defaults)
const jwtPattern = /\beyJ[\w-]{10,2000}\.eyJ[\w-]{2,4000}\.[\w-]{0,600}/g
const tokensMax = 5
const hashes: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' }

export const webTokens: NativeCheck = {
  checks: [unsigned, unsignedAccepted, weakJwt, weakSession, predictable],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const page = await requestWeb(context, { target: context.basePath })
    if (!page) return {}
    // Some applications create a session only on the page that the first one redirects to.
    const front = page.status >= 300 && page.status < 400 ? (await readSite(context))?.front : undefined
    const answers = (await readAnswers(context)) ?? []
    const pages = [page, ...(front ? [front] : []), ...answers.map((answer) => answer.page)]
    const issued = firstProof(pages, tokensOf, secretOfJwt)
    const forged = await forgedTokens(context)
    return {
      [unsigned.id]: firstProof(pages, tokensOf, (token) => (algorithmOf(token) === 'none' ? 'alg: none' : undefined)),
      ...(forged && { [unsignedAccepted.id]: forged.unsigned }),
      [weakJwt.id]: issued ?? forged?.weak ?? null,
      [weakSession.id]: firstProof(pages, cookiesOf, secretOfCookie),
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

/** `name=value`, without quotes and percent-encoding. */
function cookiesOf({ headers }: WebResponse): string[] {
  return headers.flatMap(([name, text]) => {
    const [, key = '', value = ''] = /^set-cookie$/i.test(name) ? (/^([^=;]+)=([^;]+)/.exec(text) ?? []) : []
    return value.length < 10 || value.length > 4000 ? [] : [`${key}=${percentDecoded(value.replaceAll('"', ''))}`]
  })
}

function secretOfCookie(cookie: string): string | undefined {
  const value = cookie.slice(cookie.indexOf('=') + 1)
  return secretOfFlask(value) ?? secretOfExpress(value) ?? secretOfHex(cookie)
}

const hexHashes: Readonly<Record<number, string>> = { 32: 'md5', 40: 'sha1', 64: 'sha256' }

/** A value and its HMAC in hexadecimal: of the value, or with the name as in Mojolicious, whose default secret is a name. */
function secretOfHex(cookie: string): string | undefined {
  const [, name = '', value = '', signature = ''] =
    /^([^=]{1,100})=(.{1,3900}?)(?:--|[.|:])([\da-f]{32,64})$/.exec(cookie) ?? []
  const hash = hexHashes[signature.length]
  if (hash === undefined) return undefined
  return signedWith(
    (secret) =>
      [value, `${name}=${value}`].some((text) => createHmac(hash, secret).update(text).digest('hex') === signature),
    [name],
  )
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
  return signedWith((secret) => createHmac(hash, secret).update(signed).digest('base64url') === signature)
}

/** Payload, time, and signature (itsdangerous, with the key derivation of Flask's sessions). */
function secretOfFlask(cookie: string): string | undefined {
  const [, signed, signature] = /^(\.?[\w-]+\.[\w-]{5,8})\.([\w-]{27})$/.exec(cookie) ?? []
  if (signed === undefined || signature === undefined) return undefined
  return signedWith((secret) => {
    const key = createHmac('sha1', secret).update('cookie-session').digest()
    return createHmac('sha1', key).update(signed).digest('base64url') === signature
  })
}

/** `s:` and a value that the package cookie-signature signed. */
function secretOfExpress(cookie: string): string | undefined {
  const [, signed, signature] = /^s:([^.]+)\.([\w+/]{43})$/.exec(cookie) ?? []
  if (signed === undefined || signature === undefined) return undefined
  return signedWith((secret) => createHmac('sha256', secret).update(signed).digest('base64').slice(0, 43) === signature)
}

function signedWith(isSigned: (secret: string) => boolean, others: readonly string[] = []): string | undefined {
  const secret = [...secrets, ...others].find((candidate) => isSigned(candidate))
  return secret === undefined ? undefined : `signed with the secret "${secret}"`
}

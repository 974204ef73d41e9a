/** Operations of an OpenAPI description that return secrets, or what requires authentication, to anyone. */
import { type Answer, internal, readAnswers } from '#native/web/api-answers.ts'
import { checkInfo, type NativeCheck, type Proof } from '#native/native-check.ts'
import { isExampleUrl, isLabel, unmasked } from '#native/web/secret-values.ts'
import { webProof } from '#native/web/request.ts'

export const apiSecrets = checkInfo({
  id: 'api-secrets-exposed',
  name: 'API returns secrets without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'An API operation from the OpenAPI description or a script of the application returns passwords, keys, or tokens to unauthenticated requests.',
  impact: 'An attacker can use the secrets to access databases and other services.',
  remediation:
    'Require authentication for the operation, remove secrets from its response, and rotate the exposed ones.',
  reference: 'https://owasp.org/API-Security/editions/2023/en/0xa2-broken-authentication/',
  tags: 'exposure api secrets',
  verifiedOn: 'express-tickets fastapi-tokens',
})
export const unprotectedOperation = checkInfo({
  id: 'api-operation-unprotected',
  name: 'API operation does not enforce the declared authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'The OpenAPI description declares that an operation requires authentication, but the API returns its data without credentials. Other operations do enforce it.',
  impact: 'An attacker can read data that only certain users should see.',
  remediation: 'Check authentication in one place for all operations, and exempt only those that are public.',
  reference: 'https://owasp.org/API-Security/editions/2023/en/0xa2-broken-authentication/',
  tags: 'misconfig api unauth',
  verifiedOn: 'fastapi-tokens',
})

/** A member named like a secret with a value that isn't masked, empty, or a placeholder. */
const secret = new RegExp(
  String.raw`"(?:[\w.-]{0,40}[_.-])?(?:password|passwd|passphrase|pw|secret(?:[_-]?key)?|private[_-]?key|api[_-]?key|access[_-]?key|client[_-]?secret|db[_-]?pass|smtp[_-]?pass)"\s{0,9}:\s{0,9}"(${unmasked})"`,
  'gi',
)
/** A user and a password in a URL. */
const credentials =
  /"[a-z][a-z\d+.-]{1,20}:\/\/[\w.-]{1,60}:((?!\*|x{3}|<|\$\{|redacted)[^\s:@/"]{3,100})@[\w.-]{1,200}/gi
const listOfKeys = /\/(?:(?:api|access|integration)[_-]?)?(?:keys|tokens|secrets|credentials)\/?$/i
/** Long enough for key material, unlike the name or number of a key. */
const listedKey =
  /"(?:key|token|secret|value)"\s{0,9}:\s{0,9}"((?=[^"]{0,60}\d)(?=[^"]{0,60}[A-Za-z])[\w.+/=-]{16,200})"/gi

export const webApiSecrets: NativeCheck = {
  checks: [apiSecrets, unprotectedOperation],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const answers = await readAnswers(context)
    if (!answers) return {}
    return {
      [apiSecrets.id]: secretIn(answers),
      [unprotectedOperation.id]: answersAnyone(answers),
    }
  },
}

function secretIn(answers: readonly Answer[]): Proof | null {
  for (const { target, page } of answers) {
    const isJson = page.status === 200 && /^\s{0,9}[[{]/.test(page.body)
    const signs = [internal.test(target) ? secret : credentials, ...(listOfKeys.test(target) ? [listedKey] : [])]
    const matches = isJson ? signs.flatMap((sign) => [...page.body.matchAll(sign)]) : []
    const found = matches.find(([text, value = '']) => !isLabel(value) && !isExampleUrl(text))
    if (found) return { ...webProof(page, [found[0]]), path: target }
  }
  return null
}

/** Descriptions that apply to all operations often declare authentication for these as well. */
const harmless = /(?:api-?docs|openapi|swagger)[^/]{0,20}$|\/(?:api|health\w{0,5}|ping|version)\/?$/i

/** Data of an operation that should require authentication, if another one does require it. */
function answersAnyone(answers: readonly Answer[]): Proof | null {
  const declared = answers.filter(({ isProtected }) => isProtected)
  const isEnforced = declared.some(({ page }) => page.status === 401 || page.status === 403)
  const open = declared.find(
    ({ target, page }) =>
      !harmless.test(target) && page.status === 200 && /^\s{0,9}[[{]\s{0,99}["{[\d]/.test(page.body),
  )
  return open && isEnforced ? { ...webProof(open.page, ['HTTP/1.1 200']), path: open.target } : null
}

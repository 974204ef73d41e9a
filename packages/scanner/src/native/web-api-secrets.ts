/** Operations of an OpenAPI description that return secrets, or what requires authentication, to anyone. */
import { type Description, Operation, operationsMax, pathOf, readDescription } from '#native/api-description.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { isChanging } from '#native/verbs.ts'
import { folderOf, requestWeb, webProof } from '#native/web-request.ts'

export const apiSecrets = checkInfo({
  id: 'api-secrets-exposed',
  name: 'API returns secrets without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'An operation that the OpenAPI description of the API names returns passwords, keys, or tokens to unauthenticated requests.',
  impact: 'An attacker can use the secrets to access databases and other services.',
  remediation: 'Require authentication for the operation, and leave secrets out of its response.',
  reference: 'https://owasp.org/API-Security/editions/2023/en/0xa2-broken-authentication/',
  tags: 'exposure api secrets',
})
export const unsignedAccepted = checkInfo({
  id: 'jwt-unsigned-accepted',
  name: 'Unsigned JWT accepted (alg none)',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 9.1,
  summary:
    'An operation of the API that requires a token accepts a JSON Web Token without a signature (`"alg":"none"`), but rejects one with an invalid signature.',
  impact: 'An attacker can impersonate any user.',
  remediation: 'Accept only the algorithm that the server itself signs with, and update the JWT library.',
  reference: 'https://www.rfc-editor.org/rfc/rfc8725#section-3.1',
  tags: 'misconfig auth bypass jwt',
})
export const unprotectedOperation = checkInfo({
  id: 'api-operation-unprotected',
  name: 'API operation accessible without the authentication that it declares',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'The OpenAPI description declares that the operation requires authentication, but the API returns its data without; other operations of the API require it.',
  impact: 'An attacker can read data that only certain users should see.',
  remediation: 'Check authentication in one place for all operations, and exempt only those that are public.',
  reference: 'https://owasp.org/API-Security/editions/2023/en/0xa2-broken-authentication/',
  tags: 'misconfig api unauth',
})

const internal = /admin|backup|config|credential|debug|dump|env|export|internal|secret|setting|token|variable/i
/** A member named like a secret with a value that isn't masked, empty, or a placeholder. */
const secret =
  /"(?:[\w.-]{0,40}[_.-])?(?:password|passwd|passphrase|secret(?:[_-]?key)?|private[_-]?key|api[_-]?key|access[_-]?key|client[_-]?secret|db[_-]?pass|smtp[_-]?pass)"\s{0,9}:\s{0,9}"(?!\*|•|x{3}|<|\$\{|change|redacted|hidden|string"|example)[^"\s]{4,200}"/i
const operationsTried = 8
const bearers = 4

export const webApiSecrets: NativeCheck = {
  checks: [apiSecrets, unsignedAccepted, unprotectedOperation],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const description = await readDescription(context)
    if (description === undefined) return {}
    if (description === null)
      return { [apiSecrets.id]: null, [unsignedAccepted.id]: null, [unprotectedOperation.id]: null }
    const base = folderOf(context.basePath)
    const operations = readOperations(description)
    const targetsOf = (paths: readonly { readonly path: string }[]) =>
      paths.map(({ path }) => pathOf(path, description, base))
    const targets = targetsOf(operations)
    return {
      [apiSecrets.id]: await secretsIn(
        context,
        targets.filter((target) => internal.test(target)),
      ),
      [unsignedAccepted.id]: await acceptsUnsigned(context, targets),
      [unprotectedOperation.id]: await answersAnyone(
        context,
        targetsOf(operations.filter(({ isProtected }) => isProtected)),
      ),
    }
  },
}

interface ReadOperation {
  readonly path: string
  /** The description declares that it requires authentication. */
  readonly isProtected: boolean
}

/** Operations that only read and need no parameters. */
function readOperations({ paths, security = [] }: Description): readonly ReadOperation[] {
  return Object.entries(paths)
    .slice(0, operationsMax)
    .flatMap(([path, { get }]) => {
      const operation = Operation.safeParse(get).data
      const isCallable = operation && !operation.parameters?.some(({ required }) => required)
      if (!isCallable || !/^\/[\w./-]{1,200}$/.test(path) || isChanging(path)) return []
      return [{ path, isProtected: (operation.security ?? security).length > 0 }]
    })
}

/** Data of an operation that should require authentication, if another one does require it. */
async function answersAnyone(context: NativeContext, targets: readonly string[]): Promise<Proof | null> {
  let open: Proof | null = null
  let isEnforced = false
  for (const target of targets.slice(0, operationsTried)) {
    const page = await requestWeb(context, { target, headers: { Accept: 'application/json' } })
    if (page?.status === 401 || page?.status === 403) isEnforced = true
    if (page?.status === 200 && /^\s{0,9}[[{]\s{0,99}["{[\d]/.test(page.body))
      open ??= { ...webProof(page, ['HTTP/1.1 200']), path: target }
    if (open && isEnforced) return open
  }
  return null
}

async function secretsIn(context: NativeContext, targets: readonly string[]): Promise<Proof | null> {
  for (const target of targets.slice(0, operationsTried)) {
    const page = await requestWeb(context, { target, headers: { Accept: 'application/json' } })
    const [found] = page?.status === 200 && /^\s{0,9}[[{]/.test(page.body) ? (secret.exec(page.body) ?? []) : []
    if (page && found !== undefined) return { ...webProof(page, [found]), path: target }
  }
  return null
}

async function acceptsUnsigned(context: NativeContext, targets: readonly string[]): Promise<Proof | null> {
  let tried = 0
  for (const target of targets) {
    const page = await requestWeb(context, { target, headers: { Accept: 'application/json' } })
    if (page?.status !== 401) continue
    if (++tried > bearers) break
    const unsigned = await withToken(context, target, `${encoded({ alg: 'none', typ: 'JWT' })}.${claims()}.`)
    if (unsigned?.status !== 200) continue
    const signed = await withToken(context, target, `${encoded({ alg: 'HS256', typ: 'JWT' })}.${claims()}.Z2xhY2lz`)
    if (signed?.status === 401) return { ...webProof(unsigned, ['HTTP/1.1 200']), path: target }
  }
  return null
}

function withToken(context: NativeContext, target: string, token: string) {
  return requestWeb(context, { target, headers: { Accept: 'application/json', Authorization: `Bearer ${token}` } })
}

function claims(): string {
  const now = Math.floor(Date.now() / 1000)
  const names = { sub: 'admin', user: 'admin', username: 'admin', role: 'admin' }
  return encoded({ ...names, iat: now - 60, exp: now + 3600 })
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/**
 * HTTP client for the server: authenticated contract calls, file downloads, and readable errors.
 */
import { type Endpoint, hasQuery, type InputOf, pathParameters, type ResultOf } from '@glacis/contract/endpoint'
import { ApiErrorBody } from '@glacis/contract/primitives'

/** The server rejected the call. */
export class RejectedError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.name = 'RejectedError'
    this.status = status
  }
}
/**
 * No response from the server itself, or a temporary error worth retrying.
 * `isMisconfigured`: the TLS certificate could not be verified, or the proxy rejected the credentials.
 * `isBroken`: the server or a proxy failed on this call and may fail on it again.
 */
export class UnreachableError extends Error {
  readonly isMisconfigured: boolean
  readonly isBroken: boolean
  constructor(message: string, why: 'misconfigured' | 'broken' | 'unreachable', options?: ErrorOptions) {
    super(toSentence(message), options)
    this.name = 'UnreachableError'
    this.isMisconfigured = why === 'misconfigured'
    this.isBroken = why === 'broken'
  }
}

/** Ends a message with a period. */
export function toSentence(message: string): string {
  return message.replace(/[^.?!]$/, '$&.')
}

export interface Client {
  /** Bearer token for subsequent calls. */
  bearer: string
  /**
   * Makes one call.
   *
   * @throws RejectedError, UnreachableError, or the abort reason of the signal
   */
  call<E extends Endpoint>(
    endpoint: E,
    input: InputOf<E>,
    options: { signal: AbortSignal; withinMs?: number },
  ): Promise<ResultOf<E>>
  /** Downloads a file of at most `bytesMax` bytes. */
  download(path: string, options: { signal: AbortSignal; bytesMax: number }): Promise<Buffer>
}

const callTimeoutMs = 15_000
const downloadTimeoutMs = 300_000

export function createClient(server: string, bearer: string): Client {
  const client: Client = {
    bearer,
    async call(endpoint, input, { signal, withinMs = callTimeoutMs }) {
      const { path, rest } = fillPath(endpoint.path, input as Record<string, unknown>)
      const body = hasQuery(endpoint.method) ? {} : { body: JSON.stringify(rest) }
      const response = await request(path, { method: endpoint.method, ...body }, signal, withinMs)
      const responseBody = await bodyOf(response)
      const parsed = endpoint.result.safeParse(responseBody)
      if (!parsed.success) throw new UnreachableError(`${server} did not return a valid Glacis response`, 'unreachable')
      return parsed.data as ResultOf<typeof endpoint> // parsed by the same schema
    },
    async download(path, { signal, bytesMax }) {
      const response = await request(path, { method: 'GET' }, signal, downloadTimeoutMs)
      const chunks: Uint8Array[] = []
      let bytes = 0
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length
        if (bytes > bytesMax) throw new RejectedError(413, `${path} is larger than ${bytesMax} bytes`)
        chunks.push(chunk)
      }
      return Buffer.concat(chunks)
    },
  }

  async function request(path: string, init: RequestInit, signal: AbortSignal, withinMs: number): Promise<Response> {
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: `Bearer ${client.bearer}`,
    }
    const limits = AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
    const response = await fetch(server + path, { ...init, headers, redirect: 'error', signal: limits }).catch(
      (error: unknown) => {
        signal.throwIfAborted()
        throw describeNetworkError(server, error)
      },
    )
    if (response.ok) return response
    const serverMessage = ApiErrorBody.safeParse(await bodyOf(response)).data?.message
    const { status } = response
    if (status !== payloadTooLarge && (serverMessage === undefined || status >= 500 || status === 429)) {
      const isBroken = status === 500 || (serverMessage === undefined && status < 500 && !proxyStatuses.has(status))
      throw new UnreachableError(
        `${server}: ${serverMessage ?? `HTTP status ${status}`}`,
        isBroken ? 'broken' : 'unreachable',
      )
    }
    throw new RejectedError(status, serverMessage ?? `HTTP status ${status}`)
  }
  return client
}

/** Payload too large: retrying can't help, whether the server or a proxy sent it. */
const payloadTooLarge = 413
/**
 * A proxy may send these statuses without a Glacis error body while the server is down. Only the
 * server itself can reject an agent permanently. Any other status may relate to the request itself.
 */
const proxyStatuses: ReadonlySet<number> = new Set([401, 404, 408, 425, 429])

function fillPath(template: string, input: Readonly<Record<string, unknown>>) {
  const rest = { ...input }
  let path = template
  for (const name of pathParameters(template)) {
    path = path.replace(`:${name}`, encodeURIComponent(String(input[name])))
    delete rest[name]
  }
  return { path, rest }
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    return undefined
  }
}

const certificateProblems: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired; renew it on the server',
  CERT_NOT_YET_VALID: "is not valid yet; check this machine's clock",
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed; pass its file with --ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'was issued by an untrusted authority; pass the CA certificate with --ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'has an incomplete chain or was issued by an untrusted authority; pass the CA certificate with --ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'was issued by an untrusted authority; pass the CA certificate with --ca',
  ERR_TLS_CERT_ALTNAME_INVALID: 'was issued for a different hostname; use a name from the certificate',
}

/** Translates a network error into one readable sentence. */
export function describeNetworkError(server: string, error: unknown): UnreachableError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const proxyError = describeProxyError(server, error)
  if (proxyError) return proxyError
  const certificate = certificateProblems[code]
  if (certificate)
    return new UnreachableError(`The certificate of ${server} ${certificate}`, 'misconfigured', { cause: error })
  if (/^(ERR_SSL|EPROTO)/.test(code))
    return new UnreachableError(`TLS handshake with ${server} failed (${code})`, 'misconfigured')
  const networkProblems: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'refused the connection; is the server running?',
    ENOTFOUND: 'could not be resolved: unknown hostname',
    EAI_AGAIN: 'could not be resolved: temporary DNS failure',
    ETIMEDOUT: 'is not responding',
    UND_ERR_CONNECT_TIMEOUT: 'is not responding',
  }
  const problem =
    cause instanceof Error && cause.name === 'TimeoutError' ? 'did not respond in time' : networkProblems[code]
  return new UnreachableError(
    `${server} ${problem ?? `could not be reached (${code || String(cause)})`}`,
    'unreachable',
    {
      cause: error,
    },
  )
}

/** Undici reports the status of a proxy only in messages. A refused port that is not the server's is the proxy's. */
function describeProxyError(server: string, error: unknown): UnreachableError | null {
  let port: unknown
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const status = /^Proxy (?:Authentication Required|response) \((\d{3})\)/.exec(cause.message)?.[1]
    // Tinyproxy responds with 401.
    if (status === '407' || status === '401')
      return new UnreachableError(
        'The proxy rejected the username or password. Correct them in HTTPS_PROXY (http://user:password@host:port, with special characters percent-encoded).',
        'misconfigured',
        { cause: error },
      )
    if (status !== undefined)
      return new UnreachableError(`The proxy did not connect to ${server} (HTTP status ${status})`, 'unreachable', {
        cause: error,
      })
    if ('code' in cause && cause.code === 'ECONNREFUSED' && 'port' in cause) port = cause.port
  }
  const { port: own, protocol } = new URL(server)
  if (port === undefined || String(port) === (own || (protocol === 'https:' ? '443' : '80'))) return null
  return new UnreachableError(`The proxy on port ${String(port)} refused the connection`, 'unreachable', {
    cause: error,
  })
}

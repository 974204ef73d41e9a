/** HTTP request and response types. */

/** Methods without effects on the target (RFC 9110, section 9.2.1). */
export const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'])

export interface Origin {
  readonly address: string
  readonly port: number
  readonly tls: boolean
  /** `Host` header and SNI name. */
  readonly hostname: string
}
export interface HttpRequest {
  readonly method: string
  /** Sent byte for byte. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}
export interface HttpResponse {
  readonly kind: 'response'
  readonly status: number
  readonly statusText: string
  /** In wire order and letter case. */
  readonly headers: readonly (readonly [string, string])[]
  /** Decompressed. */
  readonly body: Buffer
  /** The body exceeded the limit, or the compressed stream was corrupt. */
  readonly truncated: boolean
  /** The body exceeded the maximum compression ratio. */
  readonly isBomb?: boolean
  /** Without a length, and the server neither sent more nor closed the connection. */
  readonly isOpenEnded?: boolean
  readonly durationMs: number
  /** As sent, for evidence. */
  readonly request: string
}
export interface HttpFailure {
  readonly kind: 'failure'
  readonly reason: string
  /**
   * Caused by this machine (out of ports, files, memory, or network); implies nothing about the
   * host.
   */
  readonly local: boolean
  /** The connection closed without a response; the request can be retried. */
  readonly mayRepeat?: boolean
  /** The head of the response isn't valid HTTP/1.1, which a more lenient client may read. */
  readonly isMalformed?: boolean
  /** The deadline passed without a complete response. */
  readonly isTimeout?: boolean
}

/** The media type of a request's body, without parameters; empty if the request states none. */
export function bodyTypeOf({ headers = {} }: HttpRequest): string {
  const [, value = ''] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? []
  return value.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

export function hasBody({ body }: HttpRequest): boolean {
  return body !== undefined && body.length > 0
}

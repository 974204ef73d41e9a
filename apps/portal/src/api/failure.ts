/** The error of a failed API call, and how its body is parsed. */
import { ApiErrorBody } from '@glacis/contract/primitives'
import { z } from 'zod/mini'

/** The readable parts of an error response. */
export type FailureBody =
  | { readonly kind: 'json'; readonly error: ApiErrorBody }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'none' }

export interface FailureParts {
  /** HTTP status; 0 without a response. */
  readonly status: number
  readonly statusText: string
  readonly body: FailureBody
  /** Seconds from `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined
}

/** Longest plain-text body to show; a longer one is probably an HTML page. */
const maxTextLength = 500

/** A failed API call: an error status, no response, or a response that violates the contract. */
export class ApiFailure extends Error {
  readonly status: number
  readonly statusText: string
  readonly body: FailureBody
  readonly retryAfterSeconds: number | undefined

  constructor({ status, statusText, body, retryAfterSeconds }: FailureParts, options?: ErrorOptions) {
    super(`The request resulted in ${statusText}`, options)
    this.name = 'ApiFailure'
    this.status = status
    this.statusText = statusText
    this.body = body
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** `<status text>: <server message>`, or the status text alone. */
  get detail(): string {
    return this.serverMessage ? `${this.statusText}: ${this.serverMessage}` : this.statusText
  }

  /** The server's message, or an empty string. */
  get serverMessage(): string {
    return messageOf(this.body)
  }

  /** The `reason` of `google.rpc.ErrorInfo`, such as `MEMBERSHIP_ENDED`; undefined if there is none. */
  get reason(): string | undefined {
    const reason = this.errorInfo?.['reason']
    return typeof reason === 'string' ? reason : undefined
  }

  private get errorInfo(): Readonly<Record<string, unknown>> | undefined {
    const details = this.body.kind === 'json' ? (this.body.error.details ?? []) : []
    return details.find((detail) => detail['@type'].endsWith('google.rpc.ErrorInfo'))
  }

  /** The `metadata` of `google.rpc.ErrorInfo`. */
  get metadata(): Readonly<Record<string, unknown>> {
    return { ...Object(this.errorInfo?.['metadata']) }
  }

  /** Messages by field path, as in `address` → `'foo bar' contains a space`. */
  get fieldErrors(): ReadonlyMap<string, string> {
    return this.body.kind === 'json' ? violationsOf(this.body.error) : new Map()
  }
}

/** True if the call failed with this HTTP status. */
export function isFailure(error: unknown, status: number): error is ApiFailure {
  return error instanceof ApiFailure && error.status === status
}

/** Parses an error body: API JSON, short plain text, or neither. */
export function readFailureBody(text: string, contentType: string): FailureBody {
  const trimmed = text.trim()
  if (trimmed === '') return { kind: 'none' }
  if (looksLikeJson(trimmed, contentType)) {
    const error = readApiError(parseJson(trimmed))
    return error.success ? { kind: 'json', error: error.data } : { kind: 'none' }
  }
  const isPage = contentType.includes('html') || trimmed.startsWith('<')
  return isPage || trimmed.length > maxTextLength ? { kind: 'none' } : { kind: 'text', text: trimmed }
}

/**
 * Seconds from a `Retry-After` header. HTTP dates are ignored, because our server doesn't send them. Source: RFC 9110,
 * 10.2.3.
 */
export function readRetryAfter(value: string | null): number | undefined {
  return value !== null && /^\d{1,5}$/.test(value) ? Number(value) : undefined
}

/**
 * The status text. HTTP/2 and later send none, so the registered phrase is used.
 * Source: IANA HTTP Status Code Registry.
 */
export function statusPhrase(status: number, statusText: string): string {
  return statusText || registeredPhrases[status] || `HTTP ${status}`
}

const registeredPhrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

function messageOf(body: FailureBody): string {
  if (body.kind === 'json') return body.error.message
  return body.kind === 'text' ? body.text : ''
}

function looksLikeJson(text: string, contentType: string): boolean {
  return contentType.includes('json') || text.startsWith('{') || text.startsWith('[')
}

/** Skips details of unknown types; the message is still worth showing. */
function readApiError(body: unknown) {
  const error = ApiErrorBody.safeParse(body)
  return error.success ? error : z.omit(ApiErrorBody, { details: true }).safeParse(body)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads google.rpc.BadRequest details. The leading resource name (`target.`) is stripped to match form field names. */
function violationsOf({ details = [] }: ApiErrorBody): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const detail of details) {
    const violations = detail['fieldViolations']
    if (!Array.isArray(violations)) continue
    for (const violation of violations as readonly unknown[]) {
      const { field, description } = (violation ?? {}) as { field?: unknown; description?: unknown }
      if (typeof field !== 'string' || typeof description !== 'string') continue
      found.set(field.replace(/^(target|tag|agent|workspace)\./, ''), description)
    }
  }
  return found
}

/** What a failed call of the API is to the rest of the portal. */
import { ApiError } from '@glacis/contract/primitives'

/** What the server said about a failure, as far as it could be read. */
export type FailureBody =
  | { readonly kind: 'json'; readonly error: ApiError }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'none' }

export interface FailureParts {
  /** HTTP status; 0 when no answer came at all. */
  readonly status: number
  readonly statusText: string
  readonly body: FailureBody
  /** What `Retry-After` asks to wait, in seconds. */
  readonly retryAfterSeconds?: number | undefined
}

/** Longest plain-text body that is worth showing; whatever is longer is a page, not a message. */
const textLengthMax = 500

/** A call that did not succeed: a refusal, no answer, or an answer that breaks the contract. */
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

  /** `<status text>: <what the server said>`, or the status text alone. */
  get detail(): string {
    return this.said ? `${this.statusText}: ${this.said}` : this.statusText
  }

  /** What the server said, or nothing. */
  get said(): string {
    return saidBy(this.body)
  }

  /** Descriptions by field path, as in `address` → `'foo bar' contains a space`. */
  get fieldErrors(): ReadonlyMap<string, string> {
    return this.body.kind === 'json' ? violationsOf(this.body.error) : new Map()
  }
}

/** True for a call that was answered with this HTTP status. */
export function isFailure(error: unknown, status: number): error is ApiFailure {
  return error instanceof ApiFailure && error.status === status
}

/** Reads the body of a refusal: JSON of the API, plain text, or nothing that can be shown. */
export function readFailureBody(text: string, contentType: string): FailureBody {
  const trimmed = text.trim()
  if (trimmed === '') return { kind: 'none' }
  if (looksLikeJson(trimmed, contentType)) {
    const error = readApiError(parseJson(trimmed))
    return error.success ? { kind: 'json', error: error.data } : { kind: 'none' }
  }
  const isPage = contentType.includes('html') || trimmed.startsWith('<')
  return isPage || trimmed.length > textLengthMax ? { kind: 'none' } : { kind: 'text', text: trimmed }
}

/** Seconds of a `Retry-After`; a date, which we do not send, is nothing. Source: RFC 9110, 10.2.3. */
export function readRetryAfter(value: string | null): number | undefined {
  return value !== null && /^\d{1,5}$/.test(value) ? Number(value) : undefined
}

/**
 * The words of a status. HTTP/2 and later carry none, so the registered ones stand in.
 * Source: IANA HTTP Status Code Registry.
 */
export function statusWords(status: number, statusText: string): string {
  return statusText || registered[status] || `HTTP ${status}`
}

const registered: Readonly<Record<number, string>> = {
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

function saidBy(body: FailureBody): string {
  if (body.kind === 'json') return body.error.message
  return body.kind === 'text' ? body.text : ''
}

function looksLikeJson(text: string, contentType: string): boolean {
  return contentType.includes('json') || text.startsWith('{') || text.startsWith('[')
}

/** Details that are of another make are left out; the message beside them is still worth showing. */
function readApiError(body: unknown) {
  const error = ApiError.safeParse(body)
  return error.success ? error : ApiError.omit({ details: true }).safeParse(body)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** google.rpc.BadRequest; a leading resource name (`target.`) is not part of a form's field. */
function violationsOf({ details = [] }: ApiError): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const detail of details) {
    const violations = detail['fieldViolations']
    if (!Array.isArray(violations)) continue
    for (const violation of violations as readonly unknown[]) {
      const { field, description } = (violation ?? {}) as { field?: unknown; description?: unknown }
      if (typeof field !== 'string' || typeof description !== 'string') continue
      found.set(field.replace(/^(target|tag|agent)\./, ''), description)
    }
  }
  return found
}

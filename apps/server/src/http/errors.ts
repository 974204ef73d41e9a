/** Maps errors to HTTP responses with gRPC status codes (google.rpc.Code). */
import type { ApiErrorBody } from '@glacis/contract/primitives'
import { isConnectionLoss, isPoolClosed, isOutOfResources } from '#database/connection-errors.ts'
import { grpcCodes, ApiError, type ApiErrorCode } from '#errors.ts'
import { errorCodes, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod/mini'

const statuses: Readonly<Record<ApiErrorCode, number>> = {
  invalid: 400,
  precondition: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  quota_exceeded: 429,
  unavailable: 503,
}
const type = (name: string) => `type.googleapis.com/google.rpc.${name}`

/** Sends every API error in the same format. Details of bugs are only logged. */
export function installErrorHandlers(app: FastifyInstance): void {
  acceptOnlyJson(app)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
}

/** Rejects invalid UTF-8 instead of replacing it, and strips a byte order mark. */
const text = new TextDecoder('utf-8', { fatal: true })

/** Accepts only uncompressed JSON. An empty body is allowed because many clients send a content type without a body. */
function acceptOnlyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity')
      return done(badBody(415, `Content-Encoding ${encoding} is not supported; send the body uncompressed`))
    if (body.length === 0) return done(null, undefined)
    let json: string
    try {
      json = text.decode(body as Buffer)
    } catch {
      return done(badBody(400, 'The body is not valid UTF-8'))
    }
    void parse(request, json, (error, value) =>
      done(error && isJson(json) ? badBody(400, forbiddenKeys) : error, value),
    )
  })
}

const forbiddenKeys = 'The body contains a key that is not allowed: __proto__, or constructor with the key prototype'

/** Whether only its keys are the reason why a body was rejected. */
function isJson(body: string): boolean {
  try {
    JSON.parse(body)
    return true
  } catch {
    return false
  }
}

function badBody(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode })
}

/** Sends the response for an error. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body, retryAfter } = responseTo(error, request)
  if (retryAfter) void reply.header('retry-after', retryAfter)
  // Required by RFC 9110, section 11.6.1. Sessions have no scheme.
  if (status === 401) void reply.header('www-authenticate', 'Bearer')
  return reply.status(status).send(body)
}

export interface ErrorResponse {
  readonly status: number
  readonly body: ApiErrorBody
  /** Seconds. */
  readonly retryAfter?: string
}

/** The response for an error. Logs those that an operator has to know about. */
export function responseTo(error: unknown, request: FastifyRequest): ErrorResponse {
  if (error instanceof z.core.$ZodError) return toResponse(fromZod(error))
  if (error instanceof ApiError) return toResponse(error)
  // Parsers recurse, so deeply nested input overflows the stack.
  if (error instanceof RangeError && statusOf(error) === null)
    return toResponse(new ApiError('invalid', 'The request is nested too deeply'))
  if (error instanceof errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE)
    return {
      status: 415,
      body: { code: 3, message: 'Send the body as JSON, with the header Content-Type: application/json' },
    }
  const status = statusOf(error)
  // Static file errors: a path outside the folder is reported as not found.
  if (status === 403 || status === 404) return noRoute(request)
  if (status !== null && status < 500) {
    const message = error instanceof Error ? error.message : 'The request could not be read'
    return { status, body: { code: status === 429 ? 8 : 3, message } }
  }
  const temporary = temporaryFailure(error)
  if (temporary) {
    request.log[temporary.level]({ err: error }, temporary.logMessage)
    return { status: 503, retryAfter: temporary.seconds, body: { code: 14, message: temporary.message } }
  }
  request.log.error({ err: error }, 'request failed')
  return { status: 500, body: { code: 13, message: 'Internal server error; see the server log' } }
}

/** Responds that no route matches. */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body } = noRoute(request)
  return reply.status(status).send(body)
}

function noRoute({ method, url }: FastifyRequest): ErrorResponse {
  const [path = ''] = url.split('?')
  return { status: 404, body: { code: 5, message: `No route for ${method} ${path.slice(0, shownMax)}` } }
}

/** Maximum characters of the URL to repeat in a response. */
const shownMax = 200

function toResponse(apiError: ApiError): ErrorResponse {
  const [status, code] = [statuses[apiError.code], grpcCodes[apiError.code]]
  const details = [
    ...(apiError.violations.length > 0 ? [{ '@type': type('BadRequest'), fieldViolations: apiError.violations }] : []),
    ...(apiError.quota ? [{ '@type': type('QuotaFailure'), violations: [apiError.quota] }] : []),
    ...errorInfo(apiError),
  ]
  const body: ApiErrorBody = { code, message: apiError.message, ...(details.length > 0 && { details }) }
  const { retryAfterSeconds } = apiError
  return { status, body, ...(retryAfterSeconds !== null && { retryAfter: String(retryAfterSeconds) }) }
}

function errorInfo({ reason, metadata }: ApiError) {
  if (!reason && Object.keys(metadata).length === 0) return []
  return [{ '@type': type('ErrorInfo'), ...(reason && { reason, domain: 'glacis' }), metadata }]
}

/** Converts schema errors of a body or query to field violations. */
function fromZod(error: z.core.$ZodError): ApiError {
  const violations = error.issues.flatMap((issue) => {
    const path = issue.path.map(String)
    if (issue.code !== 'unrecognized_keys') return [{ field: path.join('.'), description: issue.message }]
    return issue.keys.map((key) => ({ field: [...path, key].join('.'), description: issue.message }))
  })
  const [first] = violations
  const message = first ? `${first.field || 'The request'}: ${first.description}` : 'The request is invalid'
  return new ApiError('invalid', message, { violations })
}

function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null
  return typeof error.statusCode === 'number' ? error.statusCode : null
}

interface TemporaryFailure {
  readonly seconds: string
  readonly level: 'error' | 'debug'
  readonly logMessage: string
  readonly message: string
}
const databaseUnavailable: TemporaryFailure = {
  seconds: '5',
  level: 'error',
  logMessage: 'database unavailable',
  message: 'The database is unavailable. Try again in a moment',
}
const diskFull: TemporaryFailure = {
  seconds: '60',
  level: 'error',
  logMessage: 'no disk space left',
  message: 'The server is out of disk space. Free some space and try again',
}

const shuttingDown: TemporaryFailure = {
  seconds: '5',
  level: 'debug',
  logMessage: 'request aborted by shutdown',
  message: 'The server is shutting down. Try again in a moment',
}

/** Temporary failures: the same request can succeed later. */
function temporaryFailure(error: unknown): TemporaryFailure | null {
  if (isPoolClosed(error)) return shuttingDown
  if (isConnectionLoss(error)) return databaseUnavailable
  return isOutOfResources(error) ? diskFull : null
}

/** From what went wrong to the answer: one place, gRPC codes (google.rpc.Code) and their HTTP statuses. */
import type { ApiError } from '@glacis/contract/primitives'
import { isAway, isLeft, isShort } from '#database/loss.ts'
import { grpcCodes, Refusal, type RefusalCode } from '#errors.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ZodError } from 'zod'

const statuses: Readonly<Record<RefusalCode, number>> = {
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

/** Answers every error of the product API in its one shape; nothing of a bug leaves the house. */
export function answerErrors(app: FastifyInstance): void {
  readJsonAlone(app)
  app.setErrorHandler((error, request, reply) => answer(error, request, reply))
}

/** Half a character is no text, and is not to be kept as something else; a mark of the byte order is not part of it. */
const text = new TextDecoder('utf-8', { fatal: true })

/** Bodies are JSON, as it is. Many programs name a content type even where they send nothing. */
function readJsonAlone(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity') return done(unread(415, `Send the body as it is: ${encoding} is not unpacked here`))
    if (body.length === 0) return done(null, undefined)
    try {
      void parse(request, text.decode(body as Buffer), done)
    } catch {
      done(unread(400, 'The body is not valid UTF-8'))
    }
  })
}

function unread(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode })
}

/** One error, one answer. */
export function answer(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof ZodError) return refuse(reply, fromZod(error))
  if (error instanceof Refusal) return refuse(reply, error)
  // Parsers recurse; what is too deep for them is nothing that we could read.
  if (error instanceof RangeError && statusOf(error) === null)
    return refuse(reply, new Refusal('invalid', 'The request is nested too deeply'))
  const status = statusOf(error)
  // Files refuse what leads out of their folder, and names that no folder holds; of ours that says only that it is not there.
  if (status === 403 || status === 404) return nothingAt(request, reply)
  if (status !== null && status < 500) {
    const message = error instanceof Error ? error.message : 'The request could not be read'
    return reply.status(status).send({ code: status === 429 ? 8 : 3, message } satisfies ApiError)
  }
  const bad = badMoment(error)
  if (bad) {
    request.log[bad.level]({ err: error }, bad.logged)
    return reply
      .status(503)
      .header('retry-after', bad.seconds)
      .send({ code: 14, message: bad.message } satisfies ApiError)
  }
  request.log.error({ err: error }, 'request failed')
  return reply
    .status(500)
    .send({ code: 13, message: 'Something went wrong here; the log says what' } satisfies ApiError)
}

/** An address that nobody serves. */
export function nothingAt({ method, url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ''] = url.split('?')
  return reply
    .status(404)
    .send({ code: 5, message: `There is nothing at ${method} ${path.slice(0, shownMax)}` } satisfies ApiError)
}

/** Characters of an address that an answer repeats. */
const shownMax = 200

function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const [status, code] = [statuses[refusal.code], grpcCodes[refusal.code]]
  const details = [
    ...(refusal.violations.length > 0 ? [{ '@type': type('BadRequest'), fieldViolations: refusal.violations }] : []),
    ...(refusal.quota ? [{ '@type': type('QuotaFailure'), violations: [refusal.quota] }] : []),
    ...(Object.keys(refusal.metadata).length > 0 ? [{ '@type': type('ErrorInfo'), metadata: refusal.metadata }] : []),
  ]
  const body: ApiError = { code, message: refusal.message, ...(details.length > 0 && { details }) }
  return reply.status(status).send(body)
}

/** What a body or query got wrong, as field paths and sentences. */
function fromZod(error: ZodError): Refusal {
  const violations = error.issues.flatMap((issue) => {
    const path = issue.path.map(String)
    if (issue.code !== 'unrecognized_keys') return [{ field: path.join('.'), description: issue.message }]
    return issue.keys.map((key) => ({ field: [...path, key].join('.'), description: 'There is no such member' }))
  })
  const [first] = violations
  const message = first ? `${first.field || 'The request'}: ${first.description}` : 'The request has the wrong shape'
  return new Refusal('invalid', message, { violations })
}

function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null
  return typeof error.statusCode === 'number' ? error.statusCode : null
}

interface BadMoment {
  readonly seconds: string
  readonly level: 'error' | 'debug'
  readonly logged: string
  readonly message: string
}
const away: BadMoment = {
  seconds: '5',
  level: 'error',
  logged: 'the database does not answer',
  message: 'The database does not answer; try again shortly',
}
const short: BadMoment = {
  seconds: '60',
  level: 'error',
  logged: 'this machine has no room left',
  message: 'The server has no room left to keep this; whoever runs it must make some, then try again',
}

const left: BadMoment = {
  seconds: '5',
  level: 'debug',
  logged: 'a request was under way when the server stopped',
  message: 'The server is stopping; try again shortly',
}

/** What passes without anybody changing the request. */
function badMoment(error: unknown): BadMoment | null {
  if (isLeft(error)) return left
  if (isAway(error)) return away
  return isShort(error) ? short : null
}

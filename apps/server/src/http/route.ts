/** One line per call: from the contract's endpoint and a verb to a route. */
import type { TokenScope } from '@glacis/contract/access'
import { type Endpoint, hasQuery, type ParsedInputOf, pathParameters, type ResultOf } from '@glacis/contract/endpoint'
import type { Ctx, Within } from '#ctx.ts'
import { type Database, inAccount, stateOf } from '#database/index.ts'
import { createAnswers } from '#http/answers.ts'
import type { Guard } from '#http/guard.ts'
import { keyOf } from '#http/idempotency-key.ts'
import { once } from '#idempotency.ts'
import { queryOf } from '#http/query.ts'
import { createReads } from '#http/reads.ts'
import { refuseUnstorable } from '#http/storable.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'

export interface Router {
  /** Serves a call of the contract: the input is parsed by it, and the verb runs in the account's transaction. */
  serve<E extends Endpoint<z.ZodObject, z.ZodType>>(
    endpoint: E,
    verb: (ctx: Ctx, input: ParsedInputOf<E>) => Promise<ResultOf<E>> | ResultOf<E>,
  ): void
  /** As `serve`, for a verb that waits for somebody else: it opens its transactions itself, and holds none while it waits. */
  serveInSteps<E extends Endpoint<z.ZodObject, z.ZodType>>(
    endpoint: E,
    verb: (within: Within, input: ParsedInputOf<E>) => Promise<ResultOf<E>>,
  ): void
  /** Every call that is served, for the OpenAPI document and the tests that walk the contract. */
  readonly endpoints: readonly Endpoint[]
}

/** Calls whose body may also come wrapped in the resource's name, as `{target: {…}}`. */
const wrappers: Readonly<Record<string, string>> = { '/v1/products': 'product', '/v1/targets': 'target' }

/** Reads that ask the database at a time; more only wait for each other there, and writes need room beside them. */
const readsMax = 6

export function createRouter(app: FastifyInstance, database: Database, guard: Guard): Router {
  const endpoints: Endpoint[] = []
  const reads = createReads(readsMax)
  const states = createReads(1)
  const answers = createAnswers(() => states.share('state', () => stateOf(database)))
  return {
    endpoints,
    serve(endpoint, verb) {
      endpoints.push(endpoint)
      app.route({
        method: endpoint.method,
        url: endpoint.path,
        handler: async (request, reply) => {
          const as = await guard.admit(request, scopeOf(endpoint))
          const read = () => readInput(endpoint, request)
          if (endpoint.method === 'GET') {
            const question = questionOf(as, request)
            const work = () =>
              reads.share(question, async () => {
                const input = read()
                return toJson(await inAccount(database, as, async (ctx) => verb(ctx, input)))
              })
            const isToBeNew = request.headers['cache-control'] === 'no-cache'
            const body = await (isToBeNew ? work() : answers.read(question, work))
            return reply.type('application/json; charset=utf-8').send(body)
          }
          const input = read()
          const key = endpoint.takesKey ? keyOf(request) : null
          return inAccount(database, as, async (ctx) =>
            key
              ? once(ctx, { key, call: `${endpoint.method} ${endpoint.path}`, input }, () => verb(ctx, input))
              : verb(ctx, input),
          )
        },
      })
    },
    serveInSteps(endpoint, verb) {
      endpoints.push(endpoint)
      app.route({
        method: endpoint.method,
        url: endpoint.path,
        handler: async (request) => {
          const as = await guard.admit(request, scopeOf(endpoint))
          return verb((step) => inAccount(database, as, step), readInput(endpoint, request))
        },
      })
    },
  }
}

function readInput<E extends Endpoint<z.ZodObject, z.ZodType>>(endpoint: E, request: FastifyRequest): ParsedInputOf<E> {
  const given = inputOf(endpoint, request)
  refuseUnstorable(given)
  return endpoint.input.parse(given) as ParsedInputOf<E> // parsed by that very schema
}

/** Two reads with the same one have the same answer: the same account, seen by the same actor, at the same URL. */
function questionOf({ account, actor }: Awaited<ReturnType<Guard['admit']>>, { url }: FastifyRequest): string {
  return JSON.stringify([account, actor.kind, actor.name, url])
}

/** Written once, however many wait for it. */
function toJson(answer: unknown): string {
  return JSON.stringify(answer)
}

/** What a token must be allowed for a call. Tokens, channels and plans are changed by people only. */
function scopeOf({ method, path }: Endpoint): TokenScope | 'session' {
  if (path.startsWith('/v1/api-tokens')) return 'session'
  if (method === 'GET') return 'SCOPE_READ'
  if (/^\/v1\/(notification-channels|billing)/.test(path)) return 'session'
  // A question that is too long for a URL.
  if (path === '/v1/targets/parse') return 'SCOPE_READ'
  return /^\/v1\/scans(\/batch|\/:id\/(cancel|resume))?$|\/retest$/.test(path) ? 'SCOPE_SCAN' : 'SCOPE_WRITE'
}

function inputOf(endpoint: Endpoint, request: FastifyRequest): unknown {
  const parameters = readParameters(endpoint.path, request)
  if (hasQuery(endpoint.method)) return { ...rejectRepeated(request, endpoint), ...parameters }
  const body = request.body ?? {}
  if (typeof body !== 'object' || Array.isArray(body)) return body
  return { ...unwrap(endpoint, body), ...parameters }
}

function rejectRepeated(request: FastifyRequest, endpoint: Endpoint): Record<string, unknown> {
  const values = queryOf(request.url)
  // Unknown names in a query are refused like unknown members of a body.
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(endpoint.input.shape, name))
  if (unknown.length > 0) endpoint.input.strict().parse(values)
  return values
}

function unwrap(endpoint: Endpoint, body: object): object {
  const wrapper = endpoint.method === 'POST' ? wrappers[endpoint.path] : undefined
  if (!wrapper || !(wrapper in body) || Object.keys(body).length !== 1) return body
  const inner: unknown = (body as Record<string, unknown>)[wrapper]
  return typeof inner === 'object' && inner !== null ? inner : body
}

function readParameters(path: string, request: FastifyRequest): Record<string, unknown> {
  const given = request.params as Record<string, string> // fastify fills the names of the path
  return Object.fromEntries(pathParameters(path).map((name) => [name, given[name]]))
}

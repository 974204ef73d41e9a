/** Registers routes from the contract's endpoints. */
import { type Endpoint, hasQuery, type ParsedInputOf, pathParameters, type ResultOf } from '@glacis/contract/endpoint'
import type { Ctx, Visit, Within } from '#ctx.ts'
import { type Database, inWorkspace, readInWorkspace } from '#database/index.ts'
import type { CallName } from '@glacis/contract/permissions'
import { callNameOf } from '#http/calls.ts'
import type { Guard } from '#http/guard.ts'
import { keyOf } from '#http/idempotency-key.ts'
import { positionOf } from '#http/read-position.ts'
import { runIdempotently } from '#idempotency.ts'
import { queryOf } from '#http/query.ts'
import { rejectUnstorable } from '#http/storable.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod/mini'

export interface Router {
  /** Serves an endpoint: parses the input by its schema and runs the handler in a transaction of the workspace. */
  serve<E extends Endpoint<z.ZodMiniObject, z.ZodMiniType>>(
    endpoint: E,
    handle: (ctx: Ctx, input: ParsedInputOf<E>) => Promise<ResultOf<E>> | ResultOf<E>,
  ): void
  /** Like `serve`, for handlers that wait for external services: they open transactions themselves, so none is open during the wait. */
  serveInSteps<E extends Endpoint<z.ZodMiniObject, z.ZodMiniType>>(
    endpoint: E,
    handle: (within: Within, input: ParsedInputOf<E>) => Promise<ResultOf<E>>,
  ): void
  /** For calls of a signed-in person that aren't about a workspace yet. */
  serveVisit<E extends Endpoint<z.ZodMiniObject, z.ZodMiniType>>(
    endpoint: E,
    handle: (visit: Visit, input: ParsedInputOf<E>) => Promise<ResultOf<E>>,
  ): void
  /** For calls of installation administrators. */
  serveAdministrator<E extends Endpoint<z.ZodMiniObject, z.ZodMiniType>>(
    endpoint: E,
    handle: (visit: Visit, input: ParsedInputOf<E>) => Promise<ResultOf<E>>,
  ): void
  /** For calls that need no session. */
  servePublic<E extends Endpoint<z.ZodMiniObject, z.ZodMiniType>>(
    endpoint: E,
    handle: (input: ParsedInputOf<E>) => Promise<ResultOf<E>>,
  ): void
  /** All served endpoints, for the OpenAPI document and contract tests. */
  readonly endpoints: readonly Endpoint[]
}

/** Endpoints that also accept a body wrapped in the resource's name, such as `{target: {…}}`. */
const wrappers: Readonly<Record<string, string>> = {
  'POST /v1/products': 'product',
  'POST /v1/targets': 'target',
  'PATCH /v1/targets/:id': 'target',
}

/**
 * Lists and charts, which may lag a few seconds behind the changes of other users. Automation with tokens reads from
 * the primary: it keeps no cookies.
 */
const servedByReplica: ReadonlySet<CallName> = new Set<CallName>([
  ...(['listTargets', 'listTags', 'listHosts', 'hostTimeline', 'listProducts', 'listProductThreats'] as const),
  ...(['listScans', 'listScanHosts', 'diffScan', 'listIssues', 'listEvidence', 'search', 'listAuditEvents'] as const),
  ...(['issuesBySeverity', 'issuesByStatus', 'scansOverTime', 'affectedHostsOverTime', 'statsSummary'] as const),
  'getEcosystem',
])

export function createRouter(app: FastifyInstance, database: Database, guard: Guard): Router {
  const endpoints: Endpoint[] = []
  const register = (endpoint: Endpoint, handler: (request: FastifyRequest, call: CallName) => unknown) => {
    endpoints.push(endpoint)
    const call = callNameOf(endpoint)
    app.route({ method: endpoint.method, url: endpoint.path, handler: async (request) => handler(request, call) })
  }
  return {
    endpoints,
    serve(endpoint, handle) {
      register(endpoint, async (request, call) => {
        const as = await guard.admit(request, call)
        const input = readInput(endpoint, request)
        const key = endpoint.takesKey ? keyOf(request) : null
        if (servedByReplica.has(call) && as.actor.kind === 'person')
          return readInWorkspace(database, as, positionOf(request), async (ctx) => handle(ctx, input))
        return inWorkspace(database, as, async (ctx) =>
          key
            ? runIdempotently(ctx, { key, call: `${endpoint.method} ${endpoint.path}`, input }, () =>
                handle(ctx, input),
              )
            : handle(ctx, input),
        )
      })
    },
    serveInSteps(endpoint, handle) {
      register(endpoint, async (request, call) => {
        const as = await guard.admit(request, call)
        return handle((step) => inWorkspace(database, as, step), readInput(endpoint, request))
      })
    },
    serveVisit(endpoint, handle) {
      register(endpoint, async (request) => handle(await guard.admitPerson(request), readInput(endpoint, request)))
    },
    serveAdministrator(endpoint, handle) {
      register(endpoint, async (request) =>
        handle(await guard.admitAdministrator(request), readInput(endpoint, request)),
      )
    },
    servePublic(endpoint, handle) {
      register(endpoint, (request) => handle(readInput(endpoint, request)))
    },
  }
}

function readInput<E extends Endpoint<z.ZodMiniObject, z.ZodMiniType>>(
  endpoint: E,
  request: FastifyRequest,
): ParsedInputOf<E> {
  const rawInput = inputOf(endpoint, request)
  rejectUnstorable(rawInput)
  return endpoint.input.parse(rawInput) as ParsedInputOf<E> // parsed by that very schema
}

function inputOf(endpoint: Endpoint, request: FastifyRequest): unknown {
  const parameters = readParameters(endpoint.path, request)
  if (hasQuery(endpoint.method)) {
    const values = { ...queryOf(request.url), ...parameters }
    // Reject unknown query parameters like unknown body fields.
    const isKnown = (name: string) => Object.hasOwn(endpoint.input.shape, name)
    if (!Object.keys(values).every(isKnown)) z.strictObject(endpoint.input.shape).parse(values)
    return values
  }
  const body = request.body === undefined ? {} : request.body
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  return { ...unwrap(endpoint, body), ...parameters }
}

/** The update mask of a wrapped body is next to the resource. */
function unwrap({ method, path }: Endpoint, body: object): object {
  const wrapper = wrappers[`${method} ${path}`]
  if (!wrapper || !(wrapper in body)) return body
  const { [wrapper]: inner, ...others } = body as Record<string, unknown>
  const isWrapped = Object.keys(others).every((name) => method === 'PATCH' && name === 'updateMask')
  return isWrapped && typeof inner === 'object' && inner !== null ? { ...inner, ...others } : body
}

function readParameters(path: string, request: FastifyRequest): Record<string, unknown> {
  const params = request.params as Record<string, string> // set by Fastify for every parameter of the path
  return Object.fromEntries(pathParameters(path).map((name) => [name, params[name]]))
}

/** SCIM 2.0 (RFC 7643, RFC 7644) for identity providers, which authenticate with a provisioning token. */
import { permissions } from '@glacis/contract/permissions'
import { type Database, inWorkspace } from '#database/index.ts'
import type { Ctx, Log } from '#ctx.ts'
import { responseTo } from '#http/errors.ts'
import { rejectUnstorable } from '#http/storable.ts'
import { ownerOfProvisioningToken, scim } from '#workspaces/index.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { z } from 'zod/mini'

const prefix = '/scim/v2'
const contentType = 'application/scim+json; charset=utf-8'
const methods: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

interface Options {
  readonly database: Database
  readonly url: string
  readonly findPerson: scim.ScimService['findPerson']
}
type Work<T> = (ctx: Ctx, service: scim.ScimService) => Promise<T>
type Run = <T>(request: FastifyRequest, work: Work<T>) => Promise<T>

/** Base URL of the service, which administrators enter at the identity provider. */
export function scimUrl(url: string): string {
  return url + prefix
}

/** Serves `/scim/v2`. Discovery needs no token, because it is the same for every workspace. */
export function serveScim(app: FastifyInstance, { database, url, findPerson }: Options): void {
  const service = { url: scimUrl(url), findPerson }
  const run: Run = async (request, work) => {
    const as = await admit(database, request)
    return inWorkspace(database, as, (ctx) => work(ctx, service))
  }
  void app.register(
    async (scope) => {
      acceptScim(scope)
      serveDiscovery(scope, service.url)
      serveUsers(scope, run)
      serveGroups(scope, run)
      // RFC 7644: sections 3.4.2.1 (search over several types), 3.7 and 3.11.
      for (const path of ['/', '/.search', '/Bulk', '/Me'])
        scope.all(path, async (_request, reply) =>
          sendScimError(reply, new scim.ScimError(501, `${path} is not supported`)),
        )
      scope.all('/*', async (request, reply) =>
        sendScimError(reply, new scim.ScimError(404, `No resource at ${request.url.split('?')[0]?.slice(0, 200)}`)),
      )
    },
    { prefix },
  )
}

function serveDiscovery(scope: FastifyInstance, url: string): void {
  const one = <T>(found: T | undefined, id: string): T => {
    if (found) return found
    throw new scim.ScimError(404, `${id.slice(0, 100)} was not found`)
  }
  const list = (all: readonly object[]) => listOf(all, all.length, 0)
  const serve = (path: string, response: (id: string) => object) => {
    rejectOthers(scope, path, ['GET'])
    scope.get<{ Params: { id?: string } }>(path, async (request, reply) => {
      // RFC 7644, section 4: clients must not assume that the result is filtered.
      if ('filter' in Object(request.query)) throw new scim.ScimError(403, 'Discovery endpoints do not support filters')
      return send(reply, 200, response(request.params.id ?? ''))
    })
  }
  serve('/ServiceProviderConfig', () => scim.serviceProviderConfig(url))
  serve('/ResourceTypes', () => list(scim.resourceTypes(url)))
  serve('/ResourceTypes/:id', (id) =>
    one(
      scim.resourceTypes(url).find((type) => type['id'] === id),
      id,
    ),
  )
  serve('/Schemas', () => list(scim.schemas(url)))
  serve('/Schemas/:id', (id) =>
    one(
      scim.schemas(url).find((schema) => schema['id'] === id),
      id,
    ),
  )
}

function serveUsers(scope: FastifyInstance, run: Run): void {
  serveResources(scope, '/Users', run, {
    list: (ctx, service, query) => scim.listUsers(ctx, service, query),
    get: scim.getUser,
    create: scim.createUser,
    replace: scim.replaceUser,
    patch: scim.patchUser,
    remove: scim.deleteUser,
  })
}

function serveGroups(scope: FastifyInstance, run: Run): void {
  serveResources(scope, '/Groups', run, {
    list: (ctx, service, query, { excludedAttributes = '' }) =>
      scim.listGroups(ctx, service, query, { withMembers: !/\bmembers\b/i.test(excludedAttributes) }),
    get: scim.getGroup,
    create: scim.createGroup,
    replace: scim.replaceGroup,
    patch: scim.patchGroup,
    remove: scim.deleteGroup,
  })
}

type Service = scim.ScimService
interface Resources {
  list(ctx: Ctx, service: Service, query: ReturnType<typeof scim.readListQuery>, shown: Shown): Promise<scim.Found>
  get(ctx: Ctx, service: Service, id: string): Promise<scim.Versioned>
  create(ctx: Ctx, service: Service, body: unknown): Promise<scim.Versioned>
  replace(ctx: Ctx, service: Service, id: string, body: unknown, version: string | undefined): Promise<scim.Versioned>
  patch(ctx: Ctx, service: Service, id: string, body: unknown, version: string | undefined): Promise<scim.Versioned>
  remove(ctx: Ctx, service: Service, id: string, version: string | undefined): Promise<void>
}
interface One {
  Params: { id: string }
}

function serveResources(scope: FastifyInstance, path: string, run: Run, resources: Resources): void {
  const list = async (request: FastifyRequest, reply: FastifyReply, input: unknown) => {
    const [query, shown] = [scim.readListQuery(input), shownOf(input)]
    const { total, resources: found } = await run(request, (ctx, service) => resources.list(ctx, service, query, shown))
    const projected = found.map(({ resource }) => scim.project(resource, shown))
    return send(reply, 200, listOf(projected, total, query.offset))
  }
  const sendOne = (
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    { resource, etag }: scim.Versioned,
  ) => {
    void reply.header('etag', etag)
    if (request.method === 'GET' && request.headers['if-none-match']?.split(/\s*,\s*/).includes(etag))
      return reply.status(304).send()
    return send(reply, status, scim.project(resource, shownOf(request.query)))
  }
  rejectOthers(scope, path, ['GET', 'POST'])
  rejectOthers(scope, `${path}/:id`, ['GET', 'PUT', 'PATCH', 'DELETE'])
  rejectOthers(scope, `${path}/.search`, ['POST'])
  scope.get(path, (request, reply) => list(request, reply, request.query))
  scope.post(`${path}/.search`, (request, reply) => list(request, reply, searchOf(request.body)))
  scope.post(path, async (request, reply) => {
    const created = await run(request, (ctx, service) => resources.create(ctx, service, request.body))
    void reply.header('location', String(Object(created.resource['meta']).location))
    return sendOne(request, reply, 201, created)
  })
  scope.get<One>(`${path}/:id`, async (request, reply) => {
    const found = await run(request, (ctx, service) => resources.get(ctx, service, request.params.id))
    return sendOne(request, reply, 200, found)
  })
  for (const [method, change] of [
    ['PUT', resources.replace],
    ['PATCH', resources.patch],
  ] as const)
    scope.route<One>({
      method,
      url: `${path}/:id`,
      handler: async (request, reply) => {
        const { params, body, headers } = request
        const changed = await run(request, (ctx, service) => change(ctx, service, params.id, body, headers['if-match']))
        return sendOne(request, reply, 200, changed)
      },
    })
  scope.delete<One>(`${path}/:id`, async (request, reply) => {
    const { params, headers } = request
    await run(request, (ctx, service) => resources.remove(ctx, service, params.id, headers['if-match']))
    return reply.status(204).send()
  })
}

function rejectOthers(scope: FastifyInstance, url: string, allowed: readonly HTTPMethods[]): void {
  scope.route({
    method: methods.filter((method) => !allowed.includes(method)),
    url,
    handler: async (request, reply) => {
      void reply.header('allow', allowed.join(', '))
      return sendScimError(
        reply,
        new scim.ScimError(405, `${request.method} is not allowed; use ${allowed.join(', ')}`),
      )
    },
  })
}

const Shown = z.object({
  attributes: z.optional(z.string()),
  excludedAttributes: z.optional(z.string()),
})
type Shown = z.infer<typeof Shown>

function shownOf(input: unknown): Shown {
  const shown = Shown.safeParse(input)
  if (!shown.success)
    throw new scim.ScimError(400, 'attributes and excludedAttributes can be sent only once', 'invalidValue')
  return shown.data
}

/** A search request names attributes in lists (RFC 7644, section 3.4.3). */
function searchOf(body: unknown): object {
  const joined = (value: unknown) => (Array.isArray(value) ? value.join(',') : value)
  return Object.fromEntries(Object.entries(Object(body)).map(([name, value]) => [name, joined(value)]))
}

function listOf(resources: readonly object[], total: number, offset: number): object {
  return {
    schemas: [listSchema],
    totalResults: total,
    startIndex: offset + 1,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}

async function admit(database: Database, request: FastifyRequest) {
  const [, token = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  const owner = await ownerOfProvisioningToken(database, token)
  if (!owner) throw new scim.ScimError(401, 'The provisioning token is missing, invalid, revoked, or expired')
  const { creatorRole } = owner
  if (!creatorRole || !permissions.createProvisioningToken.roles?.includes(creatorRole))
    throw new scim.ScimError(401, 'The member who created this provisioning token is no longer an owner or admin')
  const actor = {
    kind: 'token' as const,
    name: `provisioning token ${owner.name}`,
    ip: request.ip,
    id: owner.creatorId,
    role: creatorRole,
    userAgent: (request.headers['user-agent'] ?? '').slice(0, 512),
  }
  const log: Log = request.log
  return { workspace: owner.workspace, actor, log }
}

/** Accepts JSON bodies with either of the two content types. */
function acceptScim(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.addContentTypeParser('application/scim+json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined)
    else void parse(request, String(body), done)
  })
  scope.addHook('preHandler', async ({ body, query, params }) => {
    for (const part of [body, query, params]) rejectUnstorable(part)
  })
  scope.setErrorHandler((error, request, reply) => {
    if (error instanceof scim.ScimError) return sendScimError(reply, error)
    const { status, body, retryAfter } = responseTo(error, request)
    if (retryAfter) void reply.header('retry-after', retryAfter)
    const scimType = status === 400 ? 'invalidSyntax' : undefined
    return sendScimError(reply, new scim.ScimError(status, body.message, scimType))
  })
}

function sendScimError(reply: FastifyReply, { status, message, scimType }: scim.ScimError): FastifyReply {
  if (status === 401) void reply.header('www-authenticate', 'Bearer')
  return send(reply, status, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType && { scimType }),
    detail: message,
  })
}

function send(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply.status(status).type(contentType).send(JSON.stringify(body))
}

/** The OpenAPI 3.1 document, generated from the contract. */
import { type Endpoint, hasQuery, pathParameters } from '@glacis/contract/endpoint'
import { permissions } from '@glacis/contract/permissions'
import { tags } from '#http/openapi-descriptions.ts'
import { errorResponses, errorsOf } from '#http/openapi-errors.ts'
import { fileCalls } from '#http/openapi-files.ts'
import { type DocumentedCall, nameOf, type Schema, schemasOf } from '#http/openapi-schemas.ts'

type Schemas = ReturnType<typeof schemasOf>
type Call = Pick<Endpoint, 'method' | 'path' | 'summary' | 'description' | 'takesKey'> & {
  readonly headers?: readonly object[]
}

/** Builds the document for these calls, and for those that respond with a file. */
export function openApi(endpoints: readonly Endpoint[], { url, version }: { url: string; version: string }) {
  const byName = new Map(endpoints.map((endpoint) => [nameOf(endpoint), endpoint]))
  const schemas = schemasOf(new Map<string, DocumentedCall>([...byName, ...fileCalls]))
  const paths: Record<string, Record<string, object>> = {}
  const add = (operationId: string, call: Call, responses: object) => {
    const path = call.path.replaceAll(/:(\w+)/g, '{$1}')
    const operation = { ...operationOf(operationId, call, schemas), responses: { ...responses, ...errorsOf(call) } }
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operation }
  }
  for (const [operationId, endpoint] of byName) {
    const content = { 'application/json': { schema: schemas.resultOf(operationId) } }
    add(operationId, endpoint, { '200': { description: 'OK', content } })
  }
  for (const [operationId, file] of fileCalls) add(operationId, file, file.responses)
  const responses = errorResponses()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Glacis API',
      version,
      description: introduction(url),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    security: [{ token: [] }, { session: [] }],
    tags: tagsOf([...byName.values(), ...fileCalls.values()]),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An API token.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'ory_kratos_session',
          description: 'The session of a signed-in user; browsers send it automatically.',
        },
        agent: { type: 'http', scheme: 'bearer', description: 'The enrollment token of an agent, then its key.' },
      },
      schemas: schemas.referencedBy({ paths, responses }),
      responses,
    },
  }
}

/** In Markdown. */
function introduction(url: string): string {
  return `Everything the portal shows and does is available through this API.

## Authentication

Create an API token under *Integrations*; it is shown once. Send it as a bearer token:

    curl '${url}/v1/issues?filter.status=STATUS_FILTER_OPEN' \\
      -H "Authorization: Bearer $GLACIS_TOKEN"

Browsers authenticate with the session cookie of the identity service. Requests that change data and use this cookie must
come from the origin of the portal.

## Workspaces and roles

A user can be a member of several workspaces. The header \`Glacis-Workspace\` selects one by its ID; the default is the one used last. An API token belongs to one workspace. What a member can do depends on their role: owner, admin, analyst, viewer, or auditor. A call that the role doesn't allow is rejected with 403 and the reason
\`ROLE_NOT_ALLOWED\`. Calls under \`/v1/installation\` are for administrators of the installation.

## Lists

Lists return 50 entries per page, or \`pageSize\`. Pass \`nextPageToken\` as \`pageToken\` until it is empty. Filters are
dotted and lists are repeated: \`filter.severities=CATEGORY_HIGH&filter.severities=CATEGORY_CRITICAL\`. \`totalSize\` counts
up to 10,000.

## Changes

A \`PATCH\` changes only the fields named in \`updateMask.paths\`. Unknown fields and filters are rejected by name. The last
write wins, and the history records every change. Calls that accept an \`Idempotency-Key\` can safely be retried.

## Errors

Errors have the body \`{"code": …, "message": "…", "details": […]}\`. \`code\` is a gRPC status code, \`message\` is human-readable,
and \`details\` names invalid fields.
`
}

const segmentOf = ({ path }: Pick<Endpoint, 'path'>) => path.split('/')[2] ?? ''
const tagOf = (call: Pick<Endpoint, 'path'>) => tags[segmentOf(call)]?.name ?? segmentOf(call)

function tagsOf(calls: readonly Pick<Endpoint, 'path'>[]) {
  const used = new Set(calls.map(segmentOf))
  return Object.entries(tags).flatMap(([segment, tag]) => (used.has(segment) ? [tag] : []))
}

function operationOf(operationId: string, call: Call, schemas: Schemas) {
  const { properties = {}, required = [] } = schemas.inputOf(operationId)
  const inPath = pathParameters(call.path)
  const inQuery = hasQuery(call.method) ? Object.keys(properties).filter((name) => !inPath.includes(name)) : []
  const parameters = [
    ...inPath.map((name) => parameter(name, 'path', properties[name], true)),
    ...inQuery.flatMap((name) => queryParameters(name, properties[name], required.includes(name), schemas)),
    ...(call.takesKey ? [idempotencyKey] : []),
    ...(call.headers ?? []),
  ]
  const content = { 'application/json': { schema: schemas.bodyOf(operationId) } }
  const isBodyRequired = required.some((name) => !inPath.includes(name))
  return {
    operationId,
    tags: [tagOf(call)],
    summary: call.summary,
    ...(call.description && { description: call.description }),
    ...(call.path.startsWith('/v1/agent/') && { security: [{ agent: [] }] }),
    ...(isPublic(operationId) && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(!hasQuery(call.method) && { requestBody: { required: isBodyRequired, content } }),
  }
}

function isPublic(operationId: string): boolean {
  return Object.entries(permissions).some(([name, { scope }]) => name === operationId && scope === 'none')
}

type Member = Schema | boolean | undefined

/** A filter becomes one parameter per member, with a dotted name. */
function queryParameters(name: string, schema: Member, isRequired: boolean, schemas: Schemas) {
  const { properties } = schemas.resolve(typeof schema === 'object' ? schema : {})
  if (!properties) return [parameter(name, 'query', schema, isRequired)]
  return Object.entries(properties).map(([member, inner]) => parameter(`${name}.${member}`, 'query', inner, false))
}

function parameter(name: string, location: 'path' | 'query', schema: Member, isRequired: boolean) {
  const { description, ...rest } = typeof schema === 'object' ? schema : {}
  return { name, in: location, required: isRequired, ...(description && { description }), schema: rest }
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A unique key for this request, kept for a day. Repeating the request with the same key returns the first response without side effects; a different request with the same key is rejected with 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

/** The OpenAPI 3.1 document, made from the contract and from nothing else. */
import { type Endpoint, hasQuery, pathParameters } from '@glacis/contract/endpoint'
import { Notice } from '@glacis/contract/channel'
import { ApiError } from '@glacis/contract/primitives'
import { ProductExportQuery } from '@glacis/contract/product'
import { ReportQuery } from '@glacis/contract/scan'
import { ExportQuery } from '@glacis/contract/triage'
import { exampleOf } from '#http/example.ts'
import { z } from 'zod'

type Json = { readonly [key: string]: unknown }

const problems: Readonly<Record<string, string>> = {
  '400': 'The request is wrong; details name the members',
  '401': 'No valid session',
  '403': 'The change did not come from our own pages',
  '404': 'There is no such thing in this account',
  '409': 'Something stands in the way; details name it',
  '413': 'The body is larger than a megabyte',
  '429': 'Too many requests, or a quota is used up',
  '503': 'The database does not answer; try again after Retry-After seconds',
}

const kind = (name: string) => `type.googleapis.com/google.rpc.${name}`
/** What each refusal looks like. */
const errors: Readonly<Record<string, ApiError>> = {
  '400': {
    code: 3,
    message: "address: 'foo bar' contains a space",
    details: [
      {
        '@type': kind('BadRequest'),
        fieldViolations: [{ field: 'address', description: "'foo bar' contains a space" }],
      },
    ],
  },
  '401': { code: 16, message: 'Sign in to use this' },
  '403': { code: 7, message: 'Changes are accepted from our own pages only' },
  '404': { code: 5, message: 'There is no target 0199c0de-7a10-7c3e-9f00-5b1e6a2d4c01' },
  '409': {
    code: 10,
    message: 'A scan of this target is active; wait for it or cancel it',
    details: [{ '@type': kind('ErrorInfo'), metadata: { scanId: '0199c0de-7a10-7c3e-9f00-5b1e6a2d4c02' } }],
  },
  '413': { code: 3, message: 'Request body is too large' },
  '429': {
    code: 8,
    message: 'Target quota exhausted: 15 of 15 used',
    details: [{ '@type': kind('QuotaFailure'), violations: [{ subject: 'targets', description: '15 of 15' }] }],
  },
  '503': { code: 14, message: 'The database does not answer; try again shortly' },
}

/** Builds the document for these calls. */
export function openApi(endpoints: readonly Endpoint[], { url, version }: { url: string; version: string }): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) }
  }
  paths['/v1/scans/{id}/report'] = { get: report() }
  paths['/v1/issues/export'] = {
    get: fileOf(ExportQuery, {
      operationId: 'getIssuesExport',
      tags: ['issues'],
      summary: 'Every issue of a filter as a file, without a limit. Rows come in the order of their ids.',
      content: { 'text/csv': {}, 'application/json': {} },
    }),
  }
  paths['/v1/products/export'] = {
    get: fileOf(ProductExportQuery, {
      operationId: 'getProductsExport',
      tags: ['products'],
      summary: 'Every product of a filter as a file: a table, or a bill of materials in CycloneDX 1.6.',
      content: { 'text/csv': {}, 'application/vnd.cyclonedx+json': {} },
    }),
  }
  paths['/v1/events'] = { get: stream() }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Glacis API',
      version,
      description:
        'Attack-surface management. People sign in through the identity service, whose session cookie is the ' +
        'credential, and a change that comes with it names our `Origin`, as browsers do; programs send an API ' +
        'token, made under Integrations, as `Authorization: Bearer`. ' +
        'Lists come in pages: pass nextPageToken as pageToken until it is empty. Filters are dotted, lists repeated.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    security: [{ session: [] }, { token: [] }],
    tags: [...new Set(endpoints.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'ory_kratos_session' },
        token: { type: 'http', scheme: 'bearer', description: 'An API token' },
        agent: { type: 'http', scheme: 'bearer', description: 'The token of an agent, then its key' },
      },
      schemas: { Error: schemaOf(ApiError, 'output') },
    },
  }
}

function tagOf(endpoint: Endpoint): string {
  return endpoint.path.split('/')[2] ?? ''
}

function operation(endpoint: Endpoint): Json {
  const inPath = pathParameters(endpoint.path)
  const inQuery = hasQuery(endpoint.method)
    ? Object.keys(endpoint.input.shape).filter((name) => !inPath.includes(name))
    : []
  return {
    operationId: operationId(endpoint),
    tags: [tagOf(endpoint)],
    summary: endpoint.summary,
    ...(endpoint.path.startsWith('/v1/agent/') && { security: [{ agent: [] }] }),
    parameters: [
      ...inPath.map((name) => parameter(endpoint, name, 'path')),
      ...inQuery.flatMap((name) => queryParameters(endpoint, name)),
      ...(endpoint.takesKey ? [idempotencyKey] : []),
    ],
    ...(!hasQuery(endpoint.method) && { requestBody: body(endpoint, inPath) }),
    responses: { '200': answer(schemaOf(endpoint.result, 'output')), ...refusals() },
  }
}

function operationId({ method, path }: Endpoint): string {
  const words = path
    .split('/')
    .slice(2)
    .map((part) => (part.startsWith(':') ? `by-${part.slice(1)}` : part))
  return [method.toLowerCase(), ...words].join('-').replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function parameter(endpoint: Endpoint, name: string, place: 'path' | 'query'): Json {
  const schema = property(endpoint, name)
  const isRequired = place === 'path' || !endpoint.input.shape[name]?.safeParse(undefined).success
  return { name, in: place, required: isRequired, schema }
}

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A key of your own for this one request, kept for a day. The same request with the same key gives the first answer and does nothing; another request with it is refused with 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

/** A filter travels as dotted names, one parameter each. */
function queryParameters(endpoint: Endpoint, name: string): Json[] {
  const schema = property(endpoint, name)
  const members = propertiesOf(schema)
  if (!members) return [parameter(endpoint, name, 'query')]
  return Object.entries(members).map(([member, inner]) => ({
    name: `${name}.${member}`,
    in: 'query',
    required: false,
    schema: inner,
    ...(isArray(inner) && { style: 'form', explode: true }),
  }))
}

function isArray(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'array'
}

function propertiesOf(schema: Json): Record<string, unknown> | null {
  const { properties } = schema
  return typeof properties === 'object' && properties !== null ? { ...properties } : null
}

function property(endpoint: Endpoint, name: string): Json {
  const schema = endpoint.input.shape[name]
  return schema instanceof z.ZodType ? schemaOf(schema, 'input') : {}
}

function body(endpoint: Endpoint, inPath: readonly string[]): Json {
  const members = Object.keys(endpoint.input.shape).filter((name) => !inPath.includes(name))
  const schema = z.strictObject(
    Object.fromEntries(members.map((name) => [name, endpoint.input.shape[name] ?? z.unknown()])),
  )
  const described = schemaOf(schema, 'input')
  return {
    required: members.length > 0,
    content: { 'application/json': { schema: described, example: exampleOf(described) } },
  }
}

function answer(schema: Json): Json {
  return { description: 'Done', content: { 'application/json': { schema, example: exampleOf(schema) } } }
}

function refusals(): Json {
  const entries = Object.entries(problems).map(([status, description]) => [
    status,
    {
      description,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: errors[status] } },
    },
  ])
  return Object.fromEntries(entries)
}

function stream(): Json {
  return {
    operationId: 'getEvents',
    tags: ['events'],
    summary: 'What happens in the account as server-sent events, from now on or after the event that is named.',
    parameters: [
      {
        name: 'Last-Event-ID',
        in: 'header',
        required: false,
        description: 'The id of the last event that was seen; browsers send it when they connect again.',
        schema: { type: 'string', pattern: String.raw`^\d{1,19}\.\d{1,18}$` },
      },
    ],
    responses: {
      '200': {
        description: 'The stream. Each event has an id, its kind as its name, and its data as JSON.',
        content: { 'text/event-stream': { schema: schemaOf(Notice, 'output') } },
      },
      ...refusals(),
    },
  }
}

function report(): Json {
  const query = propertiesOf(schemaOf(ReportQuery, 'input')) ?? {}
  return {
    operationId: 'getScansByIdReport',
    tags: ['scans'],
    summary: 'The report of a scan as a file.',
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
      ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', required: false, schema })),
    ],
    responses: {
      '200': {
        description: 'The file',
        content: { 'application/pdf': {}, 'application/json': {}, 'application/sarif+json': {} },
      },
      '202': {
        description:
          'It is being built; ask again after Retry-After seconds. `Prefer: respond-async` asks not to wait.',
        content: {
          'application/json': {
            schema: { type: 'object', properties: { state: { const: 'STATE_BUILDING' } }, required: ['state'] },
            example: { state: 'STATE_BUILDING' },
          },
        },
      },
      ...refusals(),
    },
  }
}

/** A call that answers with a file; a filter's members are dotted. */
function fileOf(input: z.ZodType, { content, ...words }: { readonly content: Json } & Json): Json {
  const query = propertiesOf(schemaOf(input, 'input')) ?? {}
  const { filter, ...own } = query
  const members =
    typeof filter === 'object' && filter !== null && 'properties' in filter ? Object(filter.properties) : {}
  const dotted = Object.entries(members).map(([name, schema]) => [`filter.${name}`, schema] as const)
  return {
    ...words,
    parameters: [...Object.entries(own), ...dotted].map(([name, schema]) => ({
      name,
      in: 'query',
      required: false,
      schema,
      ...(isArray(schema) && { style: 'form', explode: true }),
    })),
    responses: {
      '200': { description: 'The file', content },
      ...refusals(),
    },
  }
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any' })
  return rest
}

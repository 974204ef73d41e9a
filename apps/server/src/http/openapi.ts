/** The OpenAPI 3.1 document, made from the contract and from nothing else. */
import { type Endpoint, hasQuery, pathParameters } from '@glacis/contract/endpoint'
import { ApiError } from '@glacis/contract/primitives'
import { ReportQuery } from '@glacis/contract/scan'
import { z } from 'zod'

type Json = { readonly [key: string]: unknown }

const problems: Readonly<Record<string, string>> = {
  '400': 'The request is wrong; details name the members',
  '401': 'No valid session',
  '403': 'The change did not come from our own pages',
  '404': 'There is no such thing in this account',
  '409': 'Something stands in the way; details name it',
  '429': 'Too many requests, or a quota is used up',
  '503': 'The database does not answer; try again after Retry-After seconds',
}

/** Builds the document for these calls. */
export function openApi(endpoints: readonly Endpoint[], { url, version }: { url: string; version: string }): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) }
  }
  paths['/v1/scans/{id}/report'] = { get: report() }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Glacis API',
      version,
      description:
        'Attack-surface management. Sign in through the identity service; its session cookie is the credential. ' +
        'Lists come in pages: pass nextPageToken as pageToken until it is empty. Filters are dotted, lists repeated.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    security: [{ session: [] }],
    tags: [...new Set(endpoints.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'ory_kratos_session' } },
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
    parameters: [
      ...inPath.map((name) => parameter(endpoint, name, 'path')),
      ...inQuery.flatMap((name) => queryParameters(endpoint, name)),
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
  return { name, in: place, required: place === 'path', schema }
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
  return { required: members.length > 0, content: { 'application/json': { schema: schemaOf(schema, 'input') } } }
}

function answer(schema: Json): Json {
  return { description: 'Done', content: { 'application/json': { schema } } }
}

function refusals(): Json {
  const entries = Object.entries(problems).map(([status, description]) => [
    status,
    { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
  ])
  return Object.fromEntries(entries)
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
      '200': { description: 'The file', content: { 'application/pdf': {}, 'application/json': {} } },
      ...refusals(),
    },
  }
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any' })
  return rest
}

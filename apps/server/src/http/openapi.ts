/** The OpenAPI 3.1 document, made from the contract and from nothing else. */
import { type Endpoint, hasQuery, pathParameters } from '@glacis/contract/endpoint'
import { ApiError } from '@glacis/contract/primitives'
import { exampleOf } from '#http/example.ts'
import { fileCalls } from '#http/openapi-files.ts'
import { refusals } from '#http/openapi-refusals.ts'
import { inWords, isArray, type Json, propertiesOf, schemaOf, wordsOf } from '#http/openapi-schema.ts'
import { groupWords } from '#http/openapi-words.ts'
import { z } from 'zod'

/** Builds the document for these calls. */
export function openApi(endpoints: readonly Endpoint[], { url, version }: { url: string; version: string }): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) }
  }
  Object.assign(paths, fileCalls())
  return {
    openapi: '3.1.0',
    info: {
      title: 'Glacis API',
      version,
      description: introduction(url),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    security: [{ session: [] }, { token: [] }],
    tags: groupsIn(paths),
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

/** In the order in which they are read. */
function groupsIn(paths: Readonly<Record<string, unknown>>): Json[] {
  const used = new Set(Object.keys(paths).map((path) => path.split('/')[2]))
  return Object.entries(groupWords).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : []))
}

/** In Markdown. */
function introduction(url: string): string {
  return `What the portal shows of scans, hosts and risks, and what it does there, goes through these calls.

## Begin

Make a token under *Integrations*; it is shown once. Programs send it as \`Authorization: Bearer\`:

    curl '${url}/v1/issues?filter.status=STATUS_FILTER_OPEN' \\
      -H "Authorization: Bearer $GLACIS_TOKEN"

People sign in through the identity service, whose session cookie is the credential. A change that comes with it names
our \`Origin\`, as browsers do.

## Lists

They come in pages of 50, or of as many as \`pageSize\` says. Pass \`nextPageToken\` as \`pageToken\` until it is empty. Filters are
dotted, lists repeated: \`filter.severities=CATEGORY_HIGH&filter.severities=CATEGORY_CRITICAL\`. \`totalSize\` counts to ten thousand.

## Changes

A \`PATCH\` changes what \`updateMask.paths\` names and nothing else. Members and filters that do not exist are refused, and
named. Of two who change the same, the later one holds, and the history has both. A call that takes an
\`Idempotency-Key\` can be sent again when no answer came.

## Errors

Every refusal has this body: \`{"code": …, "message": "…", "details": […]}\`. The message is for people; details name the
wrong members.
`
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
    responses: {
      '200': answer(schemaOf(endpoint.result, 'output')),
      ...refusals(endpoint),
    },
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
  return { name, in: place, required: isRequired, ...described(name), schema }
}

function described(name: string): Json {
  const description = wordsOf(name)
  return description === undefined ? {} : { description }
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
    ...described(`${name}.${member}`),
    schema: inner,
    ...(isArray(inner) && { style: 'form', explode: true }),
  }))
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
  const told = inWords(schemaOf(schema, 'input'))
  return {
    required: members.length > 0,
    content: { 'application/json': { schema: told, example: exampleOf(told) } },
  }
}

function answer(schema: Json): Json {
  return { description: 'Done', content: { 'application/json': { schema, example: exampleOf(schema) } } }
}

import { type Endpoint, hasQuery, pathParameters } from '@glacis/contract/endpoint'
import { permissions } from '@glacis/contract/permissions'
import { ApiErrorBody } from '@glacis/contract/primitives'
import { reportAgentJob } from '@glacis/contract/runner'
import { createTarget } from '@glacis/contract/target'
import type { InjectOptions } from 'fastify'
import { sample } from 'openapi-sampler'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { callNameOf } from '#http/calls.ts'
import { grantAdministration } from '#installation/index.ts'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'

const origin = 'http://localhost:3000'
let server: TestServer
let api: TestApi
let document: Document

interface Operation {
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: object } } }
  readonly responses: Readonly<Record<string, object>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

beforeAll(async () => {
  server = await startTestServer()
  api = await openTestApi(server, origin)
  await grantAdministration(server.database.owner, 'anna')
  document = (await api.app.inject({ url: '/v1/openapi.json' })).json<Document>()
})
afterAll(async () => {
  await api.close()
  await server.close()
})

function operationOf(endpoint: Endpoint): Operation {
  const found = document.paths[endpoint.path.replaceAll(/:(\w+)/g, '{$1}')]?.[endpoint.method.toLowerCase()]
  if (!found) throw new Error(`${endpoint.method} ${endpoint.path} is not in the document`)
  return found
}

/** The example body that another tool derives from the document. */
function exampleBody(endpoint: Endpoint): object {
  const schema = operationOf(endpoint).requestBody?.content['application/json'].schema
  return schema ? Object(sample(schema, {}, document)) : {}
}

interface TestRequest {
  readonly id?: string
  readonly body?: unknown
  readonly query?: string
  readonly person?: string | null
}
function send(endpoint: Endpoint, { id = newId(), body, query = '', person = 'anna' }: TestRequest) {
  const options: InjectOptions = {
    method: endpoint.method,
    url: endpoint.path.replaceAll(/:\w+/g, encodeURIComponent(id)) + query,
    headers: {
      origin,
      ...(!hasQuery(endpoint.method) && { 'content-type': 'application/json' }),
      ...(person && { 'x-person': person }),
    },
    ...(!hasQuery(endpoint.method) && {
      payload: typeof body === 'string' ? body : JSON.stringify(body ?? exampleBody(endpoint)),
    }),
  }
  return api.app.inject(options)
}

/** Sends a request to every endpoint and expects one of `statuses`, with a body of its schema or the common error format. */
async function expectStatuses(
  build: (endpoint: Endpoint) => TestRequest | null,
  statuses: readonly number[],
): Promise<void> {
  for (const endpoint of api.endpoints) {
    const testRequest = build(endpoint)
    if (!testRequest) continue
    const response = await send(endpoint, testRequest)
    const context = `${endpoint.method} ${endpoint.path} → ${response.statusCode} ${response.body.slice(0, 200)}`
    expect(statuses, context).toContain(response.statusCode)
    expect(Object.keys(operationOf(endpoint).responses), context).toContain(String(response.statusCode))
    const schema = response.statusCode === 200 ? endpoint.result : ApiErrorBody
    expect(schema.safeParse(response.json()).error?.issues ?? [], context).toEqual([])
  }
}

describe('every documented operation', () => {
  it('has an example body that the contract accepts', () => {
    for (const endpoint of api.endpoints.filter(({ method }) => !hasQuery(method))) {
      const ids = Object.fromEntries(pathParameters(endpoint.path).map((name) => [name, newId()]))
      const { error } = endpoint.input.safeParse({ ...exampleBody(endpoint), ...ids })
      expect([endpoint.method, endpoint.path, error?.issues ?? []]).toEqual([endpoint.method, endpoint.path, []])
    }
  })

  it('accepts its example or responds with an error in the common format', () =>
    expectStatuses(() => ({}), [200, 400, 403, 404, 409, 429]))

  it('rejects requests without a session', () =>
    expectStatuses((endpoint) => (permissions[callNameOf(endpoint)].scope === 'none' ? null : { person: null }), [401]))

  it('rejects malformed IDs', () =>
    expectStatuses((endpoint) => (pathParameters(endpoint.path).length > 0 ? { id: 'nonsense' } : null), [400, 404]))

  it.each([
    ['a NUL byte', '%00'],
    ['a lone surrogate', '%ED%A0%80'],
    ['a very long text', 'x'.repeat(8000)],
    ['a quote', "'%22;--"],
  ])('SEC-G4 does not crash on %s as an ID or in a filter', async (_, text) => {
    const isRead = (endpoint: Endpoint) => endpoint.method === 'GET'
    await expectStatuses(
      (endpoint) => (pathParameters(endpoint.path).length > 0 ? { id: decoded(text) } : null),
      [400, 404, 414],
    )
    await expectStatuses(
      (endpoint) => (isRead(endpoint) ? { query: `?filter.query=${text}&pageToken=${text}` } : null),
      [200, 400, 404, 414],
    )
  })

  it.each([
    ['an unknown member', (body: object) => ({ ...body, nonsense: 1 })],
    ['a list', () => []],
    ['null', () => null],
    ['a number', () => 7],
    ['members of another type', (body: object) => mapped(body, (value) => (typeof value === 'string' ? 7 : 'x'))],
    ['texts with a NUL', (body: object) => mapped(body, (value) => (typeof value === 'string' ? 'a\0b' : value))],
    [
      'texts of 100,000 characters',
      (body: object) => mapped(body, (value) => (typeof value === 'string' ? 'x'.repeat(100_000) : value)),
    ],
    ['a depth of 5,000', () => `${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['an incomplete body', () => '{"name":'],
    ['a prototype', () => '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}'],
  ])('SEC-G4 rejects %s as a body', (_, change) =>
    expectStatuses(
      (endpoint) => (hasQuery(endpoint.method) ? null : { body: change(exampleBody(endpoint)) }),
      [200, 400, 401, 403, 404, 409, 413, 429],
    ),
  )

  it('treats a content type without a body as an empty body', async () => {
    const headers = { origin, 'content-type': 'application/json', 'x-person': 'anna' }
    const response = await api.app.inject({ method: 'DELETE', url: `/v1/targets/${newId()}`, headers })
    expect(response.statusCode).toBe(404)
  })

  // All calls of users have the same limit, and all calls of agents.
  it.each([createTarget, reportAgentJob])(
    'SEC-E3 SEC-G3 rejects a body of ten megabytes at $path',
    async (endpoint) => {
      const body = `{"name":"${'x'.repeat(10_000_000)}"}`
      expect((await send(endpoint, { body })).statusCode).toBe(413)
    },
  )
})

/** Decodes the text, or returns it unchanged if its encoding is invalid. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Applies `change` to each leaf of a body. */
function mapped(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapped(item, change)]))
  return change(value)
}

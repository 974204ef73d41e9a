import { type Endpoint, hasQuery, pathParameters } from '@glacis/contract/endpoint'
import { ApiErrorBody } from '@glacis/contract/primitives'
import type { InjectOptions } from 'fastify'
import { sample } from 'openapi-sampler'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { type House, openHouse } from '#testing/house.ts'

const origin = 'http://localhost:3000'
let house: House
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
  house = await openHouse()
  api = await openTestApi(house, origin)
  document = (await api.app.inject({ url: '/v1/openapi.json' })).json<Document>()
})
afterAll(async () => {
  await api.close()
  await house.close()
})

function operationOf(endpoint: Endpoint): Operation {
  const found = document.paths[endpoint.path.replaceAll(/:(\w+)/g, '{$1}')]?.[endpoint.method.toLowerCase()]
  if (!found) throw new Error(`${endpoint.method} ${endpoint.path} is not in the document`)
  return found
}

/** What another tool derives from the document as a body. */
function exampleBody(endpoint: Endpoint): object {
  const schema = operationOf(endpoint).requestBody?.content['application/json'].schema
  return schema ? Object(sample(schema, {}, document)) : {}
}

interface Asked {
  readonly id?: string
  readonly body?: unknown
  readonly query?: string
  readonly person?: string | null
}
function ask(endpoint: Endpoint, { id = newId(), body, query = '', person = 'anna' }: Asked) {
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

/** Every call with what `make` sends, answered by one of `statuses` and, where it is a refusal, in the one shape. */
async function walk(make: (endpoint: Endpoint) => Asked | null, statuses: readonly number[]): Promise<void> {
  for (const endpoint of api.endpoints) {
    const asked = make(endpoint)
    if (!asked) continue
    const answer = await ask(endpoint, asked)
    const where = `${endpoint.method} ${endpoint.path} → ${answer.statusCode} ${answer.body.slice(0, 200)}`
    expect(statuses, where).toContain(answer.statusCode)
    expect(Object.keys(operationOf(endpoint).responses), where).toContain(String(answer.statusCode))
    if (answer.statusCode >= 400) expect(ApiErrorBody.safeParse(answer.json()).success, where).toBe(true)
  }
}

describe('every operation of the document', () => {
  it('has a body of which other tools derive an example that the contract accepts', () => {
    for (const endpoint of api.endpoints.filter(({ method }) => !hasQuery(method))) {
      const ids = Object.fromEntries(pathParameters(endpoint.path).map((name) => [name, newId()]))
      const { error } = endpoint.input.safeParse({ ...exampleBody(endpoint), ...ids })
      expect([endpoint.method, endpoint.path, error?.issues ?? []]).toEqual([endpoint.method, endpoint.path, []])
    }
  })

  it('answers its example, or refuses it in the one shape', () => walk(() => ({}), [200, 400, 403, 404, 409, 429]))

  it('refuses whoever has no session', () => walk(() => ({ person: null }), [401]))

  it('refuses ids that are none', () =>
    walk((endpoint) => (pathParameters(endpoint.path).length > 0 ? { id: 'nonsense' } : null), [400, 404]))

  it.each([
    ['a NUL byte', '%00'],
    ['half a character', '%ED%A0%80'],
    ['a very long word', 'x'.repeat(8000)],
    ['a quote', "'%22;--"],
  ])('survives %s as an id and as a filter', async (_, text) => {
    const isRead = (endpoint: Endpoint) => endpoint.method === 'GET'
    await walk((endpoint) => (pathParameters(endpoint.path).length > 0 ? { id: decoded(text) } : null), [400, 404, 414])
    await walk(
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
    ['half a body', () => '{"name":'],
    ['a prototype', () => '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}'],
  ])('refuses %s as a body', (_, change) =>
    walk(
      (endpoint) => (hasQuery(endpoint.method) ? null : { body: change(exampleBody(endpoint)) }),
      [200, 400, 401, 403, 404, 409, 413, 429],
    ),
  )

  it('takes a content type without a body for no body', async () => {
    const headers = { origin, 'content-type': 'application/json', 'x-person': 'anna' }
    const answer = await api.app.inject({ method: 'DELETE', url: `/v1/targets/${newId()}`, headers })
    expect(answer.statusCode).toBe(404)
  })

  it('refuses a body of ten megabytes', () =>
    walk((endpoint) => (hasQuery(endpoint.method) ? null : { body: `{"name":"${'x'.repeat(10_000_000)}"}` }), [413]))
})

/** Text that is no valid encoding stays as it is written. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The body with each of its leaves changed. */
function mapped(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapped(item, change)]))
  return change(value)
}

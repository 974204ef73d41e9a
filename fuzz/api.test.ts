/**
 * The API under generated requests: no internal error, no undocumented status, no response that breaks its own schema,
 * and nothing of another workspace.
 */
import { type Endpoint, hasQuery } from '@glacis/contract/endpoint'
import { ApiErrorBody } from '@glacis/contract/primitives'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sharedTestApi } from '../apps/server/src/testing/api.ts'
import { sharedTestServer } from '../apps/server/src/testing/test-server.ts'
import { fuzzRuns, seed } from './bounds.ts'
import { type ApiDocument, drafts, operationOf, requestOf } from './requests.ts'

const origin = 'http://localhost:3000'
const server = await sharedTestServer()
const { app, endpoints } = await sharedTestApi(server, origin)
const document = (await app.inject({ url: '/v1/openapi.json' })).json<ApiDocument>()
const calls = endpoints.filter(({ path }) => !path.startsWith('/v1/agent/'))

const runs = Number(fuzzRuns ?? 1500)
/** Every person starts with an empty workspace, so that deleting it doesn't end the run. */
const requestsPerPerson = 500
const secret = 'canary-4f1c9e'

it('answers every request as documented', { timeout: 0 }, async () => {
  const foreignIds = await ownedByAnotherWorkspace()
  for (let start = 0; start < runs; start += requestsPerPerson) {
    const person = `fuzz${start}`
    const ids = [...foreignIds]
    for (const draft of fc.sample(drafts, { numRuns: Math.min(requestsPerPerson, runs - start), seed: seed + start })) {
      const { endpoint, url, payload } = requestOf(draft, calls, document, ids)
      const response = await send(endpoint.method, url, person, payload)
      const context = `${endpoint.method} ${url.slice(0, 300)} ${payload?.slice(0, 600) ?? ''}\n→ ${response.statusCode} ${response.body.slice(0, 400)}`
      check(endpoint, response, context)
      remember(ids, response.body)
    }
  }
})

interface Response {
  readonly statusCode: number
  readonly body: string
  readonly headers: Readonly<Record<string, unknown>>
}

function check(endpoint: Endpoint, { statusCode, body, headers }: Response, context: string): void {
  if (statusCode >= 500) throw new Error(`Internal error: ${context}`)
  if (/node_modules|at file:\/\/|\.ts:\d+/.test(body)) throw new Error(`Stack trace: ${context}`)
  if (body.includes(secret)) throw new Error(`Data of another workspace: ${context}`)
  const documented = Object.keys(operationOf(document, endpoint)?.responses ?? {})
  if (!documented.includes(String(statusCode))) throw new Error(`Undocumented status: ${context}`)
  expect(headers['content-type'], context).toMatch(/^application\/json/)
  const schema = statusCode === 200 ? endpoint.result : ApiErrorBody
  const { error } = schema.safeParse(JSON.parse(body))
  if (error) throw new Error(`Breaks its schema: ${JSON.stringify(error.issues).slice(0, 400)}: ${context}`)
}

/** Creates data with a marker in every name. */
async function ownedByAnotherWorkspace(): Promise<string[]> {
  const ids: string[] = []
  const create = async (url: string, body: object) =>
    remember(ids, (await send('POST', url, 'bob', JSON.stringify(body))).body)
  const schedule = { period: 'PERIOD_MANUAL' }
  await create('/v1/tags', { tag: { name: secret, color: 1 } })
  await create('/v1/targets', { target: { name: secret, address: '127.0.0.1', schedule, tags: [] } })
  await create('/v1/agents', { agent: { name: secret } })
  await create('/v1/views', { view: { name: secret, page: '/risks/verified', query: '' } })
  await create('/v1/products', { name: secret, wfn: { part: 'a', vendor: secret, product: secret } })
  expect(ids.length).toBeGreaterThan(2)
  return ids
}

function remember(ids: string[], body: string): void {
  for (const [, id = ''] of body.matchAll(/"id":"([0-9a-f-]{36})"/g)) if (!ids.includes(id)) ids.push(id)
  if (ids.length > 200) ids.splice(10, ids.length - 200)
}

function send(method: Endpoint['method'], url: string, person: string, payload?: string) {
  const headers = { origin, 'x-person': person, ...(payload !== undefined && { 'content-type': 'application/json' }) }
  return app.inject({ method, url, headers, ...(!hasQuery(method) && { payload: payload ?? '{}' }) })
}

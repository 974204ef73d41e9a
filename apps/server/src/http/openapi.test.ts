import { createConfig, lintFromString } from '@redocly/openapi-core'
import { type Endpoint, hasQuery } from '@glacis/contract/endpoint'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[]
  readonly responses: Readonly<Record<string, object>>
}
interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}
interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

let server: TestServer
let api: TestApi
let text: string
let document: Document
beforeAll(async () => {
  server = await startTestServer()
  api = await openTestApi(server, 'http://localhost:3000')
  const response = await api.app.inject({ url: '/v1/openapi.json' })
  text = response.body
  document = response.json()
})
afterAll(async () => {
  await api.close()
  await server.close()
})

const operations = () => Object.values(document.paths).flatMap((path) => Object.values(path))
const operationOf = ({ method, path }: Endpoint) =>
  document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]

it('passes an external linter', async () => {
  const rules = {
    // the test server is on localhost
    'no-server-example.com': 'off',
    'no-unused-components': 'error',
    'no-invalid-schema-examples': 'error',
    'no-invalid-media-type-examples': 'error',
  } as const
  const config = await createConfig({ extends: ['recommended'], rules })
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
})

it('names each operation after its export in the contract, and describes each tag', () => {
  expect(operations().map((item) => item.operationId)).toEqual(
    expect.arrayContaining(['listTargets', 'getTarget', 'exportIssues']),
  )
  expect(operations().filter(({ summary }) => !/^[A-Z].*[^.]$/.test(summary))).toEqual([])
  expect(new Set(document.tags.map(({ name }) => name))).toEqual(new Set(operations().flatMap((item) => item.tags)))
})

it('has one component per entity, and no restated formats', () => {
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining([
      'Target',
      'Issue',
      'Host',
      'Scan',
      'Threat',
      'Severity',
      'ApiError',
      'ListTargetsResponse',
    ]),
  )
  expect(text.match(/"firstSeenTime":\{"type":"string","format":"date-time"\}/g)?.length).toBeLessThan(10)
  expect(text).not.toMatch(/9007199254740991|"format":"(uuid|date-time)","pattern"/)
  expect(text.length).toBeLessThan(300_000)
})

it('lists conflicts where something changes, long IDs where there is one, and media types where there is a body', () => {
  for (const endpoint of api.endpoints) {
    const listed = Object.keys(operationOf(endpoint)?.responses ?? {})
    const mayAnswer = ['409', '414', '415'].map((status) => listed.includes(status))
    const [isReading, isBare] = [endpoint.method === 'GET', hasQuery(endpoint.method)]
    expect([endpoint.path, ...mayAnswer]).toEqual([endpoint.path, !isReading, endpoint.path.includes(':'), !isBare])
  }
})

it('describes each parameter, and each field of a request body', () => {
  const ofAgents = /^(Connect|Heartbeat|Disconnect)AgentRequest$|AgentJobRequest$/
  const parameters = operations().flatMap(({ operationId, parameters: all = [] }) =>
    all.flatMap(({ name, description }) => (description ? [] : [`${operationId} ${name}`])),
  )
  const members = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    name.endsWith('Request') && !ofAgents.test(name) ? undescribed(schema, name) : [],
  )
  expect([...parameters, ...members]).toEqual([])
})

function undescribed({ properties = {}, items }: Schema, path: string): string[] {
  const paths = Object.entries(properties).flatMap(([name, member]) => [
    ...(member.description ? [] : [`${path}.${name}`]),
    ...undescribed(member, `${path}.${name}`),
  ])
  return items ? [...paths, ...undescribed(items, `${path}[]`)] : paths
}

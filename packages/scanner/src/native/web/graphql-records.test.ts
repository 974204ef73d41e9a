import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { findOnSite, runNativeChecks } from '#native/testing/examine.ts'
import { software } from '#template/testing/site.ts'

const scalar = { kind: 'SCALAR', name: 'String', ofType: null }
const listOf = (name: string) => ({
  kind: 'NON_NULL',
  name: null,
  ofType: { kind: 'LIST', name: null, ofType: { kind: 'OBJECT', name, ofType: null } },
})
const argument = (type: string) => ({
  name: 'id',
  defaultValue: null,
  type: { kind: 'NON_NULL', name: null, ofType: { kind: 'SCALAR', name: type } },
})
const required = { name: 'id', args: [argument('String')] }
const field = (name: string, type: object = scalar, rest: object = {}) => ({ name, args: [], type, ...rest })
const schemaOf = (queries: object[], members: object[]) => ({
  data: {
    __schema: {
      queryType: { fields: queries },
      types: [
        { name: 'Row', fields: members },
        { name: 'String', fields: null },
      ],
    },
  },
})

/** A GraphQL server with one type of rows; the queries that it received without the one of the schema. */
function serve(schema: object, answer: object): { listener: RequestListener; queries: string[] } {
  const queries: string[] = []
  const listener: RequestListener = (request, response) => {
    let body = ''
    request.on('data', (part) => (body += String(part)))
    request.on('end', () => {
      response.setHeader('connection', 'close')
      if (request.method !== 'POST' || request.url !== '/graphql') return void response.writeHead(404).end()
      const { query = '' } = JSON.parse(body)
      const isSchema = query.includes('types{')
      if (query.startsWith('{') && !isSchema && !query.includes('__')) queries.push(query)
      response.end(JSON.stringify(isSchema ? schema : answer))
    })
  }
  return { listener, queries }
}

const token = { data: { accounts: [{ login: 'ann', apiToken: 'correct-horse' }] } }
it.each<[string, object, object, boolean]>([
  ['tokens', schemaOf([field('accounts', listOf('Row'))], [field('login'), field('apiToken')]), token, true],
  [
    'addresses of users',
    schemaOf([field('allUsers', listOf('Row'))], [field('email')]),
    { data: { allUsers: [{ email: 'ann@example.com' }] } },
    true,
  ],
  [
    'the password of a record by number',
    schemaOf(
      [field('user', { kind: 'OBJECT', name: 'Row', ofType: null }, { args: [argument('Int')] })],
      [field('login'), field('password')],
    ),
    { data: { user: { login: 'ann', password: 'correct-horse' } } },
    true,
  ],
  [
    'addresses of shops',
    schemaOf([field('shops', listOf('Row'))], [field('email')]),
    { data: { shops: [{ email: 'shop@example.com' }] } },
    false,
  ],
  [
    'an error',
    schemaOf([field('accounts', listOf('Row'))], [field('apiToken')]),
    { errors: [{ message: 'sign in' }], data: null },
    false,
  ],
  ['no schema', { errors: [{ message: 'introspection is disabled' }] }, token, false],
  [
    'a list that needs an argument',
    schemaOf([field('accounts', listOf('Row'), required)], [field('apiToken')]),
    token,
    false,
  ],
])('evaluates an API that returns %s', async (_, schema, answer, expected) => {
  expect((await findOnSite(serve(schema, answer).listener)).includes('graphql-records-exposed')).toBe(expected)
})

it('asks for the members that must not be public, and a few others', async () => {
  const members = ['a', 'b', 'c', 'd', 'e', 'f', 'password'].map((name) => field(name))
  const { listener, queries } = serve(schemaOf([field('accounts', listOf('Row'))], members), token)
  await findOnSite(listener)
  expect(queries).toContain('{accounts{password a b c d e}}')
})

it('sends nothing to stores that would keep the query', async () => {
  const sent: string[] = []
  const server = createServer(({ method, url = '' }, response) => {
    if (method === 'POST') sent.push(url)
    response.writeHead(404, { connection: 'close' }).end()
  }).listen(0, '127.67.3.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  await runNativeChecks({ port }, { protocol: 'http' }, [])
  expect(sent).toContain('/graphql')
  sent.length = 0
  await runNativeChecks({ port }, { protocol: 'http', technologies: [software('Elasticsearch')] }, [])
  expect(sent).toEqual([])
  server.close()
})

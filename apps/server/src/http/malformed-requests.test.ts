import { gzipSync } from 'node:zlib'
import type { HTTPMethods } from 'fastify'
import { afterAll, expect, it } from 'vitest'
import { openTestUsers } from '#testing/test-users.ts'

const users = await openTestUsers()
afterAll(() => users.close())

const body = JSON.stringify({ addresses: ['a.example'] })
const json = 'application/json'
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
const invalidByte = Buffer.from([0xff])

it.each<[string, Record<string, string>, Buffer | string, number]>([
  ['compressed', { 'content-type': json, 'content-encoding': 'gzip' }, gzipSync(body), 415],
  ['declared as uncompressed', { 'content-type': json, 'content-encoding': 'identity' }, body, 200],
  ['plain text', { 'content-type': 'text/plain' }, body, 415],
  ['preceded by a byte order mark', { 'content-type': json }, Buffer.concat([byteOrderMark, Buffer.from(body)]), 200],
  [
    'truncated invalid UTF-8',
    { 'content-type': json },
    Buffer.concat([Buffer.from('{"addresses":["'), invalidByte]),
    400,
  ],
  [
    'invalid UTF-8 in valid JSON',
    { 'content-type': json },
    Buffer.concat([Buffer.from('"'), invalidByte, Buffer.from('"')]),
    400,
  ],
])('handles a body that is %s', async (_, headers, payload, status) => {
  const response = await users.request({ method: 'POST', url: '/v1/targets/parse', headers, payload })
  expect([response.statusCode, response.json()]).toEqual([
    status,
    status === 200
      ? expect.objectContaining({ results: [expect.objectContaining({ normalized: 'a.example' })] })
      : { code: 3, message: expect.stringMatching(/Send the body as JSON|is not supported|UTF-8/) },
  ])
})

it.each([
  ['{"__proto__":1}', /not allowed: __proto__/],
  ['{"addresses":[{"constructor":{"prototype":1}}]}', /constructor with the key prototype/],
  ['{"__proto__":1', /not valid JSON/],
])('explains why %s is rejected', async (payload, message) => {
  const headers = { 'content-type': json }
  const response = await users.request({ method: 'POST', url: '/v1/targets/parse', headers, payload })
  expect([response.statusCode, response.json()]).toEqual([400, { code: 3, message: expect.stringMatching(message) }])
})

it.each<[HTTPMethods, string, string]>([
  ['PUT', '/v1/tags', 'GET, HEAD, POST'],
  ['QUERY', '/v1/tags', 'GET, HEAD, POST'],
  ['TRACE', '/v1/tags', 'GET, HEAD, POST'],
  ['OPTIONS', '/v1/targets/0199c0de-7a10-7c3e-9f00-5b1e6a2d4c01', 'DELETE, GET, HEAD, PATCH'],
  ['GET', '/v1/targets/parse', 'POST'],
  ['HEAD', '/v1/events', 'GET'],
  ['DELETE', '/v1/issues/export', 'GET, HEAD'],
  ['POST', '/v1/openapi.json', 'GET, HEAD'],
])('responds to %s %s with the allowed methods', async (method, url, allow) => {
  const response = await users.request({ method: method as 'GET', url })
  expect([response.statusCode, response.headers.allow]).toEqual([405, allow])
  if (method !== 'HEAD') expect(response.json()).toMatchObject({ code: 12, message: expect.stringContaining(allow) })
})

it.each<[HTTPMethods, string]>([
  ['GET', '/v1/tags/'],
  ['GET', '/v1/targets/?pageSize=1'],
  ['POST', '/v1/targets/'],
])('has no route for %s %s', async (method, url) => {
  const response = await users.request({ method: method as 'GET', url })
  const message = `No route for ${method} ${url.split('?')[0] ?? ''}`
  expect([response.statusCode, response.json()]).toEqual([404, { code: 5, message }])
})

import { gzipSync } from 'node:zlib'
import type { HTTPMethods } from 'fastify'
import { afterAll, expect, it } from 'vitest'
import { openAsking } from '#testing/asking.ts'

const asking = await openAsking()
afterAll(() => asking.close())

const words = JSON.stringify({ addresses: ['a.example'] })
const json = 'application/json'
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
const half = Buffer.from([0xff])

it.each<[string, Record<string, string>, Buffer | string, number]>([
  ['packed', { 'content-type': json, 'content-encoding': 'gzip' }, gzipSync(words), 415],
  ['said to be as it is', { 'content-type': json, 'content-encoding': 'identity' }, words, 200],
  ['plain text', { 'content-type': 'text/plain' }, words, 415],
  ['behind a byte order mark', { 'content-type': json }, Buffer.concat([byteOrderMark, Buffer.from(words)]), 200],
  ['of half characters', { 'content-type': json }, Buffer.concat([Buffer.from('{"addresses":["'), half]), 400],
  [
    'of half characters in JSON',
    { 'content-type': json },
    Buffer.concat([Buffer.from('"'), half, Buffer.from('"')]),
    400,
  ],
])('answers a body that is %s', async (_, headers, payload, status) => {
  const answer = await asking.ask({ method: 'POST', url: '/v1/targets/parse', headers, payload })
  expect([answer.statusCode, answer.json()]).toEqual([
    status,
    status === 200
      ? expect.objectContaining({ results: [expect.objectContaining({ normalized: 'a.example' })] })
      : { code: 3, message: expect.stringMatching(/Unsupported|is not supported|UTF-8/) },
  ])
})

it.each<[HTTPMethods, string, string]>([
  ['PUT', '/v1/tags', 'GET, HEAD, POST'],
  ['OPTIONS', '/v1/targets/0199c0de-7a10-7c3e-9f00-5b1e6a2d4c01', 'DELETE, GET, HEAD, PATCH'],
  ['GET', '/v1/targets/parse', 'POST'],
  ['HEAD', '/v1/events', 'GET'],
  ['DELETE', '/v1/issues/export', 'GET, HEAD'],
  ['POST', '/v1/openapi.json', 'GET, HEAD'],
])('tells whoever asks %s %s what can be asked', async (method, url, allow) => {
  const answer = await asking.ask({ method: method as 'GET', url })
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, allow])
  if (method !== 'HEAD') expect(answer.json()).toMatchObject({ code: 12, message: expect.stringContaining(allow) })
})

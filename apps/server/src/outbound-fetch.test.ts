import { createServer } from 'node:http'
import { once } from 'node:events'
import { afterAll, describe, expect, it } from 'vitest'
import { createOutboundFetch } from '#outbound-fetch.ts'

const seen: string[] = []
const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
  request.once('end', () => {
    seen.push(`${request.method} ${request.url} ${request.headers['content-type'] ?? ''} ${body}`)
    if (request.url === '/redirect') response.writeHead(302, { location: '/elsewhere' }).end()
    else if (request.url === '/large') response.end(Buffer.alloc(2 * 1024 * 1024))
    else response.setHeader('content-type', 'application/json').end('{"ok":true}')
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => void server.close())
const address = server.address()
const port = typeof address === 'object' ? address?.port : 0
const loopback = createOutboundFetch(['127.0.0.0/8'])

it('sends and receives like fetch', async () => {
  const response = await loopback(`http://127.0.0.1:${port}/token?a=1`, {
    method: 'POST',
    body: new URLSearchParams({ code: 'x y' }),
  })
  expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
    200,
    'application/json',
    { ok: true },
  ])
  expect(seen).toEqual(['POST /token?a=1 application/x-www-form-urlencoded;charset=UTF-8 code=x+y'])
})

it('follows no redirect, and limits the response', async () => {
  const redirected = await loopback(`http://127.0.0.1:${port}/redirect`, {})
  expect([redirected.status, redirected.headers.get('location')]).toEqual([302, '/elsewhere'])
  await expect(loopback(`http://127.0.0.1:${port}/large`, {})).rejects.toThrow('too large')
})

describe('SEC-E2 connects to no address', () => {
  it.each([
    ['that is private', 'https://127.0.0.1:9/', 'public' as const],
    ['whose name leads to a private one', 'https://localhost:9/', 'public' as const],
    ['without https', 'http://127.0.0.1:9/', 'public' as const],
    ['outside the listed networks', 'http://127.0.0.1:9/', ['127.66.0.0/16']],
    ['of cloud metadata', 'https://169.254.169.254/', 'all' as const],
  ])('%s', async (_, url, egress) => {
    await expect(createOutboundFetch(egress)(url, {})).rejects.toThrow(/connect|https/)
  })
})

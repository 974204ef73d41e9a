import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { takeAgentJob } from '@glacis/contract/runner'
import { afterEach, expect, it } from 'vitest'
import { createClient, describeNetworkError } from './client.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.61.5.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return `http://127.61.5.1:${address.port}`
}
const json =
  (status: number, body: unknown): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
const callTakeJob = (url: string) =>
  createClient(url, 'glk_x').call(takeAgentJob, {}, { signal: AbortSignal.timeout(5000) })

it('sends the key as a bearer token and parses the response', async () => {
  let authorization: string | undefined
  const url = await serve((request, response) => {
    authorization = request.headers.authorization
    json(200, {})(request, response)
  })
  expect(await callTakeJob(url)).toEqual({})
  expect(authorization).toBe('Bearer glk_x')
})

it.each([
  [401, { name: 'RejectedError', status: 401, message: 'unknown key' }],
  [409, { name: 'RejectedError', status: 409, message: 'unknown key' }],
  [503, { name: 'UnreachableError', isMisconfigured: false }],
  [429, { name: 'UnreachableError', isMisconfigured: false, isBroken: false }],
  [500, { name: 'UnreachableError', isMisconfigured: false, isBroken: true }],
] as const)('distinguishes rejections from temporary errors: %i', async (status, error) => {
  const url = await serve(json(status, { code: 16, message: 'unknown key' }))
  await expect(callTakeJob(url)).rejects.toMatchObject(error)
})

it.each([
  [401, false],
  [404, false],
  [408, false],
  [403, true],
] as const)('treats a %i from a proxy as temporary', async (status, isBroken) => {
  const url = await serve((_request, response) => response.writeHead(status).end('404 page not found'))
  await expect(callTakeJob(url)).rejects.toMatchObject({ name: 'UnreachableError', isBroken })
})

it('treats a 413 from a proxy as a rejection', async () => {
  const url = await serve((_request, response) => response.writeHead(413).end('<html>'))
  await expect(callTakeJob(url)).rejects.toMatchObject({ name: 'RejectedError', status: 413 })
})

it('SEC-F3 follows no redirects, which could leak the key', async () => {
  let requests = 0
  const url = await serve((_request, response) => {
    requests++
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  await expect(callTakeJob(url)).rejects.toMatchObject({ name: 'UnreachableError' })
  expect(requests).toBe(1)
})

it('detects a response that is not from Glacis', async () => {
  const url = await serve((_request, response) => response.end('<html>'))
  await expect(callTakeJob(url)).rejects.toThrow('did not return a valid Glacis response')
})

it('rejects a download larger than the limit', async () => {
  const url = await serve((_request, response) => response.end(Buffer.alloc(2000)))
  const loading = createClient(url, 'glk_x').download('/packs', { signal: AbortSignal.timeout(5000), bytesMax: 1000 })
  await expect(loading).rejects.toThrow('is larger than 1000 bytes')
})

it.each([
  ['ECONNREFUSED', /refused the connection; is the server running\?$/, false],
  ['ENOTFOUND', /unknown hostname\.$/, false],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /^The certificate of https:\/\/g\.example is self-signed/, true],
  ['CERT_HAS_EXPIRED', /has expired; renew it on the server\.$/, true],
  ['ERR_SSL_WRONG_VERSION_NUMBER', /TLS handshake with/, true],
  ['EWHATEVER', /could not be reached \(EWHATEVER\)\.$/, false],
] as const)('describes %s', (code, pattern, isMisconfigured) => {
  const cause = Object.assign(new Error('no'), { code })
  const described = describeNetworkError('https://g.example', new TypeError('fetch failed', { cause }))
  expect(described.message).toMatch(pattern)
  expect(described.isMisconfigured).toBe(isMisconfigured)
})

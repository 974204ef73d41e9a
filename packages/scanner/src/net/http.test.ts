import { once } from 'node:events'
import { createServer, type Socket, type AddressInfo } from 'node:net'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createSecureServer, createServer as createHttp2Server } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { createHttpClient, type HttpClient, type HttpClientOptions } from '#net/http.ts'
import type { HttpRequest, Origin } from '#net/http-message.ts'
import { certificateFor } from '#template/testing/certificate.ts'

const address = '127.42.1.1'
const everything = { denialReason: () => null }
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A server that passes every connection to `talk`. */
async function raw(talk: (socket: Socket) => void): Promise<Origin> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    talk(socket)
  })
  server.listen(0, address)
  await once(server, 'listening')
  closers.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return originOf(server.address())
}

async function http(listener: RequestListener): Promise<Origin> {
  const server = createHttpServer(listener).listen(0, address)
  await once(server, 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return originOf(server.address())
}

function originOf(bound: string | AddressInfo | null, tls = false): Origin {
  return { address, port: typeof bound === 'object' && bound ? bound.port : 0, tls, hostname: 'lab.test' }
}

function client(options: Partial<HttpClientOptions> = {}): HttpClient {
  const made = createHttpClient({ guard: everything, ...options })
  closers.push(() => made.close())
  return made
}

function get(origin: Origin, request: Partial<HttpRequest> = {}, options: Partial<HttpClientOptions> = {}) {
  return client(options).request(
    origin,
    { method: 'GET', path: '/', ...request },
    { signal: new AbortController().signal },
  )
}

describe('requests', () => {
  it.each(['/../etc/passwd', '/%2e%2e/%2e%2E/x', '//x//y', '/a?q=%00&x=/../', '/a#b', '/\'"<>{}|\\^`', '/é'])(
    'sends the path %s byte for byte',
    async (path) => {
      let received = ''
      const origin = await raw((socket) =>
        socket.once('data', (data) => {
          received = data.toString('utf8')
          socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
        }),
      )
      await get(origin, { path })
      expect(received.split('\r\n')[0]).toBe(`GET ${path} HTTP/1.1`)
    },
  )

  it('sends Host, lets headers override defaults, and sends a body with any method', async () => {
    let received = ''
    const origin = await raw((socket) =>
      socket.once('data', (data) => {
        received = data.toString()
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
      }),
    )
    const response = await get(origin, { method: 'PROPFIND', headers: { 'user-agent': 'x' }, body: '<a/>' })
    expect(received).toContain(`host: lab.test:${origin.port}\r\n`)
    expect(received).toContain('user-agent: x\r\n')
    expect(received).not.toContain('Glacis')
    expect(received.endsWith('content-length: 4\r\n\r\n<a/>')).toBe(true)
    expect(response).toMatchObject({ kind: 'response', request: expect.stringContaining('PROPFIND / HTTP/1.1\r\n') })
  })

  it.each([
    [{ path: '/a b' }],
    [{ path: '/a\r\nX: y' }],
    [{ path: 'a' }],
    [{ headers: { 'x-a': 'b\r\nc: d' } }],
    [{ headers: { 'transfer-encoding': 'chunked' } }],
    [{ method: 'CONNECT' }],
  ])('fails for requests that HTTP/1.1 cannot express: %j', async (request) => {
    const origin = await http((_request, response) => response.end('reached'))
    expect(await get(origin, request)).toMatchObject({ kind: 'failure', local: false })
  })

  it('SEC-C1 does not connect when the guard rejects the address', async () => {
    let connections = 0
    const origin = await raw(() => void connections++)
    const response = await get(origin, {}, { guard: { denialReason: () => 'outside the target' } })
    expect(response).toEqual({ kind: 'failure', reason: 'refused: outside the target', local: false })
    expect(connections).toBe(0)
  })

  it('awaits beforeRequest before each request', async () => {
    const requests: string[] = []
    const origin = await http((_request, response) => response.end())
    await get(origin, {}, { beforeRequest: async (host) => void requests.push(host) })
    expect(requests).toEqual([address])
  })
})

describe('responses', () => {
  it('preserves header order and case', async () => {
    const origin = await raw((socket) =>
      socket.once('data', () =>
        socket.end('HTTP/1.1 404 Nope\r\nX-B: 1\r\nx-a: 2\r\nX-B: 3\r\nContent-Length: 2\r\n\r\nhi'),
      ),
    )
    expect(await get(origin)).toMatchObject({
      status: 404,
      statusText: 'Nope',
      headers: [
        ['X-B', '1'],
        ['x-a', '2'],
        ['X-B', '3'],
        ['Content-Length', '2'],
      ],
      body: Buffer.from('hi'),
      truncated: false,
    })
  })

  it.each([
    ['gzip', gzipSync('plain text')],
    ['deflate', deflateSync('plain text')],
    ['deflate', deflateRawSync('plain text')],
    ['br', brotliCompressSync('plain text')],
    ['gzip', Buffer.from('plain text')],
  ])('decompresses %s', async (encoding, body) => {
    const origin = await http((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    )
    const answer = await get(origin)
    expect(answer.kind === 'response' && answer.body.toString()).toBe('plain text')
  })

  it('decompresses only one layer', async () => {
    const origin = await http((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(gzipSync(gzipSync('x'))),
    )
    const answer = await get(origin)
    expect(answer.kind === 'response' && answer.body[0]).toBe(0x1f)
  })

  it('stops a decompression bomb at a ratio of 100', async () => {
    const bomb = gzipSync(Buffer.alloc(8 << 20))
    const origin = await http((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
    const answer = await get(origin, {}, { bodyBytesMax: 8 << 20 })
    expect(answer).toMatchObject({ kind: 'response', truncated: true })
    expect(answer.kind === 'response' && answer.body.length).toBeLessThan(bomb.length * 100 + 64 * 1024)
  })

  it('truncates an endless body', async () => {
    const origin = await http((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
      }
      response.on('drain', more)
      more()
    })
    const answer = await get(origin, {}, { bodyBytesMax: 100_000 })
    expect(answer).toMatchObject({ kind: 'response', truncated: true })
    expect(answer.kind === 'response' && answer.body.length).toBe(100_000)
  })

  it('stops waiting for the body of a redirect without a length', async () => {
    const origin = await raw((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 302 Found\r\nLocation: /login\r\n\r\n')),
    )
    const response = await get(origin)
    expect(response).toMatchObject({ kind: 'response', status: 302, truncated: false })
  })

  it('does not follow redirects', async () => {
    const origin = await http((_request, response) => response.writeHead(302, { location: '/x' }).end())
    expect(await get(origin)).toMatchObject({ status: 302 })
  })

  it('accepts old TLS versions and unverified certificates', async () => {
    const server = createTlsServer({
      ...certificateFor({ name: 'other.test', days: -10 }),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1',
      ciphers: 'ALL:@SECLEVEL=0',
    })
    server.on('request', (_request, response) => response.end('old'))
    server.listen(0, address)
    await once(server, 'listening')
    closers.push(() => server.close())
    const answer = await get(originOf(server.address(), true))
    expect(answer.kind === 'response' && answer.body.toString()).toBe('old')
  })
})

it('uses HTTP/2 where a server supports nothing else', async () => {
  const server = createSecureServer({ ...certificateFor({ name: 'lab.test' }), allowHTTP1: false })
  server.on('request', ({ headers, url }, response) => {
    response.writeHead(200, { 'x-lab': headers[':authority'] ?? '' }).end(`page ${url}`)
  })
  server.listen(0, address)
  await once(server, 'listening')
  closers.push(() => server.close())
  const origin = originOf(server.address(), true)
  const made = client()
  for (const path of ['/status', '/orders']) {
    const response = await made.request(origin, { method: 'GET', path }, { signal: AbortSignal.timeout(5000) })
    expect(response).toMatchObject({ kind: 'response', status: 200, body: Buffer.from(`page ${path}`) })
    expect(response.kind === 'response' && response.headers).toContainEqual(['x-lab', `lab.test:${origin.port}`])
  }
})

it('uses HTTP/2 without TLS for all requests once it was requested and works', async () => {
  const server = createHttp2Server(({ url }, response) => response.end(`page ${url}`))
  server.listen(0, address)
  await once(server, 'listening')
  closers.push(() => server.close())
  const origin = originOf(server.address())
  const made = client()
  const signal = AbortSignal.timeout(5000)
  expect(made.usesHttp2(origin)).toBe(false)
  const first = await made.request(origin, { method: 'GET', path: '/' }, { signal, protocol: 'h2' })
  const next = await made.request(origin, { method: 'GET', path: '/orders' }, { signal })
  expect([first, next]).toMatchObject([{ body: Buffer.from('page /') }, { body: Buffer.from('page /orders') }])
  expect(made.usesHttp2(origin)).toBe(true)
})

it('reads a response that has both a length and chunks', async () => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n'
  const origin = await raw((socket) => socket.once('data', () => socket.end(`${head}5\r\nhello\r\n0\r\n\r\n`)))
  const answer = await get(origin)
  expect(answer.kind === 'response' && answer.body.toString()).toBe('hello')
})

it('reads responses that have the same length twice, and sends each later request once', async () => {
  const received: string[] = []
  const origin = await raw((socket) =>
    socket.once('data', (bytes) => {
      const request = bytes.toString()
      received.push(request)
      socket.end(
        `HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n${request.startsWith('HEAD') ? '' : 'hello'}`,
      )
    }),
  )
  const made = client()
  const { signal } = new AbortController()
  const send = (request: Partial<HttpRequest>) =>
    made.request(origin, { method: 'GET', path: '/', ...request }, { signal })
  expect(await send({})).toMatchObject({ body: Buffer.from('hello') })
  expect(received).toHaveLength(2)
  expect(await send({ method: 'POST', body: 'käse' })).toMatchObject({ body: Buffer.from('hello') })
  expect(await send({ method: 'HEAD' })).toMatchObject({ status: 200, body: Buffer.alloc(0) })
  expect(received).toHaveLength(4)
  expect(received[2]).toMatch(/^POST [^]*\r\nContent-Length: 5\r\n[^]*\r\n\r\nkäse$/)
})

it('reads a response that has the same length twice after a connection without a response', async () => {
  let connections = 0
  const origin = await raw((socket) =>
    socket.once('data', () => {
      connections += 1
      if (connections === 2) socket.destroy()
      else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello')
    }),
  )
  const made = client()
  const send = () => made.request(origin, { method: 'GET', path: '/' }, { signal: new AbortController().signal })
  expect(await send()).toMatchObject({ kind: 'failure' })
  expect(await send()).toMatchObject({ body: Buffer.from('hello') })
})

it.each([
  ['reads later malformed responses of a slow server that closes the connection', true, 'response'],
  ['does not wait for later malformed responses of a server that keeps the connection open', false, 'failure'],
])('%s', async (_, closes, kind) => {
  let received = 0
  const origin = await raw((socket) =>
    socket.once('data', () => {
      const send = () => {
        socket.write('HTTP/1.1 200 OK\r\nServer: shop\n\r\n\r\nhello')
        if (closes) socket.end()
      }
      const timer = setTimeout(send, received++ === 1 ? 1200 : 0)
      socket.on('close', () => clearTimeout(timer))
    }),
  )
  const made = client()
  const send = () => made.request(origin, { method: 'GET', path: '/' }, { signal: new AbortController().signal })
  expect(await send()).toMatchObject({ kind: 'response' })
  expect(await send()).toMatchObject({ kind })
})

describe('servers that redirect clients without a cookie to the same URL', () => {
  const gate =
    (accepts: boolean): RequestListener =>
    ({ url = '/', headers }, response) => {
      if (accepts && headers.cookie === 'seen=1') response.end(`page ${url}`)
      else response.writeHead(302, { location: url, 'set-cookie': 'seen=1; Path=/' }).end()
    }

  it('get the cookie with the repeated request and all later ones', async () => {
    let sent = 0
    const origin = await http((request, response) => (sent++, gate(true)(request, response)))
    const made = client()
    const read = async (path: string) => {
      const response = await made.request(origin, { method: 'GET', path }, { signal: AbortSignal.timeout(5000) })
      return response.kind === 'response' ? response : undefined
    }
    const first = await read('/')
    expect(first?.body.toString()).toBe('page /')
    expect(first?.headers).toContainEqual(['set-cookie', 'seen=1; Path=/'])
    expect((await read('/status'))?.body.toString()).toBe('page /status')
    expect(sent).toBe(3)
  })

  it('are not asked again if the cookie changes nothing', async () => {
    let sent = 0
    const origin = await http((request, response) => (sent++, gate(false)(request, response)))
    const made = client()
    for (const path of ['/', '/a', '/b'])
      await made.request(origin, { method: 'GET', path }, { signal: AbortSignal.timeout(5000) })
    expect(sent).toBe(4)
  })
})

describe('hostile hosts', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['closes immediately', (socket) => socket.destroy()],
    ['speaks another protocol', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    ['speaks HTTP/0.9', (socket) => socket.once('data', () => socket.end('<h1>hi</h1>'))],
    [
      'sends an invalid chunk',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n')),
    ],
    [
      'resets in the body',
      (socket) =>
        socket.once('data', () =>
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', () => socket.resetAndDestroy()),
        ),
    ],
    [
      'sends a header of 1 MB',
      (socket) => socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(1 << 20)}\r\n\r\n`)),
    ],
    [
      'changes the protocol',
      (socket) =>
        socket.once('data', () => socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')),
    ],
    ['never responds', () => undefined],
    ['never completes its headers', (socket) => socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nX-A'))],
    [
      'stops in the body',
      (socket) => socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')),
    ],
    [
      'repeats 100 Continue',
      (socket) => socket.once('data', () => socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000))),
    ],
  ])('fails when the server %s', async (_name, talk) => {
    expect(await get(await raw(talk), {}, { deadlineMs: 700 })).toMatchObject({ kind: 'failure', local: false })
  })

  it('fails when the TLS handshake never completes', async () => {
    const origin = await raw(() => undefined)
    expect(await get({ ...origin, tls: true }, {}, { deadlineMs: 300 })).toMatchObject({ kind: 'failure' })
  })

  it('stops reading a slow body before the deadline', async () => {
    const origin = await http((_request, response) => {
      response.write('x')
      const timer = setInterval(() => response.write('x'), 1000)
      response.on('close', () => clearInterval(timer))
    })
    expect(await get(origin, {}, { deadlineMs: 60_000 })).toMatchObject({
      reason: 'the response was slower than 1 KiB/s',
    })
  })

  it('sends no more requests with a query after the server answered none of them', async () => {
    const origin = await http((request, response) => {
      if (!request.url?.includes('?')) response.end('ok')
    })
    const shared = client({ deadlineMs: 1000 })
    const send = (path: string) =>
      shared.request(origin, { method: 'GET', path }, { signal: new AbortController().signal })
    const silent = Array.from({ length: 8 }, (_, at) => `/?${at}`)
    expect(await Promise.all(silent.map(send))).toMatchObject(silent.map(() => ({ isTimeout: true })))
    expect(await send('/')).toMatchObject({ status: 200 })
    expect(await send('/?8')).toMatchObject({ reason: 'not sent: all similar requests timed out' })
  })

  it('fails when the port is closed', async () => {
    expect(await get({ address, port: 1, tls: false, hostname: '' })).toMatchObject({ kind: 'failure', local: false })
  })

  it('retries once when a keep-alive connection was closed', async () => {
    const origin = await raw((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
        socket.once('data', () => socket.destroy())
      }),
    )
    const made = client()
    const signal = new AbortController().signal
    for (let round = 0; round < 4; round++) {
      expect(await made.request(origin, { method: 'GET', path: '/' }, { signal })).toMatchObject({ status: 200 })
    }
  })
})

describe('concurrent requests', () => {
  it.each([
    ['owhttpd', 1],
    ['other', 4],
  ])('sends %s at most %i', async (server, most) => {
    let running = 0
    let overlap = 0
    const origin = await http((_request, response) => {
      overlap = Math.max(overlap, ++running)
      setTimeout(() => {
        running -= 1
        response.setHeader('server', server).end()
      }, 30)
    })
    const made = client({ perHostConnections: 4 })
    const send = () => made.request(origin, { method: 'GET', path: '/' }, { signal: new AbortController().signal })
    await send()
    await Promise.all(Array.from({ length: 8 }, send))
    expect(overlap).toBe(most)
  })
})

describe('abort', () => {
  it("rejects with the signal's reason, even while queued", async () => {
    const origin = await raw(() => undefined)
    const made = client({ perHostConnections: 1 })
    const stop = new AbortController()
    const both = [1, 2].map(() => made.request(origin, { method: 'GET', path: '/' }, { signal: stop.signal }))
    stop.abort(new Error('the user pressed stop'))
    expect(await Promise.allSettled(both)).toMatchObject([
      { status: 'rejected', reason: { message: 'the user pressed stop' } },
      { status: 'rejected', reason: { message: 'the user pressed stop' } },
    ])
  })
})

describe('rate limits', () => {
  const { signal } = new AbortController()

  /** A server that rejects its first request. */
  function limited(retryAfter: string) {
    let count = 0
    return http((_request, response) => {
      count += 1
      if (count === 1) response.writeHead(429, { 'retry-after': retryAfter }).end()
      else response.end(String(count))
    })
  }

  it.each<[string, Partial<HttpRequest>, number]>([
    ['repeats a rejected GET', {}, 200],
    ['does not repeat a rejected POST', { method: 'POST' }, 429],
    ['does not repeat a rejected login', { headers: { Authorization: 'Basic YTpi' } }, 429],
  ])('%s', async (_title, request, status) => {
    expect(await get(await limited('0'), request)).toMatchObject({ kind: 'response', status })
  })

  it('does not delay requests to other ports of the address, and ends a pause with the signal', async () => {
    const [slow, other] = [await limited('60'), await http((_request, response) => response.end())]
    const made = client({ perHostConnections: 1 })
    const stop = new AbortController()
    const paused = made.request(slow, { method: 'POST', path: '/' }, { signal: stop.signal })
    expect(await paused).toMatchObject({ status: 429 })
    const waiting = made.request(slow, { method: 'GET', path: '/' }, { signal: stop.signal })
    expect(await made.request(other, { method: 'GET', path: '/' }, { signal })).toMatchObject({ status: 200 })
    stop.abort(new Error('the user pressed stop'))
    await expect(waiting).rejects.toThrow('the user pressed stop')
  })
})

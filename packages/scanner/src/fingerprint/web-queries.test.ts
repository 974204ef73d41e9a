import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import type { WebPath } from '#fingerprint/web-paths.ts'
import { readWeb } from '#fingerprint/web.ts'
import { createHttpClient } from '#net/http.ts'

const guard = { denialReason: () => null }

const settings = { field: 'http.path:/settings', path: '/settings', requires: '' }

/** Versions found by product-specific queries, and the number of POST requests they sent. */
async function read(
  serve: RequestListener,
  paths: readonly WebPath[] = [],
): Promise<{ versions: string[]; posted: number }> {
  let posted = 0
  const server = createServer((request, response) => {
    if (request.method === 'POST') posted++
    serve(request, response)
  })
  server.listen(0, '127.34.2.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const http = createHttpClient({ guard })
  const origin = { address: '127.34.2.1', port, tls: false, hostname: 'lab.test' }
  const page = await readWeb(origin, { http, shared: http, signal: AbortSignal.timeout(10_000), paths })
  await http.close()
  server.close()
  const own = new Set([
    'transmission.version',
    'node-red.module',
    'spring.environment',
    'web.version',
    'softether.version',
    'docker.registry',
    'vmware.about',
    'kea.version',
  ])
  const versions = page?.traces.flatMap(({ field, text }) => (own.has(field) ? text : [])) ?? []
  return { versions, posted }
}

const word = 'bG0YzX8oKcPpYtB0bGgC9Jx3tZqB0bGgC9Jx3tZqB0bGgC9J'
const answer = '{"arguments":{"version":"3.00 (bb6b5a062e)"},"result":"success"}'

it('queries the version of Transmission with its session ID', async () => {
  const result = await read((request, response) => {
    response.setHeader('server', 'Transmission')
    if (request.headers['x-transmission-session-id'] === word) return response.end(answer)
    return response.writeHead(409, { 'x-transmission-session-id': word }).end()
  })
  expect(result).toEqual({ versions: ['3.00 (bb6b5a062e)'], posted: 2 })
})

it.each([
  ['<ADDRESS>HTTP Server at 192.0.2.1 Port 443</ADDRESS>', ['5.01.9674'], 1],
  ['<address>Apache Server at 192.0.2.1 Port 443</address>', [], 0],
])('reads the version of SoftEther VPN behind %s', async (page, versions, posted) => {
  const pack =
    'build' +
    '\0'.repeat(7) +
    '\u0001\0\0%\u00ca' +
    'SoftEther VPN Server' +
    'version' +
    '\0'.repeat(7) +
    '\u0001\0\0\u0001\u00f5'
  const result = await read(({ method }, response) =>
    method === 'POST' ? response.end(Buffer.from(pack, 'latin1')) : response.writeHead(403).end(page),
  )
  expect(result).toEqual({ versions, posted })
})

it('stops when authentication is required', async () => {
  const result = await read((_request, response) => response.writeHead(401, { server: 'Transmission' }).end())
  expect(result).toEqual({ versions: [], posted: 1 })
})

it.each([
  [{ 'x-application-context': 'application' }, ['spring-boot-1.5.22.RELEASE.jar']],
  [{}, []],
])('reads the environment of Spring Boot 1: %o', async (headers, versions) => {
  const result = await read(({ url }, response) =>
    response.writeHead(200, headers).end(url === '/env' ? 'spring-boot-1.5.22.RELEASE.jar' : 'shop'),
  )
  expect(result.versions).toEqual(versions)
})

it('queries the modules of Node-RED as JSON', async () => {
  const nodes = [
    { id: 'node-red/inject', types: ['inject'], module: 'node-red', version: '1.2.9' },
    { id: 'node-red-dashboard/ui_base', types: ['ui_base'], module: 'node-red-dashboard', version: '2.26.0' },
    { id: 'node-red-dashboard/ui_tab', types: ['ui_tab'], module: 'node-red-dashboard', version: '2.26.0' },
  ]
  const serve = (settings: string): RequestListener => {
    return ({ url, headers }, response) => {
      if (url === '/settings') return response.end(settings)
      return response.end(url === '/nodes' && headers.accept === 'application/json' ? JSON.stringify(nodes) : '<html>')
    }
  }
  const result = await read(serve('{"httpNodeRoot":"/","version":"1.2.9"}'), [settings])
  expect(result.versions).toEqual(['node-red 1.2.9', 'node-red-dashboard 2.26.0'])
  expect((await read(serve('{"theme":"dark"}'), [settings])).versions).toEqual([])
})

it('sends nothing to other products', async () => {
  expect(await read((_request, response) => response.end(answer))).toEqual({ versions: [], posted: 0 })
})

it('requests pages of a product only from servers that name it', async () => {
  const requested = async (page: string) => {
    const paths: string[] = []
    const serve: RequestListener = ({ url = '' }, response) => {
      paths.push(url)
      response.end(url === '/' ? page : '')
    }
    await read(serve, [
      { field: 'http.path:/api/version <title>Shop', path: '/api/version', requires: '<title>Shop' },
      { field: 'http.path:/health', path: '/health', requires: '' },
    ])
    return paths.filter((path) => path.length > 1 && path !== '/favicon.ico')
  }
  const descriptions = [
    '/version.json',
    '/api/info',
    '/api/v1/info',
    '/api/about',
    '/api/system/info',
    '/api/v1/version',
  ]
  expect(await requested('<title>Shop</title>')).toEqual([...descriptions, '/api/version', '/health'])
  expect(await requested('<title>Blog</title>')).toEqual([...descriptions, '/health'])
})

it('reads the version from a call that the page names', async () => {
  const serve: RequestListener = ({ url = '' }, response) => {
    if (url === '/') return response.end('<title>Acme</title><script>fetch("/api/app")</script>')
    return response.end(url === '/api/app' ? '{"config":{},"version":"3.1.0"}' : '')
  }
  expect((await read(serve)).versions).toEqual(['3.1.0'])
})

it.each([
  ['', ['registry/2.0']],
  ['<h1>Packages</h1>', []],
])('asks a server with the root page "%s" for its registry', async (front, versions) => {
  const result = await read(({ url }, response) => {
    if (url === '/') response.writeHead(200, { 'content-length': front.length }).end(front)
    else response.writeHead(401, { 'docker-distribution-api-version': 'registry/2.0' }).end()
  })
  expect(result.versions).toEqual(versions)
})

it.each([
  ['<title>" + ID_EESX_Welcome + "</title>', ['<about><name>VMware ESXi</name><version>8.0.2</version></about>'], 1],
  ['<title>Welcome</title>', [], 0],
])('reads the version of vSphere behind %s', async (page, versions, posted) => {
  const about = '<about><name>VMware ESXi</name><version>8.0.2</version></about>'
  const result = await read((request, response) => {
    response.end(request.method === 'POST' && request.url === '/sdk' ? about : page)
  })
  expect(result).toEqual({ versions, posted })
})

it('queries the version of Kea by a command', async () => {
  const version = '[ { "arguments": { "extended": "2.2.0" }, "result": 0, "text": "2.2.0" } ]'
  const result = await read((request, response) => {
    response.statusCode = request.method === 'POST' ? 200 : 400
    response.end(request.method === 'POST' ? version : '{ "result": 400, "text": "Bad Request" }')
  })
  expect(result).toEqual({ versions: [version], posted: 1 })
})

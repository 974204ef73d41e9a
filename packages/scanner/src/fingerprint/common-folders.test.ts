import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { findCommonFolders } from '#fingerprint/common-folders.ts'
import { createHttpClient } from '#net/http.ts'

async function foundOn(serve: RequestListener, products: readonly string[] = []) {
  const server = createServer(serve).listen(0, '127.34.2.3')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const http = createHttpClient({ guard: { denialReason: () => null } })
  const origin = { address: '127.34.2.3', port, tls: false, hostname: 'lab.test' }
  const folders = await findCommonFolders(
    origin,
    { shared: http, signal: AbortSignal.timeout(10_000) },
    new Set(products),
  )
  await http.close()
  server.close()
  return folders
}

it('finds pages, logins, and redirects within the folder', async () => {
  const folders = await foundOn(({ url }, response) => {
    if (url === '/phpmyadmin/') response.end('phpMyAdmin')
    else if (url === '/jenkins/') response.writeHead(401).end()
    else if (url === '/prometheus/') response.writeHead(302, { location: './graph' }).end()
    else if (url === '/grafana/') response.writeHead(302, { location: '/login' }).end()
    else response.writeHead(404).end()
  })
  expect(folders).toEqual(['/jenkins/', '/phpmyadmin/', '/prometheus/'])
})

it.each([200, 302, 401])('finds nothing on a server that responds to any path with %i', async (status) => {
  expect(await foundOn((_request, response) => response.writeHead(status, { location: '/' }).end())).toEqual([])
})

it("finds pages other than the front page on PHP's development server", async () => {
  const folders = await foundOn(({ url, headers }, response) => {
    response.setHeader('host', headers.host ?? '')
    response.end(url === '/phpliteadmin/' ? 'phpLiteAdmin' : 'Shop')
  })
  expect(folders).toEqual(['/phpliteadmin/'])
})

it('finds nothing where the status is that of unknown paths', async () => {
  expect(await foundOn((_request, response) => response.writeHead(403).end())).toEqual([])
})

it.each([
  ['application/json', ['/api/']],
  ['text/html', []],
])('finds an API without a start page by an error of the type %s', async (type, expected) => {
  const folders = await foundOn(
    ({ url }, response) => {
      response.writeHead(404, { 'content-type': url === '/api/' ? type : 'text/html' }).end('{"status":404}')
    },
    ['apache:tomcat'],
  )
  expect(folders).toEqual(expected)
})

it.each([
  ['apache:tomcat', ['/openam/']],
  ['f5:nginx', []],
])('finds an application in the folder of its archive on a servlet container: %s', async (product, expected) => {
  const folders = await foundOn(
    ({ url }, response) => {
      if (url === '/openam/') response.writeHead(302, { location: '/openam/config/options.htm' }).end()
      else response.writeHead(404).end()
    },
    [product],
  )
  expect(folders).toEqual(expected)
})

it.each([
  [404, ['/tensorboard/']],
  [200, []],
])('looks for more applications only where the root does not exist: %i', async (status, expected) => {
  const folders = await foundOn(({ url }, response) => {
    if (url === '/') response.writeHead(status).end()
    else response.writeHead(url === '/tensorboard/' ? 200 : 404).end()
  })
  expect(folders).toEqual(expected)
})

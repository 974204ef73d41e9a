import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { findOnHttp2Site, findOnSite } from '#native/testing/examine.ts'

type Send = (page: string, request: IncomingMessage, response: ServerResponse) => void

/** A server that inserts a parameter into its page. */
function greeting(send: Send): RequestListener {
  return (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here.invalid')
    response.setHeader('content-type', 'text/html')
    const page = '<!doctype html><title>Shop</title><h1>Our shop</h1><a href="/hello?name=ann">Hello</a>'
    if (pathname === '/') send(page, request, response)
    else if (pathname === '/hello') send(`<p>${searchParams.get('name')}`, request, response)
    else response.writeHead(404).end('not found')
  }
}
const compressed: Send = (page, _request, response) =>
  response.setHeader('content-encoding', 'gzip').end(gzipSync(page))
const gated: Send = (page, { url = '/', headers }, response) => {
  if (headers.cookie === 'seen=1') response.end(page)
  else response.writeHead(302, { location: url, 'set-cookie': 'seen=1; Path=/' }).end()
}

it.each([
  ['compresses for any client', compressed],
  ['redirects clients without a cookie', gated],
])('reads the pages of a server that %s', async (_, send) => {
  expect(await findOnSite(greeting(send))).toContain('cross-site-scripting-reflected')
})

it('reads the pages of a server that only speaks HTTP/2', async () => {
  const found = await findOnHttp2Site((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://here.invalid')
    response.setHeader('content-type', 'text/html')
    if (pathname === '/hello') response.end(`<p>${searchParams.get('name')}`)
    else response.end('<!doctype html><title>Shop</title><a href="/hello?name=ann">Hello</a>')
  })
  expect(found).toContain('cross-site-scripting-reflected')
})

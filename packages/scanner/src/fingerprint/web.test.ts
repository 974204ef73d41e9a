import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { readWeb } from '#fingerprint/web.ts'
import { createHttpClient } from '#net/http.ts'

const guard = { denialReason: () => null }

async function read(serve: RequestListener, folder?: string) {
  const server = createServer(serve).listen(0, '127.34.2.2')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const http = createHttpClient({ guard })
  const origin = { address: '127.34.2.2', port, tls: false, hostname: 'lab.test' }
  const page = await readWeb(origin, { http, shared: http, signal: AbortSignal.timeout(10_000), paths: [] }, folder)
  await http.close()
  server.close()
  return { own: page?.ownFolder, linked: page?.linkedFolders, hinted: page?.hintedFolders, traces: page?.traces ?? [] }
}
const html = { 'content-type': 'text/html' }

describe('the folder of an application', () => {
  it.each([
    ['/shop/', '/shop/'],
    ['/user/ml/lab?reset', '/user/ml/'],
    ['/login', undefined],
    ['https://other.example/shop/', undefined],
    ['/a/b/c/d/', undefined],
  ])('is where the root redirects to: %s', async (location, own) => {
    const page = await read(({ url }, response) =>
      url === '/' ? response.writeHead(302, { location }).end() : response.end('shop'),
    )
    expect(page.own).toBe(own)
  })

  it.each([
    [`<script>window.location.href = '/ui/'</script>`, '/ui/'],
    [`<body onload="location.replace('/ui/index.html')"><a href="/ui/">Continue</a></body>`, '/ui/'],
    [`<p>${'Welcome to our company. '.repeat(20)}</p><script>if (old) location = '/old/'</script>`, undefined],
    [`<div id="app"></div><script src="/app.js"></script><script>if (old) location = '/old/'</script>`, undefined],
  ])('is where the script of an empty page leads: %s', async (body, own) => {
    const page = await read(({ url }, response) => response.writeHead(200, html).end(url === '/' ? body : 'shop'))
    expect(page.own).toBe(own)
  })

  it('is that of the cookies of a server without a start page', async () => {
    const page = await read((_request, response) =>
      response.writeHead(404, { 'set-cookie': ['a=1; Path=/', 'b=2; HttpOnly; Path=/user/ml'] }).end(),
    )
    expect(page.own).toBe('/user/ml/')
  })
})

describe('folders that a front page links to', () => {
  const linking = (paths: readonly string[]): RequestListener => {
    return (_request, response) =>
      response.writeHead(200, html).end(paths.map((path) => `<a class="x" href="${path}">x</a>`).join(''))
  }

  it('are on the same server', async () => {
    const page = await read(
      linking(['/monitoring/prometheus/', 'munin/', '/terms.html', '//other.example/x/', 'https://other.example/y/']),
    )
    expect(page.linked).toEqual(['/monitoring/prometheus/', '/munin/'])
  })

  it.each([
    ['/grafana', '/grafana/'],
    ['/wiki/index.php?title=Home', '/wiki/'],
    ['/tickets/login', '/tickets/'],
  ])('are those of linked pages: %s', async (link, folder) => {
    expect(await read(linking([link]))).toMatchObject({ linked: [], hinted: [folder] })
  })

  it('are those of frames', async () => {
    const page = await read((_request, response) =>
      response.writeHead(200, html).end('<iframe src="/camera/live.html">'),
    )
    expect(page.hinted).toEqual(['/camera/'])
  })

  it('are those with a slash if many others are linked', async () => {
    const page = await read(linking(['/a', '/b', '/c', '/d', '/e', '/shop/']))
    expect(page).toMatchObject({ linked: ['/shop/'], hinted: [] })
  })

  it('are not followed if there are many', async () => {
    expect((await read(linking(['/a/', '/b/', '/c/', '/d/', '/e/', '/f/']))).linked).toEqual([])
  })
})

describe('traces', () => {
  const bodies = (traces: Awaited<ReturnType<typeof read>>['traces']) =>
    traces.flatMap(({ field, text }) => (field === 'http.body' ? text : [])).join('')

  it('include the error page of a server that has a favicon', async () => {
    const { traces } = await read(({ url }, response) => {
      if (url === '/') response.end('shop')
      else if (url === '/favicon.ico') response.end('icon')
      else response.writeHead(404, html).end('No route')
    })
    expect(bodies(traces)).toContain('No route')
  })

  it.each(['', '<!-- layout -->\n\n'])('include the footer of a long page that starts with "%s"', async (start) => {
    const { traces } = await read((_request, response) =>
      response
        .writeHead(200, html)
        .end(`${start}<!doctype html><p>${'x'.repeat(100_000)}</p><footer>Acme 1.2</footer>`),
    )
    expect(bodies(traces)).toContain('<footer>Acme 1.2</footer>')
  })
})

it('asks for few pages in a folder that requires a password', async () => {
  const seen: string[] = []
  await read(({ url = '' }, response) => {
    seen.push(url)
    response.writeHead(401, { 'www-authenticate': 'Basic realm="admin"' }).end()
  }, '/admin/')
  expect(seen).toEqual([
    '/admin/',
    '/admin/favicon.ico',
    '/admin/version.json',
    '/admin/api/info',
    '/admin/api/v1/info',
  ])
})

it('reads error pages that a missing parameter causes', async () => {
  const page = await read(({ url }, response) =>
    url === '/'
      ? response.writeHead(200, html).end('<form action="/order"><input name="id"></form><a href="/about?page=1">x</a>')
      : response.writeHead(url === '/order' ? 500 : 200, html).end(`error of ${url}`),
  )
  const bodies = page.traces.flatMap(({ field, text }) => (field === 'http.body' ? text : []))
  expect(bodies).toContain('error of /order')
  expect(bodies).not.toContain('error of /about')
})

it('includes the realm of a page that requires authentication', async () => {
  const page = await read(({ url }, response) =>
    url === '/version.json'
      ? response.writeHead(401, { 'www-authenticate': 'Basic realm="shop"', 'x-shop': '1' }).end()
      : response.writeHead(404).end(),
  )
  expect(page.traces).toContainEqual({ field: 'http_header.wwwauth', text: 'Basic realm="shop"' })
  expect(page.traces.some(({ field }) => field === 'http_header.x-shop')).toBe(false)
})

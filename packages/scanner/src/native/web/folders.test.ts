import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'
import { filesOf } from '#native/web/folders.ts'

it('finds one file of each folder that a page uses', () => {
  const html =
    '<link rel="stylesheet" href="/theme/a.css"><script src="theme/b.js"></script><img src="/pics/logo.png?v=2">' +
    '<script src="https://other.example/x/c.js"></script><a href="/docs/d.pdf">d</a><script src="/e.js"></script>'
  expect(filesOf(html, '/')).toEqual(['/theme/b.js', '/pics/logo.png', '/docs/d.pdf'])
})

it.each([
  ['forwards to a path without its prefix', 'nginx/1.22.1', (path: string) => path === '/api../v1/', true],
  ['answers any path in the same way', 'nginx/1.22.1', (path: string) => path.startsWith('/api../'), false],
  ['forwards only below the prefix', 'nginx/1.22.1', () => false, false],
  ['is another server', 'Apache', (path: string) => path === '/api../v1/', false],
])('evaluates a server that %s', async (_, name, isForwarded, expected) => {
  const found = await findOnSite(({ url = '' }, response) => {
    response.setHeader('connection', 'close')
    response.setHeader('server', name)
    if (url === '/') response.end("<script>fetch('/api/orders')</script>")
    else if (url === '/api/' || isForwarded(url)) response.end('{"service":"orders"}')
    else response.writeHead(404).end()
  })
  expect(found.includes('alias-traversal-linked-folder')).toBe(expected)
})

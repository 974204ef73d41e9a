import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

it.each<[string, string, (host: string) => string, boolean]>([
  ['a form', '<a href="/password/forgot">Help</a>', (host) => `<form action="https://${host}/send">`, true],
  ['a link with a telling text', '<a href="/reset">Forgot password?</a>', (host) => `<a href="//${host}/">`, false],
  [
    'a form behind a telling link',
    '<a href="/reset">Forgot password?</a>',
    (host) => `<form action="http://${host}/">`,
    true,
  ],
  [
    'a form behind a link that may reset at once',
    '<a href="/reset">Reset password</a>',
    (host) => `<form action="http://${host}/">`,
    false,
  ],
  ['text', '<a href="/login">Sign in</a>', (host) => `<p>You are visiting ${host}</p>`, false],
  ['another page', '<a href="/products">Products</a>', (host) => `<a href="https://${host}/">`, false],
])('evaluates %s with the forwarded host', async (_, front, page, expected) => {
  const found = await findOnSite(({ url, headers }, response) => {
    response.setHeader('connection', 'close')
    if (url === '/') response.end(front)
    else if (!front.includes(url?.split('?', 1)[0] ?? '')) response.writeHead(404).end()
    else response.end(page(String(headers['x-forwarded-host'] ?? 'shop.example')))
  })
  expect(found.includes('forwarded-host-trusted')).toBe(expected)
})

import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

const page = '<!doctype html><h1>Administration</h1><table><tr><td>Ann Smith</td><td>owner</td></tr></table>'

async function isFound(location: string, body: string): Promise<boolean> {
  const found = await findOnSite(({ url }, response) => {
    if (url === '/') response.writeHead(200, { 'content-type': 'text/html' }).end('<a href="/admin.php">Office</a>')
    else if (url === '/admin.php') response.writeHead(302, { location, 'content-type': 'text/html' }).end(body)
    else response.writeHead(404).end()
  })
  return found.includes('redirect-with-content')
}

it.each([
  ['a page with the redirect to the login', '/login.php', page, true],
  ['a redirect without content', '/login.php', '', false],
  ['the notice of a framework', '/login.php', '<h1>Redirecting…</h1><table><tr><td>Login</td></tr></table>', false],
  [
    'a page without data',
    '/login.php',
    '<!doctype html><h1>Administration</h1><table><tr><td> </td></tr></table>',
    false,
  ],
  ['a redirect to another page', '/shop/', page, false],
])('evaluates %s', async (_, location, body, expected) => {
  expect(await isFound(location, body)).toBe(expected)
})

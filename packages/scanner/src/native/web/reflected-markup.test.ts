import { describe, expect, it } from 'vitest'
import { runsMarkup } from '#native/web/reflected-markup.ts'
import { findOnSite } from '#native/testing/examine.ts'

describe('runsMarkup', () => {
  const html = [['Content-Type', 'text/html; charset=utf-8']] as const
  it.each([
    ['text', '<p>Results for <gab>', html, true],
    ['text after a closed element', '<title>Shop</title><script>1</script><p><gab>', html, true],
    ['escaped text', '<p>Results for &lt;gab&gt;', html, false],
    ['a text area', '<textarea name="q"><gab></textarea>', html, false],
    ['a title', '<title>Search: <gab></title>', html, false],
    ['a comment', '<!-- query: <gab> -->', html, false],
    ['a script', '<script>const q = "<gab>"</script>', html, false],
    ['JSON', '{"q":"<gab>"}', [['Content-Type', 'application/json']] as const, false],
    [
      'a page with a script policy',
      '<p><gab>',
      [...html, ['Content-Security-Policy', "script-src 'self'"] as const],
      false,
    ],
  ])('evaluates %s', (_, body, headers, expected) => {
    expect(runsMarkup({ headers, body }, '<gab>')).toBe(expected)
  })
})

const withoutTags = (text: string) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')

it.each<[string, (text: string) => string, boolean]>([
  ['a double quotation mark', (text) => `<input value="${text}">`, true],
  ['a single quotation mark', (text) => `<input value='${text}'>`, true],
  ['nothing', (text) => `<input value="${text.replaceAll('"', '&quot;')}">`, false],
  ['no quotation mark, but shows the value as text', (text) => `<p>${text}</p>`, false],
])('evaluates a page whose attribute ends with %s', async (_, show, expected) => {
  const found = await findOnSite(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://here.invalid')
    response.setHeader('content-type', 'text/html')
    response.setHeader('connection', 'close')
    if (pathname === '/find') response.end(show(withoutTags(searchParams.get('q') ?? '')))
    else if (pathname === '/') response.end('<form action="/find"><input name="q"></form>')
    else response.writeHead(404).end()
  })
  expect(found.includes('cross-site-scripting-reflected')).toBe(expected)
})

it.each([
  ['an error page', 404, true],
  ['a redirect', 302, false],
])('evaluates %s that shows a parameter', async (_, status, expected) => {
  const found = await findOnSite(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://here.invalid')
    response.setHeader('content-type', 'text/html')
    response.setHeader('connection', 'close')
    if (pathname === '/') response.end('<a href="/topic?name=tea">Tea</a>')
    else response.writeHead(status, { location: '/' }).end(`<p>No topic ${searchParams.get('name') ?? ''}`)
  })
  expect(found.includes('cross-site-scripting-reflected')).toBe(expected)
})

it.each([
  ['as it is', (path: string) => path, true],
  ['escaped', withoutTags, false],
  ['encoded', (path: string) => encodeURI(path), false],
])('evaluates a page for unknown paths that shows the path %s', async (_, show, expected) => {
  const found = await findOnSite(({ url = '' }, response) => {
    response.setHeader('content-type', 'text/html')
    response.setHeader('connection', 'close')
    if (url === '/') response.end('<h1>Shop</h1>')
    else response.writeHead(404).end(`<h1>Not found</h1><p>No page ${show(decodeURIComponent(url))}`)
  })
  expect(found.includes('cross-site-scripting-reflected')).toBe(expected)
})

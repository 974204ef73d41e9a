import type { RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

const page =
  '<!doctype html><title>Shop</title><h1>Previews of pages that our customers link to in their comments</h1>' +
  '<a href="/hello?name=ann">Hello</a><form action="/preview"><input type="url" name="page_url"></form>'

/** A server with a page for each parameter. */
function serve(hello: (name: string) => string, preview: (url: string) => Promise<string>): RequestListener {
  return ({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://here.invalid')
    response.setHeader('content-type', 'text/html')
    response.setHeader('connection', 'close')
    if (pathname === '/') return void response.end(page)
    if (pathname === '/hello') return void response.end(hello(searchParams.get('name') ?? ''))
    if (pathname === '/preview')
      return void preview(searchParams.get('page_url') ?? '').then((text) => response.end(text))
    response.writeHead(404).end('not found')
  }
}

const multiplied = (opening: string, text: string) =>
  text.replaceAll(
    new RegExp(String.raw`${opening}=?(\d+)\*(\d+)(?:\}\}|\}|%>)`, 'g'),
    (_, left: string, right: string) => String(Number(left) * Number(right)),
  )
const rejected = () => Promise.resolve('This host is not allowed.')
const fetched = async (url: string) => {
  try {
    return await (await fetch(url)).text()
  } catch (error) {
    return String(error instanceof Error ? error.cause : error)
  }
}

it.each([
  ['expressions in braces', (name: string) => multiplied(String.raw`\{\{`, name), true],
  ['expressions in tags', (name: string) => multiplied('<%', name), true],
  ['none, but repeats the value', (name: string) => name, false],
  ['none, and shows numbers', (name: string) => `${name} ${[...Array(2000).keys()].join('')}`, false],
])('evaluates a template engine that computes %s', async (_, hello, expected) => {
  expect((await findOnSite(serve(hello, rejected))).includes('template-injection')).toBe(expected)
})

it.each([
  ['requests the URL', fetched, true],
  ['requests the URL, and hides errors', async (url: string) => (url.includes(':3/') ? 'failed' : fetched(url)), true],
  [
    'requests the URL, hides errors, and returns JSON',
    async (url: string) => (url.includes(':3/') ? 'failed' : JSON.stringify({ text: await fetched(url) })),
    true,
  ],
  [
    'requests the URL, with the errors of a Python client',
    async (url: string) => (url.includes(':3/') ? 'All connection attempts failed' : 'fetched'),
    true,
  ],
  ['rejects the URL', rejected, false],
  ['repeats the URL', (url: string) => Promise.resolve(url), false],
  ['returns its start page for any URL', () => Promise.resolve(page), false],
  ['can never connect', () => Promise.resolve('connection refused'), false],
])('evaluates a server that %s', async (_, preview, expected) => {
  const found = await findOnSite(serve((name) => name.replaceAll('<', '&lt;'), preview))
  expect(found.includes('server-side-request-forgery')).toBe(expected)
})

const decoded = (text: string) =>
  text.replaceAll(/\$\{base64Decoder:([^}]*)\}/g, (_, encoded: string) => Buffer.from(encoded, 'base64').toString())
const resolved = (text: string) => text.replaceAll(/\$\{dns:address\|([^}]*)\}/g, '$1')

it.each<[string, (name: string) => string, readonly string[]]>([
  ['decodes text and resolves addresses', (name) => resolved(decoded(name)), ['template-injection', 'CVE-2022-42889']],
  ['only decodes text', decoded, ['template-injection']],
  ['removes the lookup of an address', resolved, []],
])('evaluates an interpolation that %s', async (_, hello, expected) => {
  const found = await findOnSite(serve(hello, rejected))
  expect(found.filter((id) => /^(?:template|CVE)/.test(id)).toSorted()).toEqual([...expected].toSorted())
})

it.each<[string, string, (url: string) => Promise<string>, boolean]>([
  ['requests it', '<form><input name="url"></form>', fetched, true],
  ['requests it, and the script names the folder', '<script>go("/web/proxy/")</script>', fetched, true],
  ['rejects it', '<form><input name="url"></form>', rejected, false],
  ['repeats it', '<form><input name="url"></form>', (url) => Promise.resolve(url), false],
  ['requests it, but neither has a URL nor names the folder', '<form><input name="q"></form>', fetched, false],
])('evaluates a server with a URL after a folder that %s', async (_, form, answer, expected) => {
  const found = await findOnSite(({ url = '' }, response) => {
    const [, target] = /^\/(?:web\/)?proxy\/(http.*)/.exec(url) ?? []
    response.writeHead(200, { 'content-type': 'text/html', connection: 'close' })
    if (target === undefined) response.end(`<title>Proxy</title>${form}`)
    else void answer(target).then((text) => response.end(text))
  })
  expect(found.includes('server-side-request-forgery')).toBe(expected)
})

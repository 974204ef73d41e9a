import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { runNativeChecks } from '#native/testing/examine.ts'
import { sampleIn } from '#native/web/xml-endpoints.ts'

const release = 'PRETTY_NAME="Example Linux 1"\nID=example\n'
const script = `<script>fetch('/api/quote', { method: 'POST', headers: { 'Content-Type': 'application/xml' }, body: '<order><item>bolt</item><count>2</count></order>' })</script>`
const form = `<form method="post" action="/quote"><textarea name="xml" placeholder="Your XML"></textarea></form>`

type Parser = (document: string) => string
/** Replaces entities like a parser that reads files. */
const resolves: Parser = (document) => {
  const [, file = ''] = /<!ENTITY glacis SYSTEM "file:\/\/([^"]{1,100})">/.exec(document) ?? []
  const content = file === '/etc/os-release' ? release : undefined
  if (content === undefined) return `failed to load external entity "file://${file}"`
  return `Unknown item ${/<item>([^<]{0,40})/.exec(document.replaceAll('&glacis;', content))?.[1]}`
}
const ignores: Parser = () => 'Unknown item'
const forbids: Parser = (document) =>
  `Item not found. ${' '.repeat(200)} EntitiesForbidden(system_id='${/"file:([^"]{1,99})"/.exec(document)?.[1]}')`
const repeats: Parser = (document) => `not found: ${document}`
const fails: Parser = (document) => (document.includes('os-release') ? 'count is not a number' : resolves(document))

async function find(page: string, parse: Parser, permissions: readonly 'writes'[] = []) {
  const received: string[] = []
  const server = createServer((request: IncomingMessage, response) => {
    response.setHeader('connection', 'close')
    if (request.method !== 'POST') response.writeHead(request.url === '/' ? 200 : 404).end(`<!doctype html>${page}`)
    else
      void text(request).then((body) => {
        const document = body.startsWith('xml=') ? decodeURIComponent(body.slice(4)) : body
        if (document.includes('<!DOCTYPE')) received.push(request.url ?? '')
        response.end(parse(document))
      })
  }).listen(0, '127.67.3.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  try {
    const { found } = await runNativeChecks({ port }, { protocol: 'http' }, permissions)
    return { isFound: found.includes('xml-external-entities'), received }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

it.each<[string, string, Parser, boolean]>([
  ['reads the file of an entity in a call', script, resolves, true],
  ['reads the file of an entity in a form', form, fails, true],
  ['names the missing file of an entity', script, fails, true],
  ['ignores entities', script, ignores, false],
  ['rejects the entity with its name', script, forbids, false],
  ['repeats the document', script, repeats, false],
])('evaluates a parser that %s', async (_, page, parse, expected) => {
  expect((await find(page, parse)).isFound).toBe(expected)
})

it('sends documents to the preview of an import', async () => {
  expect((await find(script.replace('/api/quote', '/api/import/preview'), resolves)).isFound).toBe(true)
})

it('sends documents that may be stored only with permission', async () => {
  const page = script.replace('/api/quote', '/api/orders')
  expect(await find(page, resolves)).toEqual({ isFound: false, received: [] })
  expect((await find(page, resolves, ['writes'])).isFound).toBe(true)
})

it.each([
  ['<pre>&lt;order&gt;&lt;id&gt;1&lt;/id&gt;&lt;/order&gt;</pre>', '<order><id>1</id></order>'],
  ['send("<?xml version=\'1.0\'?><a:order><id>1</id></a:order>")', '<a:order><id>1</id></a:order>'],
  ['<table><tr><td>1</td></tr></table>', undefined],
])('finds the XML document in %s', (page, expected) => {
  expect(sampleIn(page)).toBe(expected)
})

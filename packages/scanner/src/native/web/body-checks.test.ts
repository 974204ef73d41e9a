import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { runNativeChecks } from '#native/testing/examine.ts'

const checks = [
  'command-injection',
  'path-traversal-linked-parameter',
  'server-side-request-forgery',
  'sql-injection-error',
  'template-injection',
]
const call = (path: string, members: string) =>
  `<script>fetch('${path}', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ ${members} }) })</script>`

type Answer = (body: Readonly<Record<string, unknown>>) => string

/** Findings on a site with one page, and the paths that received a POST request. */
async function examine(page: string, answer: Answer, description?: unknown, technologies: readonly string[] = []) {
  const posted = new Set<string>()
  const server = createServer((request, response) => {
    response.setHeader('connection', 'close')
    const { url = '' } = request
    if (url === '/openapi.json' && description !== undefined) response.end(JSON.stringify(description))
    else if (/graphql|mcp/.test(url)) response.writeHead(404).end()
    else if (request.method !== 'POST') response.writeHead(url === '/' ? 200 : 404).end(`<!doctype html>${page}`)
    else
      void text(request).then((body) => {
        posted.add(url)
        const isJson = request.headers['content-type'] === 'application/json'
        response.end(answer(isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))))
      })
  }).listen(0, '127.67.3.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const named = technologies.map((product) => ({ name: product, wfn: { vendor: '', product }, quality: 100 }))
  try {
    const { found } = await runNativeChecks({ port }, { protocol: 'http', technologies: named as never }, [])
    return { found: found.filter((id) => checks.includes(id)), posted: [...posted] }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const runsShell: Answer = ({ host }) => {
  const [, left, right] = /;expr (\d+) - (\d+);/.exec(String(host)) ?? []
  return left === undefined ? 'unknown host' : String(Number(left) - Number(right))
}
const endsStatement: Answer = ({ q }) =>
  String(q).includes("'") ? `SQLITE_ERROR: near "${String(q)}": syntax error` : '[]'
const fetches: Answer = ({ url }) =>
  JSON.stringify(String(url).endsWith(':3/') ? { error: 'connect ECONNREFUSED 127.67.3.1:3' } : { status: 200 })
const renders: Answer = ({ text: template }) =>
  String(template).replace(/\{\{(\d+)\*(\d+)\}\}/, (_, left, right) => String(left * right))
const opens: Answer = ({ file }) =>
  String(file).endsWith('etc/passwd') ? 'root:x:0:0:root:/root:/bin/sh\n' : 'no such file'

it.each<[string, string, Answer, string]>([
  ['a ping', call('/api/diagnostics/ping', 'host: name'), runsShell, 'command-injection'],
  ['a search', call('/api/search', 'q, limit: 20'), endsStatement, 'sql-injection-error'],
  ['the test of a webhook', call('/api/hooks/test', 'url: hook.url'), fetches, 'server-side-request-forgery'],
  ['a preview', call('/mails/preview', "text: 'Dear customer'"), renders, 'template-injection'],
  ['a conversion', call('/convert', 'file: name, to: "pdf"'), opens, 'path-traversal-linked-parameter'],
  [
    'a form',
    `<form method="post" action="/tools"><input name="host"><button>Ping</button></form>`,
    runsShell,
    'command-injection',
  ],
  ['a call of a library', `<script>axios.post('/api/lookup', { host })</script>`, runsShell, 'command-injection'],
])('tests the parameters of %s', async (_, page, answer, expected) => {
  expect((await examine(page, answer)).found).toEqual([expected])
  expect((await examine(page, () => 'done')).found).toEqual([])
})

it('tests the parameters of an operation that is described', async () => {
  const schemas = { Ping: { type: 'object', properties: { count: { type: 'integer' }, host: { type: 'string' } } } }
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Ping' } } }
  const post = { requestBody: { content } }
  const description = { openapi: '3.0.0', components: { schemas }, paths: { '/ping': { post }, '/orders': { post } } }
  const answer: Answer = (body) => (body['count'] === 1 ? runsShell(body) : 'invalid')
  expect(await examine('', answer, description)).toEqual({ found: ['command-injection'], posted: ['/ping'] })
})

it.each([
  ['stores something', call('/api/orders', 'item: 1, note')],
  ['sends something', call('/api/search/send', 'q')],
  ['sends an email', call('/api/quote', 'email, text')],
  ['signs in', `<form method="post" action="/check"><input name="user"><input name="key" type="password"></form>`],
  ['saves a setting', `<form method="post" action="/ping"><input name="host"><button>Save</button></form>`],
])('sends nothing to an operation that %s', async (_, page) => {
  expect((await examine(page, runsShell)).posted).toEqual([])
})

it('sends nothing to a document store', async () => {
  const page = call('/articles/search', 'q')
  expect((await examine(page, () => '[]', undefined, ['elasticsearch'])).posted).toEqual([])
})

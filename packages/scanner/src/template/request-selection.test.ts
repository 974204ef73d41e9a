/**
 * Which requests are sent to a service, and which matches are accepted, depending on the identified
 * products.
 */
import { expect, it } from 'vitest'
import { serveSite, summary } from '#template/testing/site.ts'

it('does not accept a generic match on the front page for an unidentified product', async () => {
  const check = `id: dollar
info: { name: Dollar, severity: info, tags: "tech,wordpress" }
http:
  - method: POST
    path: ["{{BaseURL}}/"]
    body: "query $"
    matchers: [{ type: word, words: ["Syntax Error: $"] }]
`
  await using site = await serveSite('127.66.3.1', (request, response) =>
    request.method === 'POST' ? response.end(`Syntax Error: ${request.text.slice(-1)}`) : response.writeHead(404).end(),
  )
  expect(summary(await site.run(check)).found).toEqual([])
  expect(summary(await site.run(check, { technologies: ['WordPress'] })).found).toEqual(['dollar /'])
})

it('runs the checks of a runtime that the headers suggest', async () => {
  const [check, ...others] = Array.from({ length: 301 }, (_, at) => forNode(at))
  await using site = await serveSite('127.66.3.2', (request, response) =>
    request.url === '/secret0' ? response.end('here it is') : response.writeHead(404).end(),
  )
  const observations = await site.run([check ?? '', ...others], { profile: 'standard' })
  expect(summary(observations).found).toEqual(['secret0 /secret0'])
})

it('sends documents to a store only for the checks of that store', async () => {
  const checks = ['elasticsearch', 'mopidy'].flatMap((product) => [
    `id: ${product}-body\ninfo: { name: a, severity: low, tags: ${product} }\nhttp:\n  - method: POST\n    path: ["{{BaseURL}}/${product}/rpc"]\n    body: '{}'\n    matchers: [{ type: word, words: ["here it is"] }]\n`,
    `id: ${product}-raw\ninfo: { name: a, severity: low, tags: ${product} }\nhttp:\n  - raw: ["@timeout: 5s\\nPUT /${product}/raw HTTP/1.1\\nHost: {{Hostname}}\\n\\n{}"]\n    matchers: [{ type: word, words: ["here it is"] }]\n`,
  ])
  const others = Array.from({ length: 301 }, (_, at) => forNode(at))
  await using site = await serveSite('127.66.3.3', (_, response) => response.writeHead(404).end())
  const sent = () => new Set(site.asked.filter((line) => /^(?:POST|PUT) \/(?:elasticsearch|mopidy)/.test(line)))
  await site.run([...checks, ...others], { profile: 'standard', technologies: ['Elasticsearch'] })
  expect([...sent()].toSorted()).toEqual(['POST /elasticsearch/rpc {}', 'PUT /elasticsearch/raw {}'])
  await site.run([...checks, ...others], { profile: 'standard', technologies: ['nginx'] })
  expect(sent()).toContain('POST /mopidy/rpc {}')
})

function forNode(at: number): string {
  const product = at === 0 ? 'node.js' : 'acme'
  const matchers = 'matchers: [{ type: word, words: ["here it is"] }]'
  return `id: secret${at}\ninfo: { name: a, severity: low, metadata: { product: ${product} } }\nhttp:\n  - path: ["{{BaseURL}}/secret${at}"]\n    ${matchers}\n`
}

import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createHttpClient } from '#net/http.ts'
import { appliesToService } from '#template/network.ts'
import { parseTemplate } from '#template/parse.ts'
import { runChecks } from '#template/run.ts'
import { summary, templateOf } from '#template/testing/site.ts'

function templateWith(tags: string) {
  const source = `id: demo
info:
  name: Demo
  author: lab
  severity: low
  metadata: { glacis-protocol: ldap }
  tags: ${tags}
tcp:
  - inputs: [{ data: "x" }]
    host: ["{{Hostname}}"]
    port: 389
    matchers: [{ type: word, words: [x] }]
`
  const parsed = parseTemplate('demo.yaml', source)
  if (!('network' in parsed)) throw new Error('The template was rejected')
  return parsed
}

it.each([
  ['ldap,cleartext', false, true],
  ['ldap,cleartext', true, false],
  ['ldap,unauth', true, true],
] as const)('applies a check with the tags %s to a service with TLS %s: %s', (tags, tls, expected) => {
  const template = templateWith(tags)
  const [block] = template.network
  expect(block && appliesToService(template, block, { port: 10_389, protocol: 'ldap', tls })).toBe(expected)
})

it('runs the checks for a service first, then those for others concurrently', async () => {
  const others = ['a', 'b', 'c', 'd', 'e']
  const waiting: Socket[] = []
  await using server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      if (data.toString() === 'own') return socket.end('answer')
      // Nobody gets an answer before all have asked.
      if (waiting.push(socket) === others.length) for (const each of waiting) each.end('answer')
      return undefined
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number } // it listens on a port
  const check = (id: string, metadata: string) =>
    templateOf(`id: ${id}
info: { name: Demo, author: lab, severity: low, tags: network, metadata: ${metadata} }
tcp:
  - inputs: [{ data: ${id} }]
    host: ["{{Hostname}}"]
    port: 1
    matchers: [{ type: word, words: [answer] }]
`)
  const templates = [...others.map((id) => check(id, '{}')), check('own', '{ glacis-protocol: demo }')]
  const service = { port, transport: 'tcp', protocol: 'demo', tls: false, banner: '', technologies: [] } as const
  const target = { address: '127.0.0.1', hostname: '127.0.0.1', basePath: '/', services: [service] }
  const guard = { denialReason: () => null }
  const http = createHttpClient({ guard })
  const signal = AbortSignal.timeout(20_000)
  const budget = { take: async () => undefined }
  const tools = { http, guard, signal, budget, profile: 'deep', isExhaustive: true } as const
  const observations = []
  for await (const item of runChecks(target, { templates }, tools)) observations.push(item)
  await http.close()
  const found = summary(observations).found.map((item) => item.trim())
  expect([found[0], found.toSorted()]).toEqual(['own', [...others, 'own']])
})

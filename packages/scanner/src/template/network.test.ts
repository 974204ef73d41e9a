import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { expect, it } from 'vitest'
import { createHttpClient } from '#net/http.ts'
import { appliesToService } from '#template/network.ts'
import { parseTemplate } from '#template/parse.ts'
import { runChecks } from '#template/run.ts'
import { certificateFor } from '#template/testing/certificate.ts'
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

/** An FTP server that only accepts logins inside TLS. */
function ftp(socket: Socket, user: string) {
  const { key, cert } = certificateFor({ name: 'files.lab.test' })
  const talk = (received: Buffer) => {
    const text = received.toString('latin1')
    if (!text.startsWith('AUTH')) return socket.end('421 Cleartext sessions are not accepted, use TLS\r\n')
    socket.off('data', talk)
    socket.write('234 AUTH TLS OK\r\n')
    const inside = new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => undefined)
    return inside.on('data', (line: Buffer) =>
      inside.write(line.toString('latin1') === `USER ${user}\r\n` ? '230 Logged in\r\n' : '530 Denied\r\n'),
    )
  }
  socket.on('error', () => undefined)
  socket.on('data', talk)
  socket.write('220 Files\r\n')
}

it.each([
  ['anonymous', 'unauth', ['login']],
  ['ann', 'unauth', []],
  ['anonymous', 'unauth,cleartext', []],
])('repeats a rejected check after STARTTLS if %s may log in and the tags are %s', async (user, tags, expected) => {
  await using server = createServer((socket) => ftp(socket, user)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number } // it listens on a port
  const template = templateOf(`id: login
info: { name: Demo, author: lab, severity: low, tags: "${tags}", metadata: { glacis-protocol: ftp } }
tcp:
  - inputs:
      - read: 1024
      - data: "USER anonymous\\r\\n"
        read: 1024
    host: ["{{Hostname}}"]
    port: 21
    matchers-condition: and
    matchers:
      - { type: word, words: ["230 Logged in"] }
      - { type: word, words: ["220 Files"] }
`)
  expect(await foundOn({ port, protocol: 'ftp' }, [template])).toEqual(expected)
})

async function foundOn(
  service: { readonly port: number; readonly protocol: string },
  templates: Parameters<typeof runChecks>[1]['templates'],
  isExhaustive = false,
): Promise<string[]> {
  const services = [{ ...service, transport: 'tcp', tls: false, banner: '', technologies: [] } as const]
  const target = { address: '127.0.0.1', hostname: '127.0.0.1', basePath: '/', services }
  const guard = { denialReason: () => null }
  const http = createHttpClient({ guard })
  const signal = AbortSignal.timeout(20_000)
  const budget = { take: async () => undefined }
  const tools = { http, guard, signal, budget, profile: 'deep', isExhaustive } as const
  const observations = []
  for await (const item of runChecks(target, { templates }, tools)) observations.push(item)
  await http.close()
  return summary(observations).found.map((item) => item.trim())
}

it('runs the checks for a service first, then those for others concurrently', async () => {
  const others = ['a', 'b', 'c', 'd', 'e']
  const waiting: Socket[] = []
  await using server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      if (data.toString() === 'own') return socket.end('answer')
      // No check gets an answer before all have sent their request.
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
  const found = await foundOn({ port, protocol: 'demo' }, templates, true)
  expect([found[0], found.toSorted()]).toEqual(['own', [...others, 'own']])
})

it.each([
  ['greets but never answers', 'smtp', 2, ''],
  ['answers', 'smtp', 3, 'no\r\n'],
  ['greets but never answers, and is unidentified', '', 3, ''],
])(
  'runs the checks of a service that %s (%s): %i of 3',
  async (_what, protocol, connections, answer) => {
    let count = 0
    await using server = createServer((socket) => {
      count++
      socket.on('error', () => undefined)
      socket.on('data', () => void socket.write(answer))
      socket.write('220 Mail\r\n')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number } // it listens on a port
    const check = (id: string) =>
      templateOf(`id: ${id}
info: { name: Demo, author: lab, severity: low, tags: network, metadata: { glacis-protocol: smtp } }
tcp:
  - inputs: [{ read: 100 }, { data: "HELO\\r\\n", read: 100 }]
    host: ["{{Hostname}}"]
    port: ${protocol === '' ? port : 25}
    matchers: [{ type: word, words: ["250 "] }]
`)
    expect(await foundOn({ port, protocol }, ['a', 'b', 'c'].map(check))).toEqual([])
    expect(count).toBe(connections)
  },
  30_000,
)

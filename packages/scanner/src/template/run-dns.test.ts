import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Observation } from '@glacis/contract/runner'
import { expect, it } from 'vitest'
import { createHttpClient } from '#net/http.ts'
import { readMessage } from '#net/resolver.ts'
import { runChecks } from '#template/run.ts'
import { summary, templateOf } from '#template/testing/site.ts'

const address = '127.66.8.1'
const check = `id: dangling
info: { name: a, severity: info }
dns:
  - name: "{{FQDN}}"
    type: CNAME
    matchers:
      - { type: word, words: [NOERROR] }
      - { type: dsl, dsl: ['contains(cname, "gone.test")'] }
    matchers-condition: and
`

/** Answers each query with one alias, or not at all. */
async function resolver(
  alias: string | null,
): Promise<{ readonly at: string; readonly requests: string[]; close(): void }> {
  const requests: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (message, { port, address: from }) => {
    requests.push(readMessage(message)?.question.name ?? '')
    if (alias === null) return
    const labels = alias.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)])
    const data = Buffer.concat([...labels, Buffer.from([0])])
    const head = Buffer.from(message)
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(1, 6)
    const record = Buffer.from([0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, data.length])
    socket.send(Buffer.concat([head, record, data]), port, from)
  })
  socket.bind(0, address)
  await once(socket, 'listening')
  return { at: `${address}:${socket.address().port}`, requests, close: () => socket.close() }
}

async function run(source: string, hostname: string, resolvers: readonly string[]): Promise<readonly Observation[]> {
  const guard = { denialReason: () => null }
  const http = createHttpClient({ guard })
  const signal = AbortSignal.timeout(20_000)
  const tools = { http, guard, signal, profile: 'gentle', budget: { take: async () => undefined }, resolvers } as const
  const observations: Observation[] = []
  const target = { address, hostname, basePath: '/', services: [] }
  for await (const observation of runChecks(target, { templates: [templateOf(source)] }, tools))
    observations.push(observation)
  await http.close()
  return observations
}

it("queries the target's name once and matches the response", async () => {
  const server = await resolver('gone.test')
  const observations = await run(check, 'www.lab.test', [server.at])
  server.close()
  expect(summary(observations)).toEqual({ found: ['dangling dns'], covered: ['dangling'] })
  expect(server.requests).toEqual(['www.lab.test.'])
})

it('sends no queries for an address or for other names', async () => {
  const server = await resolver('gone.test')
  const byAddress = await run(check, address, [server.at])
  const ofOthers = await run(check.replace('{{FQDN}}', 'other.test'), 'www.lab.test', [server.at])
  server.close()
  expect([...byAddress, ...ofOthers]).toEqual([])
  expect(server.requests).toEqual([])
})

it.each([
  ['too short', [0, 1]],
  ['a name with a compression loop', [0, 1, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1]],
  ['missing announced answers', [0, 1, 0x81, 0x80, 0, 0, 0, 9, 0, 0, 0, 0]],
])('ignores a message that is %s', (_name, bytes) => {
  expect(readMessage(Buffer.from(bytes))).toBeUndefined()
})

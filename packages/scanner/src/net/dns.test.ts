import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { decode, encode } from 'dns-packet'
import { expect, it } from 'vitest'
import { resolveName } from '#net/dns.ts'

const address = '127.83.1.3'
const signal = AbortSignal.timeout(15_000)

it('queries the given resolver instead of the operating system', async () => {
  const server = createSocket('udp4')
  server.on('message', (message, peer) => {
    const { id, questions = [] } = decode(message)
    const [question] = questions
    const answers =
      question?.type === 'A' && question.name === 'lab.test'
        ? [{ type: 'A' as const, name: question.name, ttl: 1, data: '127.83.1.4' }]
        : []
    server.send(encode({ id: id ?? 0, type: 'response', questions, answers }), peer.port, peer.address)
  })
  server.bind(0, address)
  await once(server, 'listening')
  const servers = [`${address}:${server.address().port}`]
  const addresses = await resolveName('lab.test', { signal, servers })
  const missing = await resolveName('other.test', { signal, servers })
  server.close()
  expect(addresses).toEqual({ kind: 'addresses', addresses: ['127.83.1.4'] })
  expect(missing).toEqual({ kind: 'failure', reason: `other.test could not be resolved at ${servers[0]}` })
})

import { expect, it } from 'vitest'
import { loadPacks, scan } from '#index.ts'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Observation } from '@glacis/contract/runner'

const packs = await loadPacks({
  fingerprints: [new URL('../../../packs/fingerprints', import.meta.url).pathname],
  checks: [new URL('./testing/checks', import.meta.url).pathname],
  native: false,
})

async function datagramServer(address: string, port: number, answer: (said: Buffer) => string | null) {
  const socket = createSocket('udp4')
  socket.on('message', (said, from) => {
    const reply = answer(said)
    if (reply !== null) socket.send(Buffer.from(reply, 'latin1'), from.port, from.address)
  })
  socket.bind(port, address)
  await once(socket, 'listening')
  return { address, [Symbol.dispose]: () => void socket.close() }
}

async function observe(address: string, ports: number[], deny: string[] = []): Promise<Observation[]> {
  const seen: Observation[] = []
  const job = { hosts: [{ address }], ports, allow: ['127.67.0.0/16'], deny }
  for await (const one of scan(job, { packs, signal: new AbortController().signal })) seen.push(one)
  return seen
}

it('finds a host that answers by UDP alone, and names what it says', async () => {
  const talk = (said: Buffer) =>
    said.includes('version') ? `${said.subarray(0, 8).toString('latin1')}VERSION 1.6.18\r\n` : null
  using server = await datagramServer('127.67.2.1', 11_211, talk)
  const seen = await observe(server.address, [11_211])
  expect(seen).toContainEqual(
    expect.objectContaining({ kind: 'host', reached: true, reason: 'port 11211/udp answers' }),
  )
  expect(seen).toContainEqual(
    expect.objectContaining({ kind: 'service', transport: 'udp', protocol: 'memcached', port: 11_211 }),
  )
  expect(seen.filter((one) => one.kind === 'technology')).toMatchObject([
    { transport: 'udp', wfn: { product: 'memcached', version: '1.6.18' } },
  ])
})

it('takes nonsense for no service', async () => {
  using server = await datagramServer('127.67.2.2', 5300, () => 'hello')
  expect((await observe(server.address, [5300])).filter((one) => one.kind === 'service')).toEqual([])
})

it('sends nothing to what is excluded', async () => {
  let asked = 0
  using server = await datagramServer('127.67.2.3', 5060, () => {
    asked++
    return 'SIP/2.0 200 OK\r\n'
  })
  await observe(server.address, [5060], ['127.67.2.3:5060'])
  expect(asked).toBe(0)
  expect((await observe(server.address, [5060])).filter((one) => one.kind === 'service')).toMatchObject([
    { protocol: 'sip' },
  ])
})

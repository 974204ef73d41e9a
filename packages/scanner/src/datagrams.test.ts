import { describe, expect, it } from 'vitest'
import { loadPacks, scan } from '#index.ts'
import { mayListen } from '#testing/loopback.ts'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { Observation } from '@glacis/contract/runner'

const packs = await loadPacks({
  fingerprints: [new URL('../../../packs/fingerprints', import.meta.url).pathname],
  checks: [new URL('./testing/checks', import.meta.url).pathname],
  native: false,
})

async function datagramServer(address: string, port: number, respond: (received: Buffer) => string | null) {
  const socket = createSocket('udp4')
  socket.on('message', (received, from) => {
    const reply = respond(received)
    if (reply !== null) socket.send(Buffer.from(reply, 'latin1'), from.port, from.address)
  })
  socket.bind(port, address)
  await once(socket, 'listening')
  return { address, [Symbol.dispose]: () => void socket.close() }
}

async function observe(address: string, ports: number[], deny: string[] = []): Promise<Observation[]> {
  const observations: Observation[] = []
  const job = { hosts: [{ address }], ports, allow: ['127.67.0.0/16'], deny }
  for await (const observation of scan(job, { packs, signal: new AbortController().signal }))
    observations.push(observation)
  return observations
}

it('finds a host with UDP services only and identifies them', async () => {
  const talk = (received: Buffer) =>
    received.includes('version') ? `${received.subarray(0, 8).toString('latin1')}VERSION 1.6.18\r\n` : null
  using server = await datagramServer('127.67.2.1', 11_211, talk)
  const observations = await observe(server.address, [11_211])
  expect(observations).toContainEqual(
    expect.objectContaining({ kind: 'host', reached: true, reason: 'response on port 11211/udp' }),
  )
  expect(observations).toContainEqual(
    expect.objectContaining({ kind: 'service', transport: 'udp', protocol: 'memcached', port: 11_211 }),
  )
  expect(observations.filter((observation) => observation.kind === 'technology')).toMatchObject([
    { transport: 'udp', wfn: { product: 'memcached', version: '1.6.18' } },
  ])
})

it('ignores invalid responses', async () => {
  using server = await datagramServer('127.67.2.2', 5300, () => 'hello')
  expect((await observe(server.address, [5300])).filter((one) => one.kind === 'service')).toEqual([])
})

it('reads the User-Agent of a SIP response like Server', async () => {
  using server = await datagramServer(
    '127.67.2.4',
    5080,
    () => 'SIP/2.0 200 OK\r\nUser-Agent: FreeSWITCH-mod_sofia/1.10.7-release~64bit\r\n\r\n',
  )
  expect((await observe(server.address, [5080])).filter((one) => one.kind === 'technology')).toMatchObject([
    { wfn: { vendor: 'freeswitch', product: 'freeswitch', version: '1.10.7' } },
  ])
})

it('sends nothing to excluded addresses', async () => {
  let requests = 0
  using server = await datagramServer('127.67.2.3', 5060, () => {
    requests++
    return 'SIP/2.0 200 OK\r\n'
  })
  await observe(server.address, [5060], ['127.67.2.3:5060'])
  expect(requests).toBe(0)
  expect((await observe(server.address, [5060])).filter((one) => one.kind === 'service')).toMatchObject([
    { protocol: 'sip' },
  ])
})

const latin1 = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex').toString('latin1')
/** Returns a GetResponse with sysDescr.0 for community `public`, otherwise an engine report. */
const snmp = (received: Buffer) =>
  received.includes('public')
    ? latin1('3043 020101 0406 7075626c6963 a236 0204474c4143 020100 020100 3028 3026 06082b06010201010100 041a') +
      'Linux lab 6.1.0-28-amd64 #1'
    : latin1('3020 020103 300f 02024743 020300ffe3 040100 020103 0410 0410 80001f8880a1b2c3d4e5f60718')
const version = latin1(
  '8580 0001 0001 0000 0000 07 76657273696f6e 04 62696e64 00 0010 0003 c00c 0010 0003 00000000 0007 06',
)
const variables = 'version="ntpd 4.2.8p15@1.3728-o", processor="x86_64"'

/** Response of each protocol and the expected product names. */
const table: readonly (readonly [string, number, (received: Buffer) => string | null, readonly string[]])[] = [
  ['dns', 5300, (received) => `${received.toString('latin1', 0, 2)}${version}9.18.1`, ['isc:bind:9.18.1']],
  ['snmp', 161, snmp, ['net-snmp:net-snmp:*', 'linux:linux_kernel:*']],
  [
    'ntp',
    123,
    (received) =>
      received[0] === 0x16 ? latin1('1682 0001 0000 0000 0000 0000') + variables : `\x24${'\0'.repeat(47)}`,
    ['ntp:ntp:4.2.8'],
  ],
  ['tftp', 69, () => '\0\x05\0\x01File not found\0', []],
  [
    'memcached',
    11_211,
    (received) => `${received.toString('latin1', 0, 8)}VERSION 1.6.18\r\n`,
    ['memcached:memcached:1.6.18'],
  ],
  ['mdns', 5353, () => latin1('0000 8400 0000 0001 0000 0000 05 6c6162'), []],
  [
    'sip',
    5060,
    () => 'SIP/2.0 200 OK\r\nServer: Asterisk PBX 18.10.0\r\nContent-Length: 0\r\n\r\n',
    ['digium:asterisk:18.10.0'],
  ],
]

it('recognizes a resolver that only answers questions of class IN', async () => {
  const localhost = latin1(
    '0001 0001 0000 0000 09 6c6f63616c686f7374 00 0001 0001 c00c 0001 0001 000a0000 0004 7f000001',
  )
  using server = await datagramServer('127.67.2.9', 5300, (received) =>
    received.includes('localhost') ? `${received.toString('latin1', 0, 2)}\u0081\u0080${localhost}` : null,
  )
  const observations = await observe(server.address, [5300])
  expect(observations.filter((one) => one.kind === 'technology')).toMatchObject([
    { transport: 'udp', wfn: { vendor: 'd.j.bernstein', product: 'djbdns' } },
  ])
})

describe('UDP probes', () => {
  // SNMP, NTP, and TFTP use privileged ports; they are skipped without permission to bind them.
  it.each(table.filter(([, port]) => mayListen(port)))('%s', async (protocol, port, talk, names) => {
    using server = await datagramServer(`127.70.4.${1 + table.findIndex(([one]) => one === protocol)}`, port, talk)
    const observations: Observation[] = []
    const job = { hosts: [{ address: server.address }], ports: [port], allow: ['127.70.4.0/24'] }
    for await (const observation of scan(job, { packs, signal: AbortSignal.timeout(20_000) }))
      observations.push(observation)
    expect(observations).toContainEqual(expect.objectContaining({ kind: 'service', transport: 'udp', protocol, port }))
    const named = observations.flatMap((observation) =>
      observation.kind === 'technology'
        ? `${observation.wfn.vendor}:${observation.wfn.product}:${observation.wfn.version}`
        : [],
    )
    expect(named.toSorted()).toEqual(names.toSorted())
  })
})

describe('OpenVPN', () => {
  const reset = latin1('40 0102030405060708 01 00000000 474c414349530001 00000000')
  const page = '<ADDRESS>HTTP Server at 127.67.2.10 Port 8443</ADDRESS>'
  const hello = latin1('6275696c64 0000000000000001 000025ca 76657273696f6e 0000000000000001 000001f5')
  it.each([
    ['SoftEther VPN Server', ['vpn']],
    ['Shop', ['openvpn']],
  ])('is named unless the host runs SoftEther VPN: %s', async (name, names) => {
    using datagrams = await datagramServer('127.67.2.10', 1194, () => reset)
    const web = createServer((request, response) => {
      if (request.url === '/vpnsvc/connect.cgi') response.end(Buffer.from(name + hello, 'latin1'))
      else response.writeHead(403).end(page)
    })
    web.listen(8443, datagrams.address)
    await once(web, 'listening')
    const observations = await observe(datagrams.address, [1194, 8443])
    web.close()
    const named = observations.flatMap((one) => (one.kind === 'technology' ? one.wfn.product : []))
    expect(named).toEqual(names)
  })
})

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { parseSocketTable, readSockets } from './sockets.ts'

const comm = () => readFileSync('/proc/self/comm', 'utf8').trim()

describe.skipIf(process.platform !== 'linux')('readSockets', () => {
  it.each(['127.0.0.1', '::1'])('lists a TCP server on %s with its process', async (address) => {
    const server = createServer()
    await once(server.listen(0, address), 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port
    const own = (await readSockets()).filter((socket) => socket.port === port)
    server.close()
    expect(own).toEqual([{ kind: 'socket', transport: 'tcp', address, port, process: comm() }])
  })

  it('lists a UDP server, but not the sockets of UDP clients', async () => {
    const [server, client] = [createSocket('udp4'), createSocket('udp4')]
    // Below the ports that the kernel assigns to clients.
    const port = 20_000 + (process.pid % 2000)
    server.bind(port, '127.0.0.1')
    client.bind(0, '127.0.0.1')
    await Promise.all([once(server, 'listening'), once(client, 'listening')])
    const sockets = await readSockets()
    const ofClient = client.address().port
    server.close()
    client.close()
    expect(sockets.filter((socket) => socket.port === port)).toEqual([
      { kind: 'socket', transport: 'udp', address: '127.0.0.1', port, process: comm() },
    ])
    expect(sockets.some((socket) => socket.port === ofClient)).toBe(false)
  })
})

it('ignores connections and malformed lines', () => {
  const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode'
  const line = (local: string, state: string) =>
    `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 4711 1`
  const text = [head, line('0100007F:0016', '0A'), line('0100007F:0050', '01'), line('xyz:0016', '0A'), 'x', ''].join(
    '\n',
  )
  expect(parseSocketTable(text, 'tcp')).toMatchObject([{ address: '127.0.0.1', port: 22, inode: '4711' }])
})

import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { runNativeChecks } from '#native/testing/examine.ts'

/** Rejects the first client, asks the second for parameters, and responds to them. */
async function answered(response: string) {
  let clients = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    if (++clients === 1) return void socket.resetAndDestroy()
    socket.on('data', (received) => socket.write(received.length === 37 ? '\x09' : Buffer.from(response, 'latin1')))
  })
  server.listen(0, '127.67.3.1')
  await once(server, 'listening')
  const bound = server.address()
  try {
    const port = typeof bound === 'object' && bound ? bound.port : 0
    const peer = { port, [Symbol.asyncDispose]: async () => undefined }
    const { found, covered } = await runNativeChecks(peer, { protocol: 'iperf3' })
    return [found, covered]
  } finally {
    server.close()
  }
}

it('reports a server that asks for the streams of a test', async () => {
  expect(await answered('\x0a')).toEqual([['iperf3-open'], ['iperf3-open']])
})

it('does not report a server that denies access', async () => {
  expect(await answered('\xff')).toEqual([[], ['iperf3-open']])
})

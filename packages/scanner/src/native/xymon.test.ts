import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { runNativeChecks } from '#native/testing/examine.ts'

/** Responds when the client has finished sending, like the daemon. */
async function asked(response: string) {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const received: Buffer[] = []
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => received.push(Buffer.from(bytes)))
    socket.on('end', () => socket.end(Buffer.concat(received).toString() === 'config hosts.cfg' ? response : ''))
  })
  server.listen(0, '127.67.3.1')
  await once(server, 'listening')
  const bound = server.address()
  try {
    const port = typeof bound === 'object' && bound ? bound.port : 0
    const peer = { port, [Symbol.asyncDispose]: async () => undefined }
    const { found, covered } = await runNativeChecks(peer, { protocol: 'xymon' })
    return [found, covered]
  } finally {
    server.close()
  }
}

it('reports a readable list of hosts', async () => {
  expect(await asked('# Hosts\n10.1.2.3 payroll.lab.example # ssh\n')).toEqual([['xymon-open'], ['xymon-open']])
})

it('does not report a refused command', async () => {
  expect(await asked('')).toEqual([[], ['xymon-open']])
})

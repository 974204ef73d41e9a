import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { runNativeChecks } from '#native/testing/examine.ts'
import { software } from '#template/testing/site.ts'

const welcome = '[2,77,{"realm":"plant","roles":{"broker":{},"dealer":{}}}]'

function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)])
}

/** A router with this front page and these answers to the messages of a client. */
async function examined(front: string, answer: (message: readonly unknown[]) => string) {
  const server = createServer(({ url }, response) => void response.writeHead(url === '/' ? 200 : 404).end(front))
  server.on('upgrade', ({ headers, url = '' }, socket) => {
    socket.on('error', () => undefined)
    if (url !== '/ws' || headers['sec-websocket-protocol'] !== 'wamp.2.json')
      return void socket.end('HTTP/1.1 404 Not Found\r\n\r\n')
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n')
    socket.on('data', (received: Buffer) => {
      const length = (received[1] ?? 0) & 0x7f
      const text = received.subarray(length === 126 ? 8 : 6).toString()
      socket.write(frame(answer(JSON.parse(text) as readonly unknown[])))
    })
  })
  server.listen(0, '127.67.3.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  try {
    const { found, covered } = await runNativeChecks(
      { port },
      { protocol: 'http', technologies: [software('crossbar')] },
    )
    return [found.includes('wamp-router-open'), covered.includes('wamp-router-open')]
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const noSuchRealm = '[3,{"message":"no realm"},"wamp.error.no_such_realm"]'
const count = '[50,1,{"callee":7,"callee_authrole":"trusted"},[3]]'

it('reports a router that lets anonymous clients call procedures in a realm that its front page names', async () => {
  const answer = ([type, realm]: readonly unknown[]) =>
    type === 48 ? count : realm === 'plant' ? welcome : noSuchRealm
  expect(await examined("<script>connect({ realm: 'plant' })</script>", answer)).toEqual([true, true])
})

it.each([
  ['requires a ticket', () => '[4,"ticket",{}]'],
  [
    'denies the call',
    ([type]: readonly unknown[]) => (type === 48 ? '[8,48,1,{},"wamp.error.not_authorized"]' : welcome),
  ],
])('does not report a router that %s', async (_, answer) => {
  expect(await examined('<p>Plant', answer)).toEqual([false, true])
})

it('decides nothing if the realm is unknown', async () => {
  expect(await examined('<p>Plant', () => noSuchRealm)).toEqual([false, false])
})

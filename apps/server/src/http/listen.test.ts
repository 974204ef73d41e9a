import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { listenOn, listenOnAll } from '#http/listen.ts'

it.each([
  ['an unknown method', 'FOO / HTTP/1.1\r\nhost: a\r\n\r\n', 400, 3],
  ['oversized headers', `GET /?${'x'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`, 431, 3],
  ['an unknown expectation', 'GET / HTTP/1.1\r\nhost: a\r\nexpect: a miracle\r\n\r\n', 417, 3],
  [
    'a compressed transfer coding',
    'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    501,
    12,
  ],
])('responds to %s in the common error format', async (_, request, status, code) => {
  const server = await listenOn('127.0.0.1', 0, () => undefined)
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(request)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  server.close()
  expect([Number(head.split(' ')[1]), JSON.parse(body)]).toEqual([
    status,
    { code, message: expect.stringMatching(/^(The|Only) /) },
  ])
})

it('accepts a chunked body', async () => {
  const server = await listenOn('127.0.0.1', 0, (request, response) => void request.pipe(response))
  const { port } = server.address() as AddressInfo
  const body = new Blob(['in several chunks']).stream()
  const handle = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, duplex: 'half' })
  expect(await handle.text()).toBe('in several chunks')
  server.close()
  server.closeAllConnections()
})

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = await listenOn('127.0.0.1', 0, () => undefined)
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function startRequest(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const port = await freePort()
  const received = Promise.withResolvers<ServerResponse>()
  const listeners = await listenOnAll(['127.0.0.1'], port, (request, response) => {
    handle(request, response)
    received.resolve(response)
  })
  const responseText = fetch(`http://127.0.0.1:${port}/`).then((reply) => reply.text())
  return { listeners, responseText, response: await received.promise }
}

it('closes after responding to the requests in progress', async () => {
  const { listeners, responseText, response } = await startRequest(() => undefined)
  const closed = listeners.close()
  response.end('done')
  expect(await responseText).toBe('done')
  await closed
})

it('keeps connections open longer than a proxy does', async () => {
  const server = await listenOn('127.0.0.1', 0, (_, response) => void response.end())
  const { port } = server.address() as AddressInfo
  const { headers } = await fetch(`http://127.0.0.1:${port}/`)
  server.close()
  server.closeAllConnections()
  expect(headers.get('keep-alive')).toBe('timeout=75')
})

it("cuts off connections that don't end", async () => {
  const { listeners, responseText } = await startRequest((_, response) => void response.write('partial '))
  const rejection = expect(responseText).rejects.toThrow('terminated')
  await listeners.close()
  await rejection
})

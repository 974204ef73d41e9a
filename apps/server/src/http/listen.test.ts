import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { listenOn, openDoors } from '#http/listen.ts'

it.each([
  ['no method of HTTP', 'FOO / HTTP/1.1\r\nhost: a\r\n\r\n', 400, 3],
  ['more headers than fit', `GET /?${'x'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`, 431, 3],
  ['an unknown expectation', 'GET / HTTP/1.1\r\nhost: a\r\nexpect: a miracle\r\n\r\n', 417, 3],
  ['a packed transfer', 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 501, 12],
])('answers %s in the shape of every refusal', async (_, request, status, code) => {
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

it('takes a body in pieces', async () => {
  const server = await listenOn('127.0.0.1', 0, (request, response) => void request.pipe(response))
  const { port } = server.address() as AddressInfo
  const body = new Blob(['piece by piece']).stream()
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, duplex: 'half' })
  expect(await answer.text()).toBe('piece by piece')
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

async function askThrough(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const port = await freePort()
  const asked = Promise.withResolvers<ServerResponse>()
  const doors = await openDoors(['127.0.0.1'], port, (request, response) => {
    answer(request, response)
    asked.resolve(response)
  })
  const answered = fetch(`http://127.0.0.1:${port}/`).then((found) => found.text())
  return { doors, answered, response: await asked.promise }
}

it('closes when whoever has asked is answered', async () => {
  const { doors, answered, response } = await askThrough(() => undefined)
  const closed = doors.close()
  response.end('done')
  expect(await answered).toBe('done')
  await closed
})

it('keeps a connection longer than a proxy does', async () => {
  const server = await listenOn('127.0.0.1', 0, (_, response) => void response.end())
  const { port } = server.address() as AddressInfo
  const { headers } = await fetch(`http://127.0.0.1:${port}/`)
  server.close()
  server.closeAllConnections()
  expect(headers.get('keep-alive')).toBe('timeout=75')
})

it('cuts what does not end', async () => {
  const { doors, answered } = await askThrough((_, response) => void response.write('and so '))
  const cut = expect(answered).rejects.toThrow('terminated')
  await doors.close()
  await cut
})

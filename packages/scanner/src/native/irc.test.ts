import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { runNativeChecks } from '#native/testing/examine.ts'

/** Announces a lookup, and responds to registration with a PING, whose cookie it needs. */
async function registered(response: string) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write(':irc.lab NOTICE * :*** Looking up your hostname\r\n')
    socket.on('data', (bytes) => {
      const text = bytes.toString()
      if (text.startsWith('NICK ')) socket.write('PING :4711\r\n')
      if (text === 'PONG :4711\r\n') socket.write(response)
    })
  })
  server.listen(0, '127.67.3.1')
  await once(server, 'listening')
  const bound = server.address()
  try {
    const port = typeof bound === 'object' && bound ? bound.port : 0
    const peer = { port, [Symbol.asyncDispose]: async () => undefined }
    const { found, covered } = await runNativeChecks(peer, { protocol: 'irc' })
    return [found, covered]
  } finally {
    server.close()
  }
}

it('reports a server that accepts clients without a password', async () => {
  const welcome =
    ':irc.lab 001 gl1 :Welcome\r\n:irc.lab 002 gl1 :Your host is irc.lab, running version acme-1\r\n:irc.lab 004 gl1 irc.lab acme-1\r\n'
  expect(await registered(welcome)).toEqual([['irc-open'], ['irc-open']])
})

it('does not report a server that requires a password', async () => {
  expect(await registered(':irc.lab 464 gl1 :Password incorrect\r\n')).toEqual([[], ['irc-open']])
})

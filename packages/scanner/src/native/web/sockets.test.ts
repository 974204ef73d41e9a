import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { expect, it } from 'vitest'
import { runNativeChecks } from '#native/testing/examine.ts'

const data = '{"order":7,"email":"ann@example.com","phone":"+1 555 0100"}'
const session = 'connect.sid=s%3A0123456789abcdef; Path=/; HttpOnly'

interface Application {
  readonly cookie?: string
  readonly script: string
  /** What the server sends after the handshake; undefined rejects it. */
  readonly greet: (headers: IncomingHttpHeaders, path: string) => string | undefined
  /** What it sends after a message. */
  readonly respond?: (message: string) => string
}

function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)])
}

async function find({ cookie, script, greet, respond }: Application): Promise<readonly string[]> {
  const server = createServer(({ url }, response) => {
    if (cookie !== undefined) response.setHeader('set-cookie', cookie)
    response.setHeader('connection', 'close')
    response.writeHead(url === '/' ? 200 : 404).end(`<!doctype html><title>Orders</title><script>${script}</script>`)
  })
  server.on('upgrade', ({ headers, url = '' }, socket) => {
    const greeting = greet(headers, url)
    socket.on('error', () => undefined)
    if (greeting === undefined) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n')
    if (greeting !== '') socket.write(frame(greeting))
    socket.on('data', (received: Buffer) => {
      const reply = respond?.(received.subarray(6).toString()) ?? ''
      if (reply !== '') socket.write(frame(reply))
    })
  })
  server.listen(0, '127.67.3.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  try {
    const { found } = await runNativeChecks({ port }, { protocol: 'http' })
    return found.filter((check) => check.startsWith('websocket-'))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const script = "new WebSocket('ws://' + location.host + '/orders/live')"
const subscribing = `const socket = io(); const direct = ${script}; direct.send(JSON.stringify({ type: 'subscribe', topic: "orders" }))`
const atPath = (path: string, greeting: string) => (_: IncomingHttpHeaders, url: string) =>
  url === path ? greeting : undefined

it.each<[string, Application, readonly string[]]>([
  [
    'any website, with a cookie',
    { cookie: session, script, greet: atPath('/orders/live', '{"ready":true}') },
    ['websocket-foreign-origin'],
  ],
  ['any website, without a cookie', { script, greet: atPath('/orders/live', '') }, []],
  [
    'any website, with a cookie that browsers hold back',
    { cookie: `${session}; SameSite=Lax`, script, greet: atPath('/orders/live', '') },
    [],
  ],
  [
    'its own website only',
    { cookie: session, script, greet: ({ origin }) => (origin?.endsWith('.example') === true ? undefined : data) },
    [],
  ],
  [
    'any website, with a cookie, but no client of Socket.IO without a token',
    {
      cookie: session,
      script: 'io()',
      greet: atPath('/socket.io/?EIO=4&transport=websocket', '0{"sid":"a"}'),
      respond: (message) => (message === '40' ? '44{"message":"unauthorized"}' : ''),
    },
    [],
  ],
  [
    'any website and any client of Socket.IO, with a cookie',
    {
      cookie: session,
      script: 'io()',
      greet: atPath('/socket.io/?EIO=4&transport=websocket', '0{"sid":"a"}'),
      respond: (message) => (message === '40' ? '40{"sid":"b"}' : ''),
    },
    ['websocket-foreign-origin'],
  ],
  ['anyone, and sends personal data', { script, greet: atPath('/orders/live', data) }, ['websocket-data-exposed']],
  [
    'anyone, and sends personal data after a message of the script',
    {
      script: subscribing,
      greet: atPath('/orders/live', ''),
      respond: (message) => (message === '{"type":"subscribe","topic":"orders"}' ? data : ''),
    },
    ['websocket-data-exposed'],
  ],
  [
    'anyone, and sends personal data as an event of Socket.IO',
    {
      script: subscribing,
      greet: atPath('/socket.io/?EIO=4&transport=websocket', '0{"sid":"a"}'),
      respond: (message) => (message === '40' ? `42["order",${data}]` : ''),
    },
    ['websocket-data-exposed'],
  ],
  [
    'anyone, and sends a list of internal records',
    {
      script: "new WebSocket('ws://' + location.host + '/desk/live')",
      greet: atPath('/desk/live', '{"type":"snapshot","tickets":[{"from":"h.soto@shop.example","notes":"Spare key"}]}'),
    },
    ['websocket-data-exposed'],
  ],
  [
    'anyone, and sends a text with a code',
    { script, greet: atPath('/orders/live', 'reboot station 3 (operator key 7741-QX)') },
    ['websocket-data-exposed'],
  ],
  [
    'anyone, and sends lines of a log',
    { script, greet: atPath('/orders/live', '2026-11-29 14:03:11,204 worker INFO job 12 started') },
    ['websocket-data-exposed'],
  ],
  [
    'anyone, and sends entries of a log',
    { script, greet: atPath('/orders/live', '{"level":"info","time":1795963907,"msg":"job 12 started"}') },
    ['websocket-data-exposed'],
  ],
  ['anyone, and asks for a token', { script, greet: atPath('/orders/live', '{"error":"token required"}') }, []],
  ['anyone, and counts tokens', { script, greet: atPath('/orders/live', 'secret level 3, tokens: 1280') }, []],
  ['anyone, and sends prices', { script, greet: atPath('/orders/live', '{"symbol":"ACME","price":12}') }, []],
])('evaluates a WebSocket that accepts %s', async (_, application, expected) => {
  expect(await find(application)).toEqual(expected)
})

it('does not reset the connection to a server that ignores the handshake', async () => {
  const server = createServer((_, response) => response.setHeader('connection', 'close').end('<!doctype html>'))
  const endings: string[] = []
  server.on('upgrade', (_, socket) => {
    socket.on('error', () => endings.push('reset'))
    socket.on('end', () => endings.push('end'))
    socket.resume()
  })
  server.listen(0, '127.67.3.1')
  await once(server, 'listening')
  const bound = server.address()
  await runNativeChecks({ port: typeof bound === 'object' && bound ? bound.port : 0 }, { protocol: 'http' })
  await expect.poll(() => endings).toEqual(['end'])
  server.closeAllConnections()
  server.close()
})

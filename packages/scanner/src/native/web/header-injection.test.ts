import { expect, it } from 'vitest'
import { runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

/** A server that redirects to the parameter without Node's protection against line breaks. */
async function isFound(location: (next: string) => string): Promise<boolean> {
  await using peer = await tcpPeer((socket) => {
    socket.on('data', (data) => {
      const [, target = '/'] = data.toString().split(' ', 2)
      const next = new URL(target, 'http://here.invalid').searchParams.get('next')
      const page = '<a href="/go?next=/home">Home</a>'
      const head =
        next === null
          ? 'HTTP/1.1 200 OK\r\nContent-Type: text/html'
          : `HTTP/1.1 302 Found\r\nLocation: ${location(next)}`
      socket.end(`${head}\r\nServer: lab\r\nContent-Length: ${page.length}\r\nConnection: close\r\n\r\n${page}`)
    })
  })
  const { found } = await runNativeChecks(peer, { protocol: 'http' })
  return found.includes('crlf-injection-linked-parameter')
}

it.each<[string, (next: string) => string, boolean]>([
  ['as it is', (next) => next, true],
  ['without line breaks', (next) => next.replaceAll(/[\r\n]/g, ''), false],
  ['encoded', (next) => encodeURI(next), false],
  ['not at all', () => '/', false],
])('evaluates a redirect that contains the value %s', async (_, location, expected) => {
  expect(await isFound(location)).toBe(expected)
})

/** A server that redirects to its own path without Node's protection against line breaks. */
async function isFoundInPath(location: (path: string) => string): Promise<boolean> {
  await using peer = await tcpPeer((socket) => {
    socket.on('data', (data) => {
      const [, target = '/'] = data.toString().split(' ', 2)
      const page = '<a href="/old/portal">Previous portal</a>'
      const head = target.startsWith('/old/')
        ? `HTTP/1.1 302 Found\r\nLocation: /new${location(target)}`
        : 'HTTP/1.1 200 OK\r\nContent-Type: text/html'
      socket.end(`${head}\r\nServer: lab\r\nContent-Length: ${page.length}\r\nConnection: close\r\n\r\n${page}`)
    })
  })
  const { found } = await runNativeChecks(peer, { protocol: 'http' })
  return found.includes('crlf-injection-linked-parameter')
}

it.each<[string, (path: string) => string, boolean]>([
  ['decoded', decodeURI, true],
  ['as it was sent', (path) => path, false],
  ['without line breaks', (path) => decodeURI(path).replaceAll(/[\r\n]/g, ''), false],
])('evaluates a redirect that contains the path %s', async (_, location, expected) => {
  expect(await isFoundInPath(location)).toBe(expected)
})

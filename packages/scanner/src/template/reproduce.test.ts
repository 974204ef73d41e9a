import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createTcpServer } from 'node:net'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { HttpRequest } from '#net/http-message.ts'
import { curlCommand, quoted, tcpCommand } from '#template/reproduce.ts'

const run = promisify(execFile)
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
)
const hasNetcat = await run('sh', ['-c', 'command -v nc']).then(
  () => true,
  () => false,
)
const address = '127.83.1.1'
const origin = (port: number, hostname: string = address) => ({ address, port, tls: false, hostname })

const hostile = ["a'b", "'; touch /tmp/x; '", '$(id)', '`id`', '"$HOME"', '\\', '!!', '-o x', '*', '&|<>']

it.each(hostile)('quotes %j as one word of a shell', async (text) => {
  const { stdout } = await run('sh', ['-c', `printf %s ${quoted(text)}`])
  expect(stdout).toBe(text)
})

describe.skipIf(!hasCurl)('curlCommand', () => {
  const requests: readonly HttpRequest[] = [
    { method: 'GET', path: '/a/../../etc/passwd' },
    { method: 'GET', path: "/x?q='$(id)`id`&y=[1-3]{a,b}" },
    { method: 'GET', path: '/%2e%2e/', headers: { 'X-Test': "it's $HOME", Host: 'other.test' } },
    { method: 'OPTIONS', path: '/' },
  ]
  it.each(requests)('sends the same request again: $method $path', async (request) => {
    const requests: unknown[] = []
    const server = createServer(({ method, url, headers }, response) => {
      requests.push([method, url, headers.host, headers['x-test']])
      response.end('proof')
    }).listen(0, address)
    await once(server, 'listening')
    const bound = server.address()
    const port = typeof bound === 'object' && bound ? bound.port : 0
    const command = curlCommand(origin(port, 'lab.test'), request)
    const { stdout } = await run('sh', ['-c', command ?? 'exit 1'])
    server.close()
    const host = request.headers?.['Host'] ?? `lab.test:${port}`
    expect(requests).toEqual([[request.method, request.path, host, request.headers?.['X-Test']]])
    expect(stdout).toMatch(/^HTTP\/1.1 200[\s\S]*proof$/)
  })
})

it('gives no command for a request that may change something', () => {
  expect(curlCommand(origin(80), { method: 'POST', path: '/', body: 'a=b' })).toBeNull()
  expect(curlCommand(origin(80), { method: 'DELETE', path: '/' })).toBeNull()
  expect(curlCommand(origin(80), { method: 'GET', path: '/a\nb' })).toBeNull()
})

it('masks secrets', () => {
  const headers = { Authorization: 'Bearer 0123456789abcdef0123456789' }
  expect(curlCommand(origin(80), { method: 'GET', path: '/', headers })).not.toContain('0123456789abcdef')
})

it('writes the bytes of a TCP request with printf', async () => {
  const sent = `PING %s '\\n\0\u00ff$(id)\r\n`
  const [, printf = ''] = /^\((printf .*); sleep 2\)/s.exec(tcpCommand(origin(80), sent) ?? '') ?? []
  const { stdout } = await run('sh', ['-c', printf], { encoding: 'latin1' })
  expect(stdout).toBe(sent)
})

describe.skipIf(!hasNetcat)('tcpCommand', () => {
  it('sends the same bytes again', async () => {
    const received: Buffer[] = []
    const server = createTcpServer((socket) => {
      socket.on('data', (bytes) => {
        received.push(Buffer.from(bytes))
        socket.end('PROOF\n')
      })
    }).listen(0, address)
    await once(server, 'listening')
    const bound = server.address()
    const port = typeof bound === 'object' && bound ? bound.port : 0
    const sent = `PING %s '\\n\0\u00ff$(id)\r\n`
    const { stdout } = await run('sh', ['-c', tcpCommand(origin(port), sent) ?? 'exit 1'])
    server.close()
    expect([Buffer.concat(received).toString('latin1'), stdout]).toEqual([sent, 'PROOF\n'])
  })
})

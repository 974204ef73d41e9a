import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { exchangeRaw } from '#net/raw-http.ts'
import { templateOf } from '#template/testing/site.ts'
import { requestBuildersOf } from '#template/request-builders.ts'

const guard = { denialReason: () => null }
const address = '127.66.5.1'

async function answering(response: string, work: (port: number, heard: () => string) => Promise<void>): Promise<void> {
  let heard = ''
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
      if (heard.includes('\r\n\r\n')) socket.end(response, 'latin1')
    })
  }).listen(0, address)
  await once(server, 'listening')
  const bound = server.address()
  try {
    await work(typeof bound === 'object' && bound ? bound.port : 0, () => heard)
  } finally {
    server.close()
  }
}

it('sends the text byte for byte and reads a malformed response', async () => {
  const answer = 'HTTP/1.1 200 Fine\r\nServer: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'
  await answering(answer, async (port, heard) => {
    const sent = 'AAAA /%u2s HTTP/1337\r\nHost: a\r\nTe: b\r\nTe: c\r\n\r\n'
    const origin = { address, port, tls: false, hostname: 'lab.test' }
    const signal = AbortSignal.timeout(5_000)
    const response = await exchangeRaw(origin, Buffer.from(sent), { guard, signal, deadlineMs: 2_000 })
    expect(heard()).toBe(sent)
    expect(response).toMatchObject({ kind: 'response', status: 200, statusText: 'Fine', body: Buffer.from('hello') })
  })
})

it('fails for a response that is not HTTP', async () => {
  await answering('SSH-2.0-x\r\n', async (port) => {
    const origin = { address, port, tls: false, hostname: 'lab.test' }
    const options = { guard, signal: AbortSignal.timeout(5_000), deadlineMs: 2_000 }
    const response = await exchangeRaw(origin, Buffer.from('GET / HTTP/1.1\r\n\r\n'), options)
    expect(response).toMatchObject({ kind: 'failure', reason: 'not an HTTP response' })
  })
})

it('uses CRLF and adds a missing blank line', () => {
  const [block] = templateOf(
    `id: a\ninfo: { name: a }\nhttp:\n  - unsafe: true\n    raw:\n      - |\n        GET /{{Hostname}} HTTP/1.1\n        Host: b\n    matchers: [{ type: word, words: [c] }]\n`,
  ).http
  const [question] = block ? requestBuildersOf(block) : []
  const bytes = question?.bytes('/', (name) => (name === 'Hostname' ? 'lab.test' : undefined))
  expect(bytes?.toString()).toBe('GET /lab.test HTTP/1.1\r\nHost: b\r\n\r\n')
})

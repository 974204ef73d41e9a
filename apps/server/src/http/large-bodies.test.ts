import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sharedTestApi, type TestApi } from '#testing/api.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const host = '127.63.12.1'
const server = await sharedTestServer()
let api: TestApi
let port = 0
beforeAll(async () => {
  api = await sharedTestApi(server, 'http://localhost:3000')
  await api.app.listen({ host, port: 0 })
  port = (api.app.server.address() as AddressInfo).port // it listens on a port
})
afterAll(() => api.app.close())

const chunkBytes = 65_536
const bodyBytes = 200_000_000

/** Sends a body of 200 MB in chunks, without announcing its size, until the server ends the connection. */
async function sendEndless(path: string): Promise<{ status: string; sentBytes: number }> {
  const socket = connect(port, host)
  await once(socket, 'connect')
  let response = ''
  let sentBytes = 0
  socket.on('error', () => undefined)
  socket.setEncoding('latin1').on('data', (text: string) => (response += text))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nX-Person: anna\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  )
  const chunk = `${chunkBytes.toString(16)}\r\n${' '.repeat(chunkBytes)}\r\n`
  while (socket.writable && response === '' && sentBytes < bodyBytes) {
    sentBytes += chunkBytes
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => undefined), closed])
  }
  socket.destroy()
  await closed
  return { status: response.split('\r\n')[0] ?? '', sentBytes }
}

it('SEC-E3 stops reading a body at the limit, although its size was not announced', async () => {
  const before = process.memoryUsage().rss
  for (const path of ['/v1/tags', '/v1/targets', '/v1/issues/status']) {
    const { status, sentBytes } = await sendEndless(path)
    expect([path, status]).toEqual([path, expect.stringMatching(/^HTTP\/1\.1 (413|404|405)/)])
    expect(sentBytes).toBeLessThan(20_000_000)
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
})

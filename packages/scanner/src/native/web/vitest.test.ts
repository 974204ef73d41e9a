import { expect, it } from 'vitest'
import { runNativeChecks, tcpPeer } from '#native/testing/examine.ts'
import { software } from '#template/testing/site.ts'

const technologies = [software('vitest')]

it.each([
  ['accepts a connection without a token', '101 Switching Protocols', true],
  ['rejects it', '403 Forbidden', false],
])('evaluates an API that %s', async (_, status, expected) => {
  await using peer = await tcpPeer((socket) => {
    socket.once('data', (received) => {
      const isApi = received.toString('latin1').startsWith('GET /__vitest_api__ ')
      socket.end(`HTTP/1.1 ${isApi ? status : '404 Not Found'}\r\nConnection: close\r\n\r\n`)
    })
  })
  const { found, covered } = await runNativeChecks(peer, { protocol: 'http', technologies })
  expect(found.includes('CVE-2025-24964')).toBe(expected)
  expect(covered).toContain('CVE-2025-24964')
})

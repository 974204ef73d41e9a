import { describe, expect, it } from 'vitest'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

const description = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=lab\r\nm=video 0 RTP/AVP 96\r\n'

async function foundBy(respond: (request: string) => string): Promise<readonly string[]> {
  await using peer = await tcpPeer(answering('', (request) => `RTSP/1.0 ${respond(request)}`))
  const { found, covered } = await runNativeChecks(peer, { protocol: 'rtsp' })
  expect(covered).toContain('rtsp-open')
  return found
}

describe('rtsp', () => {
  it('finds a stream at a common path', async () => {
    const respond = (request: string) =>
      /^DESCRIBE rtsp:\/\/[^/]+\/stream1 /.test(request)
        ? `200 OK\r\nCSeq: 1\r\nContent-Length: ${description.length}\r\n\r\n${description}`
        : '404 Not Found\r\nCSeq: 1\r\n\r\n'
    expect(await foundBy(respond)).toEqual(['rtsp-open'])
  })

  it.each([
    ['requires authentication', '401 Unauthorized\r\nCSeq: 1\r\nWWW-Authenticate: Basic realm="cam"\r\n\r\n'],
    ['has no stream', '404 Not Found\r\nCSeq: 1\r\n\r\n'],
    ['returns a description without media', '200 OK\r\nCSeq: 1\r\n\r\nv=0\r\n'],
  ])('reports nothing for a server that %s', async (_name, response) => {
    expect(await foundBy(() => response)).toEqual([])
  })
})

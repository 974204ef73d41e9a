import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

/** An OP_COMPRESSED reply (zlib) with this content. */
function reply(content: string): Buffer {
  const body = deflateSync(Buffer.from(content, 'latin1'))
  const head = Buffer.alloc(25)
  head.writeUInt32LE(head.length + body.length, 0)
  head.writeUInt32LE(2012, 12)
  head.writeUInt32LE(2013, 16)
  head.writeUInt32LE(content.length, 20)
  head[24] = 2
  return Buffer.concat([head, body])
}

const pingBytes = 35
const honest = '\0\0\0\0\0\u0001ok\0'

/** A server that replies with `others` to a message whose stated length is wrong; null closes the connection. */
async function foundBy(others: string | null): Promise<{ readonly found: string[]; readonly covered: string[] }> {
  await using peer = await tcpPeer((socket) => {
    socket.on('data', (received) => {
      const stated = Buffer.from(received).readUInt32LE(20)
      if (stated === pingBytes) socket.write(reply(honest))
      else if (others === null) socket.end()
      else socket.write(reply(others))
    })
  })
  return await runNativeChecks(peer, { protocol: 'mongodb' })
}

it.each([
  ['Multiple body sections in message', ['CVE-2025-14847']],
  ['Unknown section kind: 7', ['CVE-2025-14847']],
  ['\u0001ok\0 without an error', []],
  [null, []],
])('decides by the reply to a wrong length: %s', async (others, expected) => {
  const { found, covered } = await foundBy(others)
  expect(found).toEqual(expected)
  expect(covered).toContain('CVE-2025-14847')
})

it('is inconclusive without compression', async () => {
  await using peer = await tcpPeer((socket) => socket.on('data', () => socket.end()))
  expect((await runNativeChecks(peer, { protocol: 'mongodb' })).covered).not.toContain('CVE-2025-14847')
})

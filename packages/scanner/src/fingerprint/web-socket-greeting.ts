/** The greeting of services that speak a protocol of their own over WebSocket. */
import { bannerReadOptions, type ConnectionTools, type ProbeTarget, withConnection } from '#fingerprint/connection.ts'
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { bracketed } from '#ip.ts'
import { contentOf, endHandshake, framesAfterHandshake, hasMessage, upgradeRequest } from '#net/web-socket.ts'

/** What a server sends first over WebSocket; undefined if it rejects the handshake. */
export async function webSocketTraces(
  target: ProbeTarget,
  tools: ConnectionTools,
): Promise<readonly FingerprintText[] | undefined> {
  const host = `${bracketed(target.hostname)}:${target.port}`
  const received = await withConnection(
    target,
    tools,
    async (connection) => {
      connection.write(upgradeRequest(host, '/'))
      const received = await connection.read({ ...bannerReadOptions, enough: hasMessage })
      endHandshake(connection)
      return received
    },
    Buffer.alloc(0),
  )
  const frames = framesAfterHandshake(received)
  if (!frames) return undefined
  const text = contentOf(frames).toString('latin1')
  if (text === '') return []
  return [{ field: text.startsWith('INFO {') ? 'nats.info' : 'websocket.greeting', text }]
}

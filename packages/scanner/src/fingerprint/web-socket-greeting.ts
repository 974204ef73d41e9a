/** The greeting of services that speak a protocol of their own over WebSocket. */
import { bannerReadOptions, type ConnectionTools, type ProbeTarget, withConnection } from '#fingerprint/connection.ts'
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { bracketed } from '#ip.ts'
import { contentOf, endHandshake, framesAfterHandshake, hasMessage, upgradeRequest } from '#net/web-socket.ts'

/** What a server that rejects its own start page sends first over WebSocket; nothing if it rejects the handshake. */
export async function webSocketTraces(
  target: ProbeTarget,
  tools: ConnectionTools,
): Promise<readonly FingerprintText[]> {
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
  const text = contentOf(framesAfterHandshake(received) ?? Buffer.alloc(0)).toString('latin1')
  if (text === '') return []
  return [{ field: text.startsWith('INFO {') ? 'nats.info' : 'websocket.greeting', text }]
}

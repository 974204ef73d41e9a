import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ephemeral port range, which concurrent scans use heavily. */
const [first, last] = [20_000, 32_000] as const

/** A port that is currently free. */
export async function freePort(): Promise<number> {
  const port = first + Math.floor(Math.random() * (last - first))
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}

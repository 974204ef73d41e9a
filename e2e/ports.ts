import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below what systems hand out for outgoing connections, of which a scan beside this one makes thousands. */
const [first, last] = [20_000, 32_000] as const

/** A port of this machine that nobody listens on now. */
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

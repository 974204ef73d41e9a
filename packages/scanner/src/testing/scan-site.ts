import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type Packs, scan } from '#index.ts'

/** Scans a server at this loopback address, and returns the checks and locations of its findings. */
export async function scanSite(
  address: string,
  serve: RequestListener,
  packs: Packs,
  basePath = '/',
): Promise<readonly { check: string; location: string }[]> {
  const server = createServer(serve).listen(0, address)
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const job = { hosts: [{ address }], ports: [port], allow: ['127.70.0.0/16'], profile: 'deep' as const, basePath }
  const found: { check: string; location: string }[] = []
  for await (const observation of scan(job, { packs, signal: AbortSignal.timeout(25_000) }))
    if (observation.kind === 'finding')
      found.push({ check: observation.check, location: observation.location.slice(`${port}`.length) })
  server.close()
  server.closeAllConnections()
  return found
}

import { createServer } from 'node:http'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { loadPacks, scan } from '#index.ts'

const address = '127.70.3.12'
const packs = await loadPacks({
  fingerprints: [new URL('../../../packs/fingerprints', import.meta.url).pathname],
  checks: [],
  native: true,
})

/** The locations of findings on a server with these pages. */
async function locationsOf(check: string, pages: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const server = createServer(({ url = '' }, response) => {
    const body = pages[url]
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body ?? 'not found')
  }).listen(0, address)
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const job = { hosts: [{ address }], ports: [port], allow: ['127.70.0.0/16'], profile: 'deep' as const }
  const locations: string[] = []
  for await (const observation of scan(job, { packs, signal: AbortSignal.timeout(25_000) }))
    if (observation.kind === 'finding' && observation.check === check)
      locations.push(observation.location.slice(`${port}`.length))
  server.close()
  server.closeAllConnections()
  return locations
}

const home = '<!doctype html><title>Company</title><p>Welcome'
const blog = '<!doctype html><title>Journal</title><p>First post'
const secrets = 'APP_ENV=production\nDB_PASSWORD=made-up\n'

it('checks an application without a product in a usual folder', async () => {
  const pages = { '/': home, '/blog/': blog, '/blog/.env': secrets }
  expect(await locationsOf('application-files-exposed', pages)).toEqual(['/blog/.env'])
})

it('skips folders that no guide suggests', async () => {
  const pages = { '/': home, '/journal/': blog, '/journal/.env': secrets }
  expect(await locationsOf('application-files-exposed', pages)).toEqual([])
})

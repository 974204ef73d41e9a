import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { runNativeChecks } from '#native/testing/examine.ts'

it.each([
  [404, true],
  [429, false],
])('with status %i below a folder, the result of its checks is known: %s', async (status, isKnown) => {
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(url === '/' ? 200 : url.startsWith('/app/') ? status : 404).end('<p>welcome')
  }).listen(0, '127.67.3.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const { covered, found } = await runNativeChecks({ port }, { protocol: 'http', ownFolder: '/app/' }, [])
  server.closeAllConnections()
  server.close()
  expect(found).not.toContain('directory-listing')
  expect(covered.includes('directory-listing')).toBe(isKnown)
})

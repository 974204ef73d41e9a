import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { findActuators } from '#fingerprint/actuators.ts'
import { createHttpClient } from '#net/http.ts'

it.each([
  ['application/vnd.spring-boot.actuator.v3+json', ['/monitoring/']],
  ['application/json', []],
])('finds an index of endpoints of the type %s', async (type, expected) => {
  const server = createServer(({ url }, response) => {
    const isIndex = url === '/monitoring'
    response.writeHead(isIndex ? 200 : 404, { 'content-type': type })
    response.end('{"_links":{"self":{"href":"http://lab.test/monitoring"}}}')
  }).listen(0, '127.34.2.4')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const http = createHttpClient({ guard: { denialReason: () => null } })
  const origin = { address: '127.34.2.4', port, tls: false, hostname: 'lab.test' }
  expect(await findActuators(origin, { shared: http, signal: AbortSignal.timeout(10_000) })).toEqual(expected)
  await http.close()
  server.close()
})

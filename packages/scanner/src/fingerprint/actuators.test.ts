import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { findActuators } from '#fingerprint/actuators.ts'
import { createHttpClient } from '#net/http.ts'

const type = 'application/vnd.spring-boot.actuator.v3+json'

it.each([
  ['at a base path of its own', '/monitoring', type, ['vmware:spring_boot'], ['/monitoring/']],
  ['below the folder of an application', '/shop/actuator', type, ['apache:tomcat'], ['/shop/actuator/']],
  ['of another type', '/monitoring', 'application/json', ['vmware:spring_boot'], []],
  ['on a server that cannot run Spring', '/shop/actuator', type, ['php:php'], []],
])('finds an index of endpoints %s', async (_, index, indexType, products, expected) => {
  const server = createServer(({ url }, response) => {
    response.writeHead(url === index ? 200 : 404, { 'content-type': indexType })
    response.end(`{"_links":{"self":{"href":"http://lab.test${index}"}}}`)
  }).listen(0, '127.34.2.4')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const http = createHttpClient({ guard: { denialReason: () => null } })
  const origin = { address: '127.34.2.4', port, tls: false, hostname: 'lab.test' }
  const tools = { shared: http, signal: AbortSignal.timeout(10_000) }
  const { folders, traces } = await findActuators(origin, tools, products, ['/shop/'])
  expect(folders).toEqual(expected)
  expect(traces).toHaveLength(expected.length)
  await http.close()
  server.close()
})

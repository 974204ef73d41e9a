import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { createWhoami } from '#whoami.ts'

const silent = { info() {}, warn() {}, error() {} }
const statuses: number[] = []
const server = createServer((_, response) => response.writeHead(statuses.shift() ?? 500).end('{}'))
await once(server.listen(0, '127.0.0.1'), 'listening')
const { port } = server.address() as AddressInfo
afterAll(() => void server.close())

const whoami = createWhoami(`http://127.0.0.1:${port}`, silent)

it.each([401, 403])('has no session if the identity service responds with %i', async (status) => {
  statuses.push(status)
  expect(await whoami({ cookie: `ory_kratos_session=${status}` })).toBeNull()
})

it('reports a failing identity service as unavailable', async () => {
  statuses.push(502)
  await expect(whoami({ cookie: 'ory_kratos_session=a' })).rejects.toMatchObject({ code: 'unavailable' })
})

it('reports an unreachable identity service as unavailable', async () => {
  const unreachable = createWhoami('http://127.0.0.1:1', silent)
  await expect(unreachable({ cookie: 'ory_kratos_session=a' })).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The identity service is unavailable. Try again in a moment',
  })
})

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { goodPassword, messageIdsOn, newAddress, register, sharedTestIdentity } from '#testing/test-identity.ts'

const breachedPassword = 'this-one-was-breached-4711'
const digest = createHash('sha1').update(breachedPassword).digest('hex').toUpperCase()
const requestedPaths: string[] = []
/** Fake range API with one breached password. The second line is padding. */
const server = createServer(({ url = '' }, response) => {
  requestedPaths.push(url)
  const isKnown = url === `/range/${digest.slice(0, 5)}`
  response.end(isKnown ? `${digest.slice(5)}:37\r\n0018A45C4D1DEF81644B54AB7F969B88D65:0\r\n` : '')
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => void server.close())
const address = server.address()
const port = typeof address === 'object' ? address?.port : 0
const identity = await sharedTestIdentity({ breachCheckUrl: `http://127.0.0.1:${port}/range/` })

it('SEC-A1 rejects a breached password and sends only the first five hex digits of its hash', async () => {
  const { status, body } = await register(identity.browser(), newAddress(), breachedPassword)
  expect([status, messageIdsOn(body, 'password')]).toEqual([400, [4000034]])
  expect(requestedPaths).toEqual([`/range/${digest.slice(0, 5)}`])
})

it('accepts a password that was not breached', async () => {
  expect((await register(identity.browser(), newAddress(), goodPassword)).status).toBe(200)
})

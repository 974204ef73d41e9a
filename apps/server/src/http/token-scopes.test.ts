import { beforeAll, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { sharedTestApi } from '#testing/api.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'
import { createApiToken } from '#tokens.ts'
import type { TokenScope } from '@glacis/contract/access'

const server = await sharedTestServer()
const api = await sharedTestApi(server, 'http://glacis.test')
const bearers = new Map<TokenScope, string>()
beforeAll(async () => {
  const account = await server.account()
  for (const scope of ['SCOPE_READ', 'SCOPE_SCAN'] as const) {
    const give = { apiToken: { name: scope, scopes: [scope] } }
    const { apiToken } = await server.as(account, (ctx) => createApiToken(ctx, give), { actor: person })
    bearers.set(scope, `Bearer ${apiToken.token}`)
  }
})

function ask(scope: TokenScope, method: 'POST' | 'HEAD', url: string, payload?: object) {
  const headers = { authorization: bearers.get(scope) ?? '' }
  return api.app.inject({ method, url, headers, ...(payload && { payload }) })
}

it.each([
  ['starts scans of many targets', '/v1/scans/batch', { targetIds: [newId()] }, 200],
  ['lets a scan that waits go on', `/v1/scans/${newId()}/resume`, {}, 404],
  ['cancels a scan', `/v1/scans/${newId()}/cancel`, {}, 404],
] as const)('a token for scans %s, and one for reading does not', async (_, url, body, status) => {
  expect((await ask('SCOPE_SCAN', 'POST', url, body)).statusCode).toBe(status)
  expect((await ask('SCOPE_READ', 'POST', url, body)).statusCode).toBe(403)
})

it('a token for reading may ask how addresses would be understood, which stores nothing', async () => {
  const answer = await ask('SCOPE_READ', 'POST', '/v1/targets/parse', { addresses: ['127.0.0.1'] })
  expect(answer.statusCode).toBe(200)
})

it('a token for reading may ask for the headers of a file', async () => {
  for (const url of ['/v1/issues/export?format=csv', '/v1/products/export?format=csv']) {
    expect((await ask('SCOPE_READ', 'HEAD', url)).statusCode).toBe(200)
  }
})

it('a stream has no headers to ask for, so that nobody waits for its end', async () => {
  const asked = ask('SCOPE_SCAN', 'HEAD', '/v1/events')
  expect((await asked).statusCode).toBe(405)
})

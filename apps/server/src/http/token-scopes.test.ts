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
  const workspace = await server.createWorkspace()
  for (const scope of ['SCOPE_READ', 'SCOPE_SCAN'] as const) {
    const tokenRequest = { apiToken: { name: scope, scopes: [scope] } }
    const { apiToken } = await server.as(workspace, (ctx) => createApiToken(ctx, tokenRequest), { actor: person })
    bearers.set(scope, `Bearer ${apiToken.token}`)
  }
})

function send(scope: TokenScope, method: 'POST' | 'HEAD', url: string, payload?: object) {
  const headers = { authorization: bearers.get(scope) ?? '' }
  return api.app.inject({ method, url, headers, ...(payload && { payload }) })
}

it.each([
  ['starts scans of many targets', '/v1/scans/batch', { targetIds: [newId()] }, 200],
  ['resumes a waiting scan', `/v1/scans/${newId()}/resume`, {}, 404],
  ['cancels a scan', `/v1/scans/${newId()}/cancel`, {}, 404],
] as const)('SCOPE_SCAN %s, SCOPE_READ does not', async (_, url, body, status) => {
  expect((await send('SCOPE_SCAN', 'POST', url, body)).statusCode).toBe(status)
  expect((await send('SCOPE_READ', 'POST', url, body)).statusCode).toBe(403)
})

it('SCOPE_READ can preview addresses, which stores nothing', async () => {
  const response = await send('SCOPE_READ', 'POST', '/v1/targets/parse', { addresses: ['127.0.0.1'] })
  expect(response.statusCode).toBe(200)
})

it('SCOPE_READ allows HEAD requests for files', async () => {
  for (const url of ['/v1/issues/export?format=csv', '/v1/products/export?format=csv']) {
    expect((await send('SCOPE_READ', 'HEAD', url)).statusCode).toBe(200)
  }
})

it("a stream doesn't support HEAD, which would never respond", async () => {
  const pending = send('SCOPE_SCAN', 'HEAD', '/v1/events')
  expect((await pending).statusCode).toBe(405)
})

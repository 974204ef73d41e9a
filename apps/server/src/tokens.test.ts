import { expect, it } from 'vitest'
import type { Ctx } from '#ctx.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'
import { addConcurrently } from '#testing/concurrency.ts'
import { createApiToken, listApiTokens } from '#tokens.ts'

const server = await sharedTestServer()

it('are limited to fifty, even when created concurrently', async () => {
  const workspace = await server.createWorkspace()
  const add = (ctx: Ctx) => createApiToken(ctx, { apiToken: { name: 'ci', scopes: ['SCOPE_READ'] } })
  for (let number = 0; number < 49; number++) await server.as(workspace, add, { actor: person })
  expect(await addConcurrently(server, workspace, add)).toMatchObject({
    status: 'rejected',
    reason: { code: 'precondition' },
  })
  expect((await server.as(workspace, listApiTokens)).apiTokens).toHaveLength(50)
})

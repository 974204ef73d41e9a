import { expect, it } from 'vitest'
import { deleteExpiredKeys, runIdempotently } from '#idempotency.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()

it("deletes responses after a day, even those of workspaces that don't send keys anymore", async () => {
  const request = { key: 'k', call: 'POST /v1/targets', input: {} }
  const at = (hours: number) => new Date(Date.UTC(2026, 10, 1, hours))
  const workspaces = [await server.createWorkspace(), await server.createWorkspace()]
  for (const [index, workspace] of workspaces.entries()) {
    await server.as(workspace, (ctx) => runIdempotently(ctx, request, () => ({ name: 'Web' })), {
      now: at(index),
      actor: person,
    })
  }
  await deleteExpiredKeys(server.database, at(25))
  const remaining = await server.database.owner.selectFrom('idempotency_key').select('account_id').execute()
  expect(remaining).toEqual([{ account_id: workspaces[1] }])
})

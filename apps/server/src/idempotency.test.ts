import { expect, it } from 'vitest'
import { deleteExpiredKeys, runIdempotently } from '#idempotency.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()

it("deletes responses after a day, also of accounts that don't send keys anymore", async () => {
  const request = { key: 'k', call: 'POST /v1/targets', input: {} }
  const at = (hours: number) => new Date(Date.UTC(2026, 10, 1, hours))
  const accounts = [await server.account(), await server.account()]
  for (const [index, account] of accounts.entries()) {
    await server.as(account, (ctx) => runIdempotently(ctx, request, () => ({ name: 'Web' })), {
      now: at(index),
      actor: person,
    })
  }
  await deleteExpiredKeys(server.database, at(25))
  const remaining = await server.database.owner.selectFrom('idempotency_key').select('account_id').execute()
  expect(remaining).toEqual([{ account_id: accounts[1] }])
})

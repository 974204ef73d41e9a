import { expect, it } from 'vitest'
import { deleteExpiredKeys, runIdempotently } from '#idempotency.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()

it('forgets what was answered a day ago, also of those who send no key again', async () => {
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
  const left = await server.database.owner.selectFrom('idempotency_key').select('account_id').execute()
  expect(left).toEqual([{ account_id: accounts[1] }])
})

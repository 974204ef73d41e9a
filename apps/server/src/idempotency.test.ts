import { afterAll, beforeAll, expect, it } from 'vitest'
import { forgetKeys, once } from '#idempotency.ts'
import { type House, openHouse, person } from '#testing/house.ts'

let house: House
beforeAll(async () => void (house = await openHouse()))
afterAll(() => house.close())

it('forgets what was answered a day ago, also of those who send no key again', async () => {
  const request = { key: 'k', call: 'POST /v1/targets', input: {} }
  const at = (hours: number) => new Date(Date.UTC(2026, 10, 1, hours))
  const accounts = [await house.account(), await house.account()]
  for (const [index, account] of accounts.entries()) {
    await house.as(account, (ctx) => once(ctx, request, () => ({ name: 'Web' })), { now: at(index), actor: person })
  }
  await forgetKeys(house.database, at(25))
  const left = await house.database.owner.selectFrom('idempotency_key').select('account_id').execute()
  expect(left).toEqual([{ account_id: accounts[1] }])
})

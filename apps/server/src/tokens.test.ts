import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Ctx } from '#ctx.ts'
import { type House, openHouse, person } from '#testing/house.ts'
import { addBeside } from '#testing/waiting.ts'
import { createApiToken, listApiTokens } from '#tokens.ts'

let house: House
beforeAll(async () => void (house = await openHouse()))
afterAll(() => house.close())

it('are fifty at most, also of those that are made at the same moment', async () => {
  const account = await house.account()
  const add = (ctx: Ctx) => createApiToken(ctx, { apiToken: { name: 'ci', scopes: ['SCOPE_READ'] } })
  for (let number = 0; number < 49; number++) await house.as(account, add, { actor: person })
  expect(await addBeside(house, account, add)).toMatchObject({ status: 'rejected', reason: { code: 'precondition' } })
  expect((await house.as(account, listApiTokens)).apiTokens).toHaveLength(50)
})

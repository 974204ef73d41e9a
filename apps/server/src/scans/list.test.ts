import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAgent, listAgents } from '#agents/index.ts'
import { listScans } from '#scans/index.ts'
import { newId } from '#database/index.ts'
import { type House, openHouse } from '#testing/house.ts'
import { seedIssues } from '#testing/issues.ts'
import { sql } from 'kysely'

let house: House
beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house.close())

it('counts the scans of a filter on its first page, whatever the size of the page', async () => {
  const account = await house.account()
  const { targetId } = await seedIssues(house, account, { issues: 1, hosts: 1, at: new Date() })
  for (const [status, count] of [
    ['STATUS_CANCELLED', 3],
    ['STATUS_COMPLETED', 2],
  ] as const) {
    const ids = Array.from({ length: count }, () => newId())
    await sql`
      insert into scan (account_id, id, target_id, started_by, type, status, phase, created_at, updated_at)
      select ${account}, unnest(${ids}::uuid[]), ${targetId}, 'test', 'TYPE_MANUAL', ${status}, 'PHASE_CHECKS', now(), now()`.execute(
      house.database.owner,
    )
  }
  const list = (input: Parameters<typeof listScans>[1]) => house.as(account, (ctx) => listScans(ctx, input))
  const first = await list({ pageSize: 2 })
  expect(first).toMatchObject({ totalSize: 5, totalSizeIsExact: true })
  expect(await list({ pageSize: 2, pageToken: first.nextPageToken })).not.toHaveProperty('totalSize')
  expect(await list({ pageSize: 2, filter: { status: ['STATUS_CANCELLED'] } })).toMatchObject({ totalSize: 3 })
})

it('counts the agents of a filter likewise', async () => {
  const account = await house.account()
  await house.database.owner.updateTable('account').set({ plan_id: 'business' }).where('id', '=', account).execute()
  for (const name of ['north 1', 'north 2', 'south']) {
    await house.as(account, (ctx) => createAgent(ctx, { agent: { name } }))
  }
  const list = (input: Parameters<typeof listAgents>[1]) => house.as(account, (ctx) => listAgents(ctx, input))
  expect(await list({ pageSize: 1 })).toMatchObject({ totalSize: 3, totalSizeIsExact: true })
  expect(await list({ filter: { query: 'north' } })).toMatchObject({ totalSize: 2 })
})

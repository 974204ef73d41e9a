import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { listTargets, nameTargets } from '#targets/index.ts'
import { type House, openHouse } from '#testing/house.ts'
import { seedIssues } from '#testing/issues.ts'
import { sql } from 'kysely'

let house: House
beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house.close())

it('names a target with what is open there now, without what is planned for it, and keeps accounts apart', async () => {
  const [one, other] = [await house.account(), await house.account()]
  const { targetId } = await seedIssues(house, one, { issues: 3, hosts: 2, at: new Date() })
  const read = (account: string) => house.as(account, async (ctx) => (await nameTargets(ctx, [targetId])).get(targetId))
  const before = await read(one)
  expect(before).toMatchObject({ name: 'Web', issueCount: { critical: 2, low: 1 }, tags: [] })
  expect(before).not.toHaveProperty('lastScan')
  const { owner } = house.database
  await owner.updateTable('target_count').set({ critical: 0 }).where('account_id', '=', one).execute()
  await owner.updateTable('target').set({ name: 'Renamed' }).where('id', '=', targetId).execute()
  expect(await read(one)).toMatchObject({ name: 'Renamed', issueCount: { critical: 0, low: 1 } })
  expect(await read(other)).toBeUndefined()
})

it('lists first, by severity, the target with the most open critical and high issues', async () => {
  const account = await house.account()
  const { targetId } = await seedIssues(house, account, { issues: 3, hosts: 2, at: new Date() })
  const others = [newId(), newId()].toSorted()
  await sql`
    insert into target (account_id, id, name, address, kind, schedule_period, created_at, updated_at)
    select account_id, unnest(${others}::uuid[]), 'Quiet', '127.63.1.0', 'IPV4', schedule_period, created_at, updated_at
    from target where account_id = ${account}`.execute(house.database.owner)
  const page = (pageToken?: string) =>
    house.as(account, (ctx) => listTargets(ctx, { orderBy: 'ORDER_BY_SEVERITY', pageSize: 2, pageToken }))
  const first = await page()
  expect(first).toMatchObject({ totalSize: 3, totalSizeIsExact: true })
  const second = await page(first.nextPageToken)
  expect([...first.targets, ...second.targets].map(({ id }) => id)).toEqual([targetId, ...others])
})

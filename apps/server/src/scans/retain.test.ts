import type { ScanStatus } from '@glacis/contract/scan'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { forgetScans, startScan } from '#scans/index.ts'
import { createTarget } from '#targets/index.ts'
import { type House, openHouse, person } from '#testing/house.ts'

let house: House
beforeAll(async () => void (house = await openHouse()))
afterAll(() => house.close())

const day = (number: number) => new Date(Date.UTC(2025, 0, number))

it('forgets old scans but for the last of each target and the last that was completed', async () => {
  const account = await house.account()
  const schedule = { period: 'PERIOD_WEEKLY' as const }
  const targetNamed = async (name: string, address: string) =>
    (await house.as(account, (ctx) => createTarget(ctx, { name, address, schedule, tags: [] }))).target.id
  const scansOf = async (targetId: string, statuses: readonly ScanStatus[]) => {
    for (const [index, status] of statuses.entries()) {
      const at = day(index + 1)
      const { scan } = await house.as(account, (ctx) => startScan(ctx, house.jobs, targetId), {
        now: at,
        actor: person,
      })
      await house.database.owner
        .updateTable('scan')
        .set({ status, completed_at: at })
        .where('id', '=', scan.id)
        .execute()
    }
  }
  const one = await targetNamed('one', '127.62.6.1')
  const two = await targetNamed('two', '127.62.6.2')
  await scansOf(one, ['STATUS_COMPLETED', 'STATUS_COMPLETED', 'STATUS_CANCELLED', 'STATUS_FAILED'])
  await scansOf(two, ['STATUS_FAILED', 'STATUS_COMPLETED', 'STATUS_COMPLETED'])
  const left = async (targetId: string) => {
    const scans = await house.database.owner
      .selectFrom('scan')
      .select('completed_at')
      .where('target_id', '=', targetId)
      .orderBy('id')
      .execute()
    return scans.map((scan) => scan.completed_at?.getUTCDate())
  }
  await forgetScans(house.database, day(3))
  expect([await left(one), await left(two)]).toEqual([[2, 3, 4], [3]])
  await forgetScans(house.database, day(300))
  expect([await left(one), await left(two)]).toEqual([[2, 4], [3]])
})

import type { ScanStatus } from '@glacis/contract/scan'
import { expect, it } from 'vitest'
import { deleteOldScans, startScan } from '#scans/index.ts'
import { createTarget } from '#targets/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()

const day = (number: number) => new Date(Date.UTC(2025, 0, number))

it('deletes old scans except the last and last completed one of each target', async () => {
  const account = await server.account()
  const schedule = { period: 'PERIOD_WEEKLY' as const }
  const targetNamed = async (name: string, address: string) =>
    (await server.as(account, (ctx) => createTarget(ctx, { name, address, schedule, tags: [] }))).target.id
  const scansOf = async (targetId: string, statuses: readonly ScanStatus[]) => {
    for (const [index, status] of statuses.entries()) {
      const at = day(index + 1)
      const { scan } = await server.as(account, (ctx) => startScan(ctx, server.jobs, targetId), {
        now: at,
        actor: person,
      })
      await server.database.owner
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
  const remaining = async (targetId: string) => {
    const scans = await server.database.owner
      .selectFrom('scan')
      .select('completed_at')
      .where('target_id', '=', targetId)
      .orderBy('id')
      .execute()
    return scans.map((scan) => scan.completed_at?.getUTCDate())
  }
  await deleteOldScans(server.database, day(3))
  expect([await remaining(one), await remaining(two)]).toEqual([[2, 3, 4], [3]])
  await deleteOldScans(server.database, day(300))
  expect([await remaining(one), await remaining(two)]).toEqual([[2, 4], [3]])
})

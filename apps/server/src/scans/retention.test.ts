import type { ScanStatus } from '@glacis/contract/scan'
import { expect, it } from 'vitest'
import { deleteOldScans, startScan } from '#scans/index.ts'
import { createTarget } from '#targets/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()

const day = (number: number) => new Date(Date.UTC(2025, 0, number))

it('deletes old scans except the last and last completed one of each target', async () => {
  const workspace = await server.createWorkspace()
  const schedule = { period: 'PERIOD_WEEKLY' as const }
  const targetNamed = async (name: string, address: string) =>
    (await server.as(workspace, (ctx) => createTarget(ctx, { name, address, schedule, tags: [] }))).target.id
  const scansOf = async (targetId: string, statuses: readonly ScanStatus[]) => {
    for (const [index, status] of statuses.entries()) {
      const at = day(index + 1)
      const { scan } = await server.as(workspace, (ctx) => startScan(ctx, server.jobs, targetId), {
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
  const first = await targetNamed('one', '127.62.6.1')
  const second = await targetNamed('two', '127.62.6.2')
  await scansOf(first, ['STATUS_COMPLETED', 'STATUS_COMPLETED', 'STATUS_CANCELLED', 'STATUS_FAILED'])
  await scansOf(second, ['STATUS_FAILED', 'STATUS_COMPLETED', 'STATUS_COMPLETED'])
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
  expect([await remaining(first), await remaining(second)]).toEqual([[2, 3, 4], [3]])
  await deleteOldScans(server.database, day(300))
  expect([await remaining(first), await remaining(second)]).toEqual([[2, 4], [3]])
})

it('deletes scans earlier or later in a workspace with a retention of its own', async () => {
  const ends = { kept: await server.createWorkspace(), short: await server.createWorkspace() }
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
  await server.database.owner.updateTable('workspace').set({ history_days: 30 }).where('id', '=', ends.short).execute()
  await server.database.owner.updateTable('workspace').set({ history_days: 900 }).where('id', '=', ends.kept).execute()
  const schedule = { period: 'PERIOD_WEEKLY' as const }
  for (const workspace of Object.values(ends)) {
    const input = { name: 'one', address: '127.62.6.1', schedule, tags: [] }
    const { target } = await server.as(workspace, (ctx) => createTarget(ctx, input))
    for (const at of [daysAgo(500), daysAgo(40), daysAgo(1)]) {
      const { scan } = await server.as(workspace, (ctx) => startScan(ctx, server.jobs, target.id), {
        now: at,
        actor: person,
      })
      const done = { status: 'STATUS_COMPLETED' as const, completed_at: at }
      await server.database.owner.updateTable('scan').set(done).where('id', '=', scan.id).execute()
    }
  }
  await deleteOldScans(server.database, daysAgo(365))
  const count = async (workspace: string) =>
    (await server.database.owner.selectFrom('scan').select('id').where('account_id', '=', workspace).execute()).length
  expect([await count(ends.kept), await count(ends.short)]).toEqual([3, 1])
})

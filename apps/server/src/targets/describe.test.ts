import { expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { listTargets, describeTargetsBriefly } from '#targets/index.ts'
import { sharedTestServer } from '#testing/test-server.ts'
import { seedIssues } from '#testing/issues.ts'
import { sql } from 'kysely'

const server = await sharedTestServer()

it('describes a target with its open issues, without schedule, for its own workspace only', async () => {
  const [first, second] = [await server.createWorkspace(), await server.createWorkspace()]
  const { targetId } = await seedIssues(server, first, { issues: 3, hosts: 2, at: new Date() })
  const read = (workspace: string) =>
    server.as(workspace, async (ctx) => (await describeTargetsBriefly(ctx, [targetId])).get(targetId))
  const before = await read(first)
  expect(before).toMatchObject({ name: 'Web', issueCount: { critical: 2, low: 1 }, tags: [] })
  expect(before).not.toHaveProperty('lastScan')
  const { owner } = server.database
  await owner.updateTable('target_count').set({ critical: 0 }).where('account_id', '=', first).execute()
  await owner.updateTable('target').set({ name: 'Renamed' }).where('id', '=', targetId).execute()
  expect(await read(first)).toMatchObject({ name: 'Renamed', issueCount: { critical: 0, low: 1 } })
  expect(await read(second)).toBeUndefined()
})

it('sorts targets with the most open critical and high issues first', async () => {
  const workspace = await server.createWorkspace()
  const { targetId } = await seedIssues(server, workspace, { issues: 3, hosts: 2, at: new Date() })
  const others = [newId(), newId()].toSorted()
  await sql`
    insert into target (account_id, id, name, address, kind, schedule_period, created_at, updated_at)
    select account_id, unnest(${others}::uuid[]), 'Quiet', '127.63.1.0', 'IPV4', schedule_period, created_at, updated_at
    from target where account_id = ${workspace}`.execute(server.database.owner)
  const page = (pageToken?: string) =>
    server.as(workspace, (ctx) => listTargets(ctx, { orderBy: 'ORDER_BY_SEVERITY', pageSize: 2, pageToken }))
  const first = await page()
  expect(first).toMatchObject({ totalSize: 3, totalSizeIsExact: true })
  const second = await page(first.nextPageToken)
  expect([...first.targets, ...second.targets].map(({ id }) => id)).toEqual([targetId, ...others])
})

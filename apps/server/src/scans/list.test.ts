import { expect, it } from 'vitest'
import { createAgent, listAgents } from '#agents/index.ts'
import { listScans } from '#scans/index.ts'
import { newId } from '#database/index.ts'
import { sharedTestServer } from '#testing/test-server.ts'
import { seedIssues } from '#testing/issues.ts'
import { sql } from 'kysely'

const server = await sharedTestServer()

it('returns the total with the first page, regardless of page size', async () => {
  const workspace = await server.createWorkspace()
  const { targetId } = await seedIssues(server, workspace, { issues: 1, hosts: 1, at: new Date() })
  for (const [status, count] of [
    ['STATUS_CANCELLED', 3],
    ['STATUS_COMPLETED', 2],
  ] as const) {
    const ids = Array.from({ length: count }, () => newId())
    await sql`
      insert into scan (account_id, id, target_id, started_by, type, status, phase, created_at, updated_at)
      select ${workspace}, unnest(${ids}::uuid[]), ${targetId}, 'test', 'TYPE_MANUAL', ${status}, 'PHASE_CHECKS', now(), now()`.execute(
      server.database.owner,
    )
  }
  const list = (input: Parameters<typeof listScans>[1]) => server.as(workspace, (ctx) => listScans(ctx, input))
  const first = await list({ pageSize: 2 })
  expect(first).toMatchObject({ totalSize: 5, totalSizeIsExact: true })
  expect(await list({ pageSize: 2, pageToken: first.nextPageToken })).not.toHaveProperty('totalSize')
  expect(await list({ pageSize: 2, filter: { status: ['STATUS_CANCELLED'] } })).toMatchObject({ totalSize: 3 })
})

it('also counts agents', async () => {
  const workspace = await server.createWorkspace()
  await server.database.owner
    .updateTable('workspace')
    .set({ plan_id: 'business' })
    .where('id', '=', workspace)
    .execute()
  for (const name of ['north 1', 'north 2', 'south']) {
    await server.as(workspace, (ctx) => createAgent(ctx, { agent: { name } }))
  }
  const list = (input: Parameters<typeof listAgents>[1]) => server.as(workspace, (ctx) => listAgents(ctx, input))
  expect(await list({ pageSize: 1 })).toMatchObject({ totalSize: 3, totalSizeIsExact: true })
  expect(await list({ filter: { query: 'north' } })).toMatchObject({ totalSize: 2 })
})

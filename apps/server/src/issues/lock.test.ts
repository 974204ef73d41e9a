import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refreshPriorities } from '#issues/index.ts'
import { untilLockWait } from '#testing/concurrency.ts'
import { seedIssues } from '#testing/issues.ts'
import { startTestServer, type TestServer } from '#testing/test-server.ts'

let server: TestServer
beforeAll(async () => void (server = await startTestServer()))
afterAll(() => server.close())

it('locks the issues of a host in a fixed order before it writes to them', async () => {
  const workspace = await server.createWorkspace()
  const { issueIds, hostIds } = await seedIssues(server, workspace, { issues: 3, hosts: 2, at: new Date() })
  const { promise: locked, resolve: markLocked } = Promise.withResolvers<void>()
  const second = locked.then(() => server.as(workspace, (ctx) => refreshPriorities(ctx, hostIds)))
  await server.as(workspace, async ({ tx }) => {
    await sql`select from issue where id = ${issueIds[1]} for update`.execute(tx)
    markLocked()
    await untilLockWait(server)
    const { rows } = await sql<{ query: string }>`
      select query from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(server.database.owner)
    expect(rows[0]?.query).toMatch(/^select from issue .* order by id for update$/)
  })
  await second
})

import type { Target } from '@glacis/contract/target'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Ctx } from '#ctx.ts'
import { setHostStatus } from '#issues/index.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'
import { seedIssues } from '#testing/issues.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const targets = async (_: Ctx, ids: readonly string[]) => new Map(ids.map((id) => [id, { id } as Target]))

it('applies a decision with its terms to a host and the hosts merged into it', async () => {
  const workspace = await server.createWorkspace()
  const seeded = await seedIssues(server, workspace, { issues: 1, hosts: 3, at: new Date('2026-11-01T00:00:00Z') })
  const [[id = ''], [survivor = '', member = '', other = '']] = [seeded.issueIds, seeded.hostIds]
  await server.database.owner
    .updateTable('host')
    .set({ merged_into: survivor })
    .where('account_id', '=', workspace)
    .where('id', '=', member)
    .execute()
  const ignore = (hostId: string, comment: string) =>
    server.as(workspace, async (ctx) => {
      const decision = { status: 'STATUS_IGNORED', reason: 'REASON_MITIGATED', comment } as const
      const { issue } = await setHostStatus(ctx, { id, hostId, ...decision }, targets)
      return new Map(issue.affectedHosts.map((item) => [item.host.id, item]))
    })
  const once = await ignore(survivor, 'Behind the proxy')
  expect([survivor, member, other].map((host) => once.get(host)?.status)).toEqual([
    'STATUS_IGNORED',
    'STATUS_IGNORED',
    'STATUS_OPEN',
  ])
  const afterward = await ignore(survivor, 'Behind the other proxy')
  const reasons = [survivor, member].map((host) => afterward.get(host)?.history.map((entry) => entry.reason ?? ''))
  const expectedReasons = ['', 'Mitigated: Behind the proxy', 'Mitigated: Behind the other proxy']
  expect(reasons).toEqual([expectedReasons, expectedReasons])
})

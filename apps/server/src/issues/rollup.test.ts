import { afterAll, beforeAll, expect, it } from 'vitest'
import { rollUp } from '#issues/rollup.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'
import { seedIssues } from '#testing/issues.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const at = new Date('2026-11-10T08:00:00Z')
type Host = readonly [address: string, criticality: 'LOW' | 'NORMAL' | 'HIGH', status: 'OPEN' | 'RESOLVED']

/** Creates an issue on two hosts and returns the aggregated values of the issue. */
async function aggregatesOf(hosts: readonly Host[]) {
  const workspace = await server.createWorkspace()
  const { issueIds, hostIds } = await seedIssues(server, workspace, { issues: 1, hosts: hosts.length, at })
  const { owner } = server.database
  for (const [index, [address, criticality, status]] of hosts.entries()) {
    const id = hostIds[index] ?? ''
    await owner
      .updateTable('host')
      .set({ address, criticality: `CRITICALITY_${criticality}` })
      .where('id', '=', id)
      .execute()
    await owner
      .updateTable('occurrence')
      .set({ status: `STATUS_${status}` })
      .where('host_id', '=', id)
      .execute()
  }
  await server.as(workspace, (ctx) => rollUp(ctx, issueIds, { reason: '', scanId: null }))
  return owner
    .selectFrom('issue')
    .select(['is_reachable', 'weight', 'status', 'host_count'])
    .where('account_id', '=', workspace)
    .executeTakeFirstOrThrow()
}

const [internal, external] = ['10.1.2.3', '203.0.113.7']
it.each<[string, Host[], Awaited<ReturnType<typeof aggregatesOf>>]>([
  [
    'on internal hosts: not internet-facing, highest criticality',
    [
      [internal, 'LOW', 'OPEN'],
      ['fd00::7', 'HIGH', 'OPEN'],
    ],
    { is_reachable: false, weight: 2, status: 'STATUS_OPEN', host_count: 2 },
  ],
  [
    'on a public host: internet-facing, without the criticality of resolved hosts',
    [
      [internal, 'LOW', 'OPEN'],
      [external, 'HIGH', 'RESOLVED'],
    ],
    { is_reachable: true, weight: 0, status: 'STATUS_OPEN', host_count: 2 },
  ],
  [
    'resolved everywhere: highest criticality of all hosts',
    [
      [external, 'LOW', 'RESOLVED'],
      [internal, 'NORMAL', 'RESOLVED'],
    ],
    { is_reachable: true, weight: 1, status: 'STATUS_RESOLVED', host_count: 2 },
  ],
])('aggregates an issue %s', async (_, hosts, expected) => {
  expect(await aggregatesOf(hosts)).toEqual(expected)
})

import type { Observation } from '@glacis/contract/runner'
import { beforeEach, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { getSubscription } from '#billing/index.ts'
import { getIssue, listIssues } from '#issues/index.ts'
import { ingest } from '#scans/ingest.ts'
import { getScan, retestIssue, startScan } from '#scans/index.ts'
import { narrowJob } from '#scans/retest.ts'
import { describeTargets } from '#targets/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'
import { type Seeded, seedIssues } from '#testing/issues.ts'

const server = await sharedTestServer()
let workspace: string
let seeded: Seeded
let now: Date
const before = new Date('2026-11-10T08:00:00Z')

beforeEach(async () => {
  now = new Date('2026-11-20T08:00:00Z')
  workspace = await server.createWorkspace()
  seeded = await seedIssues(server, workspace, { issues: 2, hosts: 2, at: before })
})

const retest = (id: string, hostIds?: string[]) =>
  server.as(workspace, (ctx) => retestIssue(ctx, server.jobs, { id, hostIds }), { now, actor: person })
const read = (id: string) => server.as(workspace, async (ctx) => (await getIssue(ctx, { id }, describeTargets)).issue)
const [first, second] = ['127.63.0.0', '127.63.0.1']
const reached = (address: string): Observation => ({
  kind: 'host',
  address,
  names: [],
  reached: true,
  reason: 'port 80 open',
  answersEverything: false,
})
const covered = (address: string): Observation => ({ kind: 'coverage', address, port: 80, checks: ['a-check'] })

async function ingestResult(scanId: string, addresses: readonly string[], observations: Observation[]): Promise<void> {
  now = new Date(now.getTime() + 60_000)
  const hosts = addresses.map((address) => ({ address, names: [] }))
  const batch = { scanId, number: 0, hosts, observations, knowledge: {} }
  await server.as(workspace, (ctx) => ingest(ctx, server.jobs, batch), { now })
}

it('is a manual scan of the selected hosts and uses no quota', async () => {
  const used = async () =>
    (await server.as(workspace, (ctx) => getSubscription(ctx))).subscription.quota.manualScans.used
  const [id = ''] = seeded.issueIds
  const { scan, scans } = await retest(id, [seeded.hostIds[1] ?? ''])
  expect(scan).toMatchObject({ type: 'TYPE_MANUAL', status: 'STATUS_RUNNING', startedBy: person.name })
  expect(scan.retestOf).toMatchObject({ id, name: expect.stringMatching(/./) })
  expect(scan.progress).toMatchObject({ hostsTotal: 1 })
  expect(scans).toEqual([scan])
  expect(await used()).toBe(0)
})

it('resolves its issue and leaves others unchanged', async () => {
  const [id = '', otherIssue = ''] = seeded.issueIds
  const { scan } = await retest(id)
  await ingestResult(scan.id, [first, second], [reached(first), reached(second), covered(first), covered(second)])
  const issue = await read(id)
  expect(issue.status).toBe('STATUS_RESOLVED')
  expect(issue.history.at(-1)).toMatchObject({ reason: 'The same check completed without a finding' })
  const unchanged = await read(otherIssue)
  expect(unchanged).toMatchObject({ status: 'STATUS_OPEN', lastSeenTime: before.toISOString() })
  expect(unchanged.affectedHosts.flatMap((host) => host.notCheckedSinceTime ?? [])).toEqual([])
  expect((await server.as(workspace, (ctx) => getScan(ctx, { id: scan.id }))).scan.status).toBe('STATUS_COMPLETED')
})

it("doesn't count as the target's last scan", async () => {
  const { scan } = await retest(seeded.issueIds[0] ?? '')
  await ingestResult(scan.id, [first, second], [reached(first), reached(second), covered(first), covered(second)])
  const target = async () =>
    (await server.as(workspace, (ctx) => describeTargets(ctx, [seeded.targetId]))).get(seeded.targetId)
  expect((await target())?.lastScan).toBeUndefined()
  const fullScan = await server.as(workspace, (ctx) => startScan(ctx, server.jobs, seeded.targetId), {
    now,
    actor: person,
  })
  expect((await target())?.lastScan?.id).toBe(fullScan.scan.id)
})

it("leaves the issue open if it couldn't be checked", async () => {
  const [id = ''] = seeded.issueIds
  const { scan } = await retest(id)
  await ingestResult(scan.id, [first, second], [reached(first), covered(first)])
  const issue = await read(id)
  expect(issue.status).toBe('STATUS_OPEN')
  expect(issue.affectedHosts.map((host) => [host.host.address, host.status])).toEqual([
    [second, 'STATUS_OPEN'],
    [first, 'STATUS_RESOLVED'],
  ])
})

it('is rejected while a scan of the target is active', async () => {
  const { scan } = await server.as(workspace, (ctx) => startScan(ctx, server.jobs, seeded.targetId), {
    now,
    actor: person,
  })
  const attempt = retest(seeded.issueIds[0] ?? '')
  await expect(attempt).rejects.toMatchObject({ code: 'conflict', metadata: { scanId: scan.id } })
})

it('is not found for unaffected hosts', async () => {
  const [host, issue] = [newId(), newId()]
  await expect(retest(seeded.issueIds[0] ?? '', [host])).rejects.toMatchObject({
    code: 'not_found',
    message: `No host of this issue has the ID ${host}`,
  })
  await expect(retest(issue, [host])).rejects.toThrow(`No issue has the ID ${issue}`)
  expect((await server.as(workspace, (ctx) => listIssues(ctx, {}, describeTargets))).issues).toHaveLength(2)
})

it.each([
  [null, {}, {}],
  [['a', 'version'], { [first]: [80, 443], [second]: [80] }, { checks: ['a'], ports: [80, 443] }],
  [['version'], {}, { checks: [] }],
] as const)('builds the job for %j on %j: %j', (checks, known, more) => {
  const job = { hosts: [], allow: [] }
  expect(narrowJob(job, { checks, known })).toEqual({ ...job, ...more })
})

it('is rejected for an issue of deleted targets only', async () => {
  await server.database.owner
    .updateTable('target')
    .set({ deleted_at: before })
    .where('id', '=', seeded.targetId)
    .execute()
  await expect(retest(seeded.issueIds[0] ?? '')).rejects.toMatchObject({
    code: 'precondition',
    message: 'All targets of this issue were deleted',
  })
})

it.each([
  [{ former_agent: 'zrh-dc1' }, 'zrh-dc1'],
  [{ paused_at: before }, 'paused'],
])("is rejected if the target can't be scanned: %j", async (state, message) => {
  await server.database.owner.updateTable('target').set(state).where('id', '=', seeded.targetId).execute()
  await expect(retest(seeded.issueIds[0] ?? '')).rejects.toMatchObject({
    code: 'precondition',
    message: expect.stringContaining(message),
  })
})

it('of a host includes the hosts merged into it', async () => {
  const [id = ''] = seeded.issueIds
  const [survivor = '', member = ''] = seeded.hostIds
  await server.as(workspace, async ({ tx }) => {
    await tx.updateTable('host').set({ merged_into: survivor }).where('id', '=', member).execute()
    await tx.deleteFrom('occurrence').where('host_id', '=', survivor).where('issue_id', '=', id).execute()
  })
  const { scan } = await retest(id, [survivor])
  const batches = await server.as(workspace, ({ tx }) =>
    tx.selectFrom('scan_batch').select('hosts').where('scan_id', '=', scan.id).execute(),
  )
  expect(batches.flatMap((batch) => batch.hosts.map((host) => host.address))).toEqual([second])
})

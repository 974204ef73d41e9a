import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Ctx } from '#ctx.ts'
import { rollUpRaised } from '#issues/incremental-rollup.ts'
import { setHostStatus, setIssueStatus } from '#issues/index.ts'
import { raise } from '#issues/raise.ts'
import { rollUp } from '#issues/rollup.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'
import { seedIssues } from '#testing/issues.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** The tests don't check targets. */
const describeTargets = async () => new Map<string, never>()
const [issueCount, hostCount] = [5, 9]
const start = Date.parse('2026-11-01T00:00:00Z')

/** Park and Miller's generator, so that every run uses the same numbers. */
function randomGenerator(seed: number) {
  let state = seed
  return (bound: number) => (state = (state * 48_271) % 2_147_483_647) % bound
}

it('matches a full rollup after random batches and decisions', async () => {
  const workspace = await server.createWorkspace()
  const { targetId, hostIds, issueIds } = await seedIssues(server, workspace, {
    issues: issueCount,
    hosts: hostCount,
    at: new Date(start),
  })
  const { owner } = server.database
  // Each issue starts on a single host. One host has high criticality, one low, and one is internet-facing.
  await owner
    .deleteFrom('occurrence')
    .where('account_id', '=', workspace)
    .where('host_id', '!=', hostIds[0] ?? '')
    .execute()
  const [, outer = '', high = '', low = ''] = hostIds
  await owner.updateTable('host').set({ address: '203.0.113.7' }).where('id', '=', outer).execute()
  await owner.updateTable('host').set({ criticality: 'CRITICALITY_HIGH' }).where('id', '=', high).execute()
  await owner.updateTable('host').set({ criticality: 'CRITICALITY_LOW' }).where('id', '=', low).execute()
  await server.as(workspace, (ctx) => rollUp(ctx, issueIds, { reason: '', scanId: null }))
  const threats = await owner
    .selectFrom('threat')
    .innerJoin('issue', 'issue.threat_id', 'threat.id')
    .selectAll('threat')
    .where('issue.account_id', '=', workspace)
    .orderBy('issue.id')
    .execute()

  const randomBelow = randomGenerator(20_262)
  const pick = <T>(all: readonly T[]): T => {
    const one = all[randomBelow(all.length)]
    if (one === undefined) throw new Error('empty list')
    return one
  }
  const batch = async (ctx: Ctx) => {
    const batchHosts = [...new Set([pick(hostIds), pick(hostIds)])]
    const findings = batchHosts.flatMap((hostId) =>
      Array.from({ length: 1 + randomBelow(3) }, () => {
        const [threat, location, quality] = [pick(threats), pick(['80/', '443/']), pick([70, 99])]
        const evidence = { location, port: 80, method: 'a-check', quality, text: 'proof', highlights: [] }
        return { threat, hostId, targetId, location, port: 80, method: pick(['a-check', 'version']), quality, evidence }
      }),
    )
    const raised = await raise(ctx, findings, batchHosts)
    await rollUpRaised(ctx, raised, { reason: '', scanId: null }, batchHosts)
    return raised
  }
  const decision = async (ctx: Ctx) => {
    const [id, status] = [pick(issueIds), pick(['STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_IGNORED'] as const)]
    const to = { id, status, ...(status === 'STATUS_IGNORED' && { reason: 'REASON_MITIGATED' as const }) }
    if (randomBelow(2)) await setIssueStatus(ctx, to, describeTargets)
    else await setHostStatus(ctx, { ...to, hostId: pick(hostIds) }, describeTargets)
  }
  let [added, repeated] = [0, 0]
  for (let number = 1; number <= 90; number++) {
    const at = new Date(start + number * 60_000)
    const raised = await server.as(workspace, batch, { now: at })
    added += raised.filter((item) => item.change === 'NEW').length
    repeated += raised.filter((item) => item.isSame).length
    const incremental = await readAggregates(workspace)
    await server.as(workspace, (ctx) => rollUp(ctx, issueIds, { reason: 'all', scanId: null }), { now: at })
    expect(incremental).toEqual(await readAggregates(workspace))
    // Some of these are invalid transitions or hosts without the issue.
    if (number % 3 === 0) {
      await server.as(workspace, decision, { now: at }).catch((error: unknown) => expect(error).toHaveProperty('code'))
    }
  }
  expect(added).toBeGreaterThan(15)
  expect(repeated).toBeGreaterThan(15)
}, 60_000)

it('aggregates only open occurrences when all others were resolved', async () => {
  const workspace = await server.createWorkspace()
  const { targetId, hostIds, issueIds } = await seedIssues(server, workspace, {
    issues: 1,
    hosts: 2,
    at: new Date(start),
  })
  const { owner } = server.database
  const [, inferred = ''] = hostIds
  const [id = ''] = issueIds
  await owner.deleteFrom('occurrence').where('account_id', '=', workspace).where('host_id', '=', inferred).execute()
  await owner.updateTable('host').set({ criticality: 'CRITICALITY_LOW' }).where('id', '=', inferred).execute()
  await server.as(workspace, (ctx) => rollUp(ctx, issueIds, { reason: '', scanId: null }))
  await server.as(workspace, (ctx) => setIssueStatus(ctx, { id, status: 'STATUS_RESOLVED' }, describeTargets))
  await server.as(workspace, async (ctx) => {
    const of = owner.selectFrom('threat').innerJoin('issue', 'issue.threat_id', 'threat.id').where('issue.id', '=', id)
    const threat = await of.selectAll('threat').executeTakeFirstOrThrow()
    const evidence = { location: '80/', port: 80, method: 'version', quality: 70, text: '', highlights: [] }
    const finding = { threat, hostId: inferred, targetId, ...evidence, evidence }
    const raised = await raise(ctx, [finding], [inferred])
    await rollUpRaised(ctx, raised, { reason: '', scanId: null }, [inferred])
  })
  const issue = await owner.selectFrom('issue').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  expect(issue).toMatchObject({
    status: 'STATUS_OPEN',
    verification: 'VERIFICATION_UNVERIFIED',
    quality: 70,
    weight: 0,
    host_count: 2,
  })
})

/** The aggregates and the number of history entries of all issues. */
async function readAggregates(workspace: string) {
  const read = async (table: 'issue' | 'issue_target' | 'host_count' | 'target_count') => {
    const rows = await server.database.owner.selectFrom(table).selectAll().where('account_id', '=', workspace).execute()
    return rows.map((row) => JSON.stringify({ ...row, updated_at: null })).toSorted()
  }
  const events = await server.database.owner
    .selectFrom('issue_event')
    .select('id')
    .where('account_id', '=', workspace)
    .execute()
  return {
    issues: await read('issue'),
    inTargets: await read('issue_target'),
    ofHosts: await read('host_count'),
    ofTargets: await read('target_count'),
    events: events.length,
  }
}

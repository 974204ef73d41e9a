import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Ctx } from '#ctx.ts'
import { rollUpRaised } from '#issues/incremental-rollup.ts'
import { setHostStatus, setIssueStatus } from '#issues/index.ts'
import { raise } from '#issues/raise.ts'
import { rollUp } from '#issues/rollup.ts'
import { type House, openHouse } from '#testing/house.ts'
import { seedIssues } from '#testing/issues.ts'

let house: House
beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house.close())

/** Nobody here looks at targets. */
const describeTargets = async () => new Map<string, never>()
const [issueCount, hostCount] = [5, 9]
const start = Date.parse('2026-11-01T00:00:00Z')

/** The generator of Park and Miller: the same numbers on every run. */
function dice(seed: number) {
  let state = seed
  return (bound: number) => (state = (state * 48_271) % 2_147_483_647) % bound
}

it('matches a full rollup after random batches and decisions', async () => {
  const account = await house.account()
  const { targetId, hostIds, issueIds } = await seedIssues(house, account, {
    issues: issueCount,
    hosts: hostCount,
    at: new Date(start),
  })
  const { owner } = house.database
  // Each issue begins on one host alone; one host matters more, one less, and one can be reached from outside.
  await owner
    .deleteFrom('occurrence')
    .where('account_id', '=', account)
    .where('host_id', '!=', hostIds[0] ?? '')
    .execute()
  const [, outer = '', high = '', low = ''] = hostIds
  await owner.updateTable('host').set({ address: '203.0.113.7' }).where('id', '=', outer).execute()
  await owner.updateTable('host').set({ criticality: 'CRITICALITY_HIGH' }).where('id', '=', high).execute()
  await owner.updateTable('host').set({ criticality: 'CRITICALITY_LOW' }).where('id', '=', low).execute()
  await house.as(account, (ctx) => rollUp(ctx, issueIds, { reason: '', scanId: null }))
  const threats = await owner
    .selectFrom('threat')
    .innerJoin('issue', 'issue.threat_id', 'threat.id')
    .selectAll('threat')
    .where('issue.account_id', '=', account)
    .orderBy('issue.id')
    .execute()

  const below = dice(20_262)
  const any = <T>(all: readonly T[]): T => {
    const one = all[below(all.length)]
    if (one === undefined) throw new Error('of none')
    return one
  }
  const batch = async (ctx: Ctx) => {
    const some = [...new Set([any(hostIds), any(hostIds)])]
    const findings = some.flatMap((hostId) =>
      Array.from({ length: 1 + below(3) }, () => {
        const [threat, location, quality] = [any(threats), any(['80/', '443/']), any([70, 99])]
        const evidence = { location, port: 80, method: 'a-check', quality, text: 'proof', highlights: [] }
        return { threat, hostId, targetId, location, port: 80, method: any(['a-check', 'version']), quality, evidence }
      }),
    )
    const raised = await raise(ctx, findings, some)
    await rollUpRaised(ctx, raised, { reason: '', scanId: null }, some)
    return raised
  }
  const decision = async (ctx: Ctx) => {
    const [id, status] = [any(issueIds), any(['STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_IGNORED'] as const)]
    const to = { id, status, ...(status === 'STATUS_IGNORED' && { reason: 'REASON_MITIGATED' as const }) }
    if (below(2)) await setIssueStatus(ctx, to, describeTargets)
    else await setHostStatus(ctx, { ...to, hostId: any(hostIds) }, describeTargets)
  }
  let [added, repeated] = [0, 0]
  for (let number = 1; number <= 90; number++) {
    const at = new Date(start + number * 60_000)
    const raised = await house.as(account, batch, { now: at })
    added += raised.filter((one) => one.change === 'NEW').length
    repeated += raised.filter((one) => one.isSame).length
    const kept = await standings(account)
    await house.as(account, (ctx) => rollUp(ctx, issueIds, { reason: 'all', scanId: null }), { now: at })
    expect(kept).toEqual(await standings(account))
    // Some of them no person may make, or not there.
    if (number % 3 === 0) {
      await house.as(account, decision, { now: at }).catch((error: unknown) => expect(error).toHaveProperty('code'))
    }
  }
  expect(added).toBeGreaterThan(15)
  expect(repeated).toBeGreaterThan(15)
}, 60_000)

it('aggregates only open occurrences when all others were resolved', async () => {
  const account = await house.account()
  const { targetId, hostIds, issueIds } = await seedIssues(house, account, { issues: 1, hosts: 2, at: new Date(start) })
  const { owner } = house.database
  const [, inferred = ''] = hostIds
  const [id = ''] = issueIds
  await owner.deleteFrom('occurrence').where('account_id', '=', account).where('host_id', '=', inferred).execute()
  await owner.updateTable('host').set({ criticality: 'CRITICALITY_LOW' }).where('id', '=', inferred).execute()
  await house.as(account, (ctx) => rollUp(ctx, issueIds, { reason: '', scanId: null }))
  await house.as(account, (ctx) => setIssueStatus(ctx, { id, status: 'STATUS_RESOLVED' }, describeTargets))
  await house.as(account, async (ctx) => {
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

/** All that is kept of issues, and how much of their history there is. */
async function standings(account: string) {
  const read = async (table: 'issue' | 'issue_target' | 'host_count' | 'target_count') => {
    const rows = await house.database.owner.selectFrom(table).selectAll().where('account_id', '=', account).execute()
    return rows.map((row) => JSON.stringify({ ...row, updated_at: null })).toSorted()
  }
  const events = await house.database.owner
    .selectFrom('issue_event')
    .select('id')
    .where('account_id', '=', account)
    .execute()
  return {
    issues: await read('issue'),
    inTargets: await read('issue_target'),
    ofHosts: await read('host_count'),
    ofTargets: await read('target_count'),
    events: events.length,
  }
}

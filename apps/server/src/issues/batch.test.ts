import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listIssues, setStatusOfMany } from '#issues/index.ts'
import { type IssueFixture, ignored, later, nora, omar, createIssueFixture } from '#issues/testing/fixture.ts'
import { describeTargets, seedIssues } from '#testing/issues.ts'

let fixture: IssueFixture
beforeAll(async () => void (fixture = await createIssueFixture()))
afterAll(() => fixture.close())
beforeEach(() => fixture.renew())

describe('a batch', () => {
  it('moves the valid issues and reports the others', async () => {
    const unknownId = crypto.randomUUID()
    await fixture.decide({ id: fixture.first(), status: 'STATUS_RESOLVED' })
    const ids = [...fixture.seeded.issueIds, unknownId]
    const response = await fixture.batch({ ids, status: 'STATUS_RESOLVED' })
    expect(response.updatedCount).toBe(2)
    expect(response.skipped.toSorted((a, b) => a.code - b.code)).toEqual([
      { id: unknownId, name: '', code: 5, message: `No issue has the ID ${unknownId}` },
      { id: fixture.first(), name: 'Threat 0', code: 10, message: 'Already resolved' },
    ])
    expect(response.before).toEqual([{ status: 'STATUS_OPEN', ids: fixture.seeded.issueIds.slice(1).toSorted() }])
    for (const id of fixture.seeded.issueIds) expect((await fixture.read(id)).status).toBe('STATUS_RESOLVED')
  })

  it("skips issues that can't be ignored for that long", async () => {
    const input = {
      filter: {},
      status: ignored,
      reason: 'REASON_MITIGATED',
      ignoreUntilTime: later(400).toISOString(),
    } as const
    const response = await fixture.batch(input)
    expect(response.updatedCount).toBe(fixture.seeded.lowIds.length)
    expect(new Set(response.skipped.map((item) => item.code))).toEqual(new Set([3]))
  })

  it('selects the same issues by filter as the list', async () => {
    const filter = { severities: ['CATEGORY_LOW' as const] }
    const response = await fixture.batch({ filter, status: ignored, reason: 'REASON_FALSE_POSITIVE' })
    const list = await fixture.server.as(fixture.workspace, (ctx) => listIssues(ctx, { filter }, describeTargets))
    expect(response.updatedCount).toBe(list.totalSize)
    expect(new Set(list.issues.map((issue) => issue.status))).toEqual(new Set([ignored]))
    const manyIds = await fixture.server.as(fixture.workspace, (ctx) => listIssues(ctx, {}, describeTargets))
    expect(manyIds.issues.filter((issue) => issue.status !== ignored)).toHaveLength(2)
  })

  it("can be undone with each issue's own terms, except for issues changed since", async () => {
    const [, other = '', third = ''] = fixture.seeded.issueIds
    const terms = { reason: 'REASON_MITIGATED', comment: 'behind a proxy' } as const
    await fixture.decide({ id: other, status: ignored, ...terms, ignoreUntilTime: later(30).toISOString() })
    const { before = [], decideTime } = await fixture.batch(
      { ids: [...fixture.seeded.issueIds], status: 'STATUS_RESOLVED' },
      omar,
    )
    expect(before.toSorted((a, b) => a.ids.length - b.ids.length)).toEqual([
      { status: ignored, ...terms, ignoreUntilTime: later(30).toISOString(), ids: [other] },
      { status: 'STATUS_OPEN', ids: [fixture.first(), third].toSorted() },
    ])
    await fixture.decide(
      { id: third, status: ignored, reason: 'REASON_FALSE_POSITIVE' },
      { ...nora, now: later(0.002) },
    )
    const responses = await Promise.all(
      before.map(({ status, ...group }) =>
        fixture.batch(
          { ...group, status: status === ignored ? status : 'STATUS_OPEN', unchangedSinceTime: decideTime },
          { ...nora, now: later(0.003) },
        ),
      ),
    )
    expect(responses.flatMap((response) => response.skipped)).toEqual([
      { id: third, name: 'Threat 2', code: 10, message: 'Changed in the meantime' },
    ])
    expect((await fixture.read(fixture.first())).status).toBe('STATUS_OPEN')
    expect((await fixture.read(other)).ignored).toMatchObject({ ...terms, untilTime: later(30).toISOString() })
    expect((await fixture.read(third)).ignored?.reason).toBe('REASON_FALSE_POSITIVE')
  })

  it.each([{}, { ids: [crypto.randomUUID()], filter: {} }])('rejects %j', async (input) => {
    await expect(fixture.batch({ ...input, status: 'STATUS_RESOLVED' })).rejects.toMatchObject({ code: 'invalid' })
  })

  it('uses the same number of statements for a thousand issues as for one', async () => {
    const largeAccount = await fixture.server.createWorkspace()
    const { issueIds } = await seedIssues(fixture.server, largeAccount, { issues: 1000, hosts: 2, at: later(-10) })
    const count = async (ids: readonly string[], status: 'STATUS_RESOLVED') => {
      let statements = 0
      await fixture.server.as(
        largeAccount,
        async (ctx) => {
          const executor = ctx.tx.getExecutor()
          const provide = executor.executeQuery.bind(executor)
          executor.executeQuery = async (...args) => {
            statements++
            return provide(...args)
          }
          const response = await setStatusOfMany(ctx, { ids: [...ids], status })
          expect(response.updatedCount).toBe(ids.length)
        },
        nora,
      )
      return statements
    }
    const [single = '', ...manyIds] = issueIds
    const forMany = await count(manyIds, 'STATUS_RESOLVED')
    expect(forMany).toBeGreaterThan(3)
    expect(forMany).toBe(await count([single], 'STATUS_RESOLVED'))
  })
})

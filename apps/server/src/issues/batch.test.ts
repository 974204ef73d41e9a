import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listIssues, setStatusOfMany } from '#issues/index.ts'
import { type IssueFixture, ignored, later, nora, omar, createIssueFixture } from '#issues/testing/fixture.ts'
import { describeTargets, seedIssues } from '#testing/issues.ts'

let desk: IssueFixture
beforeAll(async () => void (desk = await createIssueFixture()))
afterAll(() => desk.close())
beforeEach(() => desk.renew())

describe('a batch', () => {
  it('moves the valid issues and reports the others', async () => {
    const stranger = crypto.randomUUID()
    await desk.decide({ id: desk.first(), status: 'STATUS_RESOLVED' })
    const ids = [...desk.seeded.issueIds, stranger]
    const answer = await desk.batch({ ids, status: 'STATUS_RESOLVED' })
    expect(answer.updatedCount).toBe(2)
    expect(answer.skipped.toSorted((a, b) => a.code - b.code)).toEqual([
      { id: stranger, name: '', code: 5, message: `Issue ${stranger} was not found` },
      { id: desk.first(), name: 'Threat 0', code: 10, message: 'The issue is already resolved' },
    ])
    expect(answer.before).toEqual([{ status: 'STATUS_OPEN', ids: desk.seeded.issueIds.slice(1).toSorted() }])
    for (const id of desk.seeded.issueIds) expect((await desk.read(id)).status).toBe('STATUS_RESOLVED')
  })

  it("skips issues that can't be ignored for that long", async () => {
    const input = {
      filter: {},
      status: ignored,
      reason: 'REASON_MITIGATED',
      ignoreUntilTime: later(400).toISOString(),
    } as const
    const answer = await desk.batch(input)
    expect(answer.updatedCount).toBe(desk.seeded.lowIds.length)
    expect(new Set(answer.skipped.map((one) => one.code))).toEqual(new Set([3]))
  })

  it('selects the same issues by filter as the list', async () => {
    const filter = { severities: ['CATEGORY_LOW' as const] }
    const answer = await desk.batch({ filter, status: ignored, reason: 'REASON_FALSE_POSITIVE' })
    const list = await desk.house.as(desk.account, (ctx) => listIssues(ctx, { filter }, describeTargets))
    expect(answer.updatedCount).toBe(list.totalSize)
    expect(new Set(list.issues.map((issue) => issue.status))).toEqual(new Set([ignored]))
    const others = await desk.house.as(desk.account, (ctx) => listIssues(ctx, {}, describeTargets))
    expect(others.issues.filter((issue) => issue.status !== ignored)).toHaveLength(2)
  })

  it("can be undone with each issue's own terms, except for issues changed since", async () => {
    const [, other = '', third = ''] = desk.seeded.issueIds
    const terms = { reason: 'REASON_MITIGATED', comment: 'behind a proxy' } as const
    await desk.decide({ id: other, status: ignored, ...terms, ignoreUntilTime: later(30).toISOString() })
    const { before = [], decideTime } = await desk.batch(
      { ids: [...desk.seeded.issueIds], status: 'STATUS_RESOLVED' },
      omar,
    )
    expect(before.toSorted((a, b) => a.ids.length - b.ids.length)).toEqual([
      { status: ignored, ...terms, ignoreUntilTime: later(30).toISOString(), ids: [other] },
      { status: 'STATUS_OPEN', ids: [desk.first(), third].toSorted() },
    ])
    await desk.decide({ id: third, status: ignored, reason: 'REASON_FALSE_POSITIVE' }, { ...nora, now: later(0.002) })
    const answers = await Promise.all(
      before.map(({ status, ...group }) =>
        desk.batch(
          { ...group, status: status === ignored ? status : 'STATUS_OPEN', unchangedSinceTime: decideTime },
          { ...nora, now: later(0.003) },
        ),
      ),
    )
    expect(answers.flatMap((answer) => answer.skipped)).toEqual([
      { id: third, name: 'Threat 2', code: 10, message: 'The issue has changed in the meantime' },
    ])
    expect((await desk.read(desk.first())).status).toBe('STATUS_OPEN')
    expect((await desk.read(other)).ignored).toMatchObject({ ...terms, untilTime: later(30).toISOString() })
    expect((await desk.read(third)).ignored?.reason).toBe('REASON_FALSE_POSITIVE')
  })

  it.each([{}, { ids: [crypto.randomUUID()], filter: {} }])('refuses %j', async (which) => {
    await expect(desk.batch({ ...which, status: 'STATUS_RESOLVED' })).rejects.toMatchObject({ code: 'invalid' })
  })

  it('uses the same number of statements for a thousand issues as for one', async () => {
    const big = await desk.house.account()
    const { issueIds } = await seedIssues(desk.house, big, { issues: 1000, hosts: 2, at: later(-10) })
    const count = async (ids: readonly string[], status: 'STATUS_RESOLVED') => {
      let statements = 0
      await desk.house.as(
        big,
        async (ctx) => {
          const executor = ctx.tx.getExecutor()
          const provide = executor.executeQuery.bind(executor)
          executor.executeQuery = async (...given) => {
            statements++
            return provide(...given)
          }
          const answer = await setStatusOfMany(ctx, { ids: [...ids], status })
          expect(answer.updatedCount).toBe(ids.length)
        },
        nora,
      )
      return statements
    }
    const [alone = '', ...others] = issueIds
    const forMany = await count(others, 'STATUS_RESOLVED')
    expect(forMany).toBeGreaterThan(3)
    expect(forMany).toBe(await count([alone], 'STATUS_RESOLVED'))
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ApiError } from '#errors.ts'
import { reopenExpired, setHostStatus } from '#issues/index.ts'
import {
  type IssueFixture,
  ignored,
  later,
  nora,
  omar,
  historyLines,
  createIssueFixture,
} from '#issues/testing/fixture.ts'
import { person } from '#testing/test-server.ts'
import { describeTargets } from '#testing/issues.ts'

let fixture: IssueFixture
beforeAll(async () => void (fixture = await createIssueFixture()))
afterAll(() => fixture.close())
beforeEach(() => fixture.renew())

describe('ignoring', () => {
  it('accepts a status alone, for at most a year for critical and high risks', async () => {
    const issue = await fixture.decide({ id: fixture.first(), status: ignored })
    expect(issue.ignored).toEqual({ actor: person.name, untilTime: later(365).toISOString() })
    const [low = ''] = fixture.seeded.lowIds
    expect((await fixture.decide({ id: low, status: ignored })).ignored).toEqual({ actor: person.name })
  })

  it('stores reason, comment, end, and user, and shows them until the issue is reopened', async () => {
    const terms = {
      reason: 'REASON_ACCEPTED_RISK',
      comment: 'closed outside',
      ignoreUntilTime: later(41).toISOString(),
    } as const
    const issue = await fixture.decide({ id: fixture.first(), status: ignored, ...terms })
    const { reason, comment, ignoreUntilTime: untilTime } = terms
    expect(issue.ignored).toEqual({ reason, comment, untilTime, actor: person.name })
    expect(issue.affectedHosts.map((item) => item.ignored)).toEqual([issue.ignored, issue.ignored])
    expect(historyLines(issue).at(-1)).toBe(
      'STATUS_IGNORED Nora Ammann Accepted risk until 31 Dec 2026: closed outside',
    )
    expect((await fixture.decide({ id: fixture.first(), status: 'STATUS_OPEN' })).ignored).toBeUndefined()
  })

  it('allows a false positive without an end', async () => {
    const issue = await fixture.decide({ id: fixture.first(), status: ignored, reason: 'REASON_FALSE_POSITIVE' })
    expect(issue.ignored).toEqual({ reason: 'REASON_FALSE_POSITIVE', actor: person.name })
  })

  it.each([
    [{ ignoreUntilTime: later(-1).toISOString(), reason: 'REASON_MITIGATED' }, 'ignoreUntilTime'],
    [{ ignoreUntilTime: later(366).toISOString(), reason: 'REASON_MITIGATED' }, 'ignoreUntilTime'],
    [{ ignoreUntilTime: later(9).toISOString() }, 'reason'],
    [{ comment: 'because' }, 'reason'],
  ] as const)('rejects %j with field %s', async (terms, field) => {
    const rejected = await fixture
      .decide({ id: fixture.first(), status: ignored, ...terms })
      .catch((error: unknown) => error)
    expect(rejected).toBeInstanceOf(ApiError)
    expect(rejected).toMatchObject({ code: 'invalid', violations: [{ field }] })
  })

  it('rejects an end time for other statuses', async () => {
    const input = { id: fixture.first(), status: 'STATUS_RESOLVED', ignoreUntilTime: later(9).toISOString() } as const
    await expect(fixture.decide(input)).rejects.toMatchObject({ code: 'invalid' })
  })

  it.each([
    ['STATUS_RESOLVED', 'Mitigated: firewall'],
    ['STATUS_OPEN', 'firewall'],
  ] as const)('records the reason of %s as %j', async (status, text) => {
    await fixture.decide({ id: fixture.first(), status: ignored, reason: 'REASON_ACCEPTED_RISK' })
    const issue = await fixture.decide({ id: fixture.first(), status, reason: 'REASON_MITIGATED', comment: 'firewall' })
    expect(issue.history.at(-1)).toMatchObject({ status, reason: text })
  })

  it('updates the terms of an ignored issue, and records it once', async () => {
    await fixture.decide({ id: fixture.first(), status: ignored, reason: 'REASON_MITIGATED' })
    const change = {
      id: fixture.first(),
      status: ignored,
      reason: 'REASON_ACCEPTED_RISK',
      ignoreUntilTime: later(30).toISOString(),
    } as const
    const issue = await fixture.decide(change, omar)
    expect(issue.ignored).toMatchObject({
      reason: 'REASON_ACCEPTED_RISK',
      untilTime: later(30).toISOString(),
      actor: 'Omar Frei',
    })
    const lines = historyLines(issue)
    expect(lines.at(-1)).toBe('STATUS_IGNORED Omar Frei Accepted risk until 20 Dec 2026')
    expect(historyLines(await fixture.decide(change, omar))).toEqual(lines)
    expect(historyLines(await fixture.decide({ id: fixture.first(), status: ignored }, omar))).toEqual(lines)
  })

  it('expires per host, with the reason in the history', async () => {
    const [hostId = ''] = fixture.seeded.hostIds
    const until = later(30)
    const input = {
      id: fixture.first(),
      hostId,
      status: ignored,
      reason: 'REASON_MITIGATED',
      ignoreUntilTime: until.toISOString(),
    } as const
    await fixture.server.as(fixture.workspace, (ctx) => setHostStatus(ctx, input, describeTargets), nora)
    const at = (moment: Date) => fixture.server.as(fixture.workspace, reopenExpired, { now: moment })
    expect(await at(new Date(until.getTime() - 1))).toBe(0)
    expect(await at(until)).toBe(1)
    expect(await at(later(99))).toBe(0)
    const host = (await fixture.read(fixture.first())).affectedHosts.find((item) => item.host.id === hostId)
    expect(host).toMatchObject({ status: 'STATUS_OPEN' })
    expect(host && historyLines(host).at(-1)).toBe('STATUS_OPEN scan The ignore period expired')
  })
})

describe('one host', () => {
  it('changes alone; the issue has the worst status of its hosts', async () => {
    const [first = '', second = ''] = fixture.seeded.hostIds
    const resolve = (hostId: string) =>
      fixture.server.as(
        fixture.workspace,
        async (ctx) =>
          (await setHostStatus(ctx, { id: fixture.first(), hostId, status: 'STATUS_RESOLVED' }, describeTargets)).issue,
        nora,
      )
    const half = await resolve(first)
    expect(half.status).toBe('STATUS_OPEN')
    expect(half.affectedHosts.map(({ host, status }) => [host.id, status])).toEqual([
      [second, 'STATUS_OPEN'],
      [first, 'STATUS_RESOLVED'],
    ])
    expect(historyLines(half)).toHaveLength(1)
    expect((await resolve(second)).status).toBe('STATUS_RESOLVED')
  })

  it("is not found if the issue doesn't affect it", async () => {
    const input = { id: fixture.first(), hostId: crypto.randomUUID(), status: 'STATUS_RESOLVED' } as const
    const change = fixture.server.as(fixture.workspace, (ctx) => setHostStatus(ctx, input, describeTargets))
    await expect(change).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('concurrent users', () => {
  it('the later decision wins, and the history shows both', async () => {
    await Promise.all([
      fixture.decide({ id: fixture.first(), status: 'STATUS_RESOLVED' }),
      fixture.decide({ id: fixture.first(), status: ignored, reason: 'REASON_FALSE_POSITIVE' }, omar),
    ])
    const { status, history } = await fixture.read(fixture.first())
    expect(history.at(-1)?.status).toBe(status)
    expect(new Set(history.map((entry) => entry.actor))).toEqual(new Set(['scan', 'Nora Ammann', 'Omar Frei']))
  })

  it.each(['one', 'many'])('are recorded in the order of their decisions, not their requests: %s', async (how) => {
    await fixture.decide({ id: fixture.first(), status: ignored, reason: 'REASON_FALSE_POSITIVE' }, omar)
    // Her request started before his and waited for it.
    if (how === 'one') await fixture.decide({ id: fixture.first(), status: 'STATUS_RESOLVED' }, nora)
    else await fixture.batch({ ids: [fixture.first()], status: 'STATUS_RESOLVED' }, nora)
    const { history } = await fixture.read(fixture.first())
    expect(history.map((entry) => entry.actor)).toEqual(['scan', 'Omar Frei', 'Nora Ammann'])
  })
})

import type { IssueFilter } from '@glacis/contract/issue'
import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Refusal } from '#errors.ts'
import {
  createComment,
  deleteComment,
  exportIssues,
  getIssue,
  listComments,
  listEvidence,
  listIssues,
  reopenDue,
  setHostStatus,
  setIssueStatus,
  setStatusOfMany,
  updateIssue,
} from '#issues/index.ts'
import { type House, openHouse, person } from '#testing/house.ts'
import { createTag, deleteTag, describeTargets, type Seeded, seedIssues } from '#testing/issues.ts'

let house: House
let account: string
let seeded: Seeded
const now = new Date('2026-11-20T08:00:00Z')
const later = (days: number) => new Date(now.getTime() + days * 86_400_000)
const nora = { now, actor: person }
const omar = { now: later(0.001), actor: { ...person, name: 'Omar Frei' } }

beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house.close())
beforeEach(async () => {
  account = await house.account()
  seeded = await seedIssues(house, account, { issues: 3, hosts: 2, at: later(-10) })
})

type Decide = Parameters<typeof setIssueStatus>[1]
const decide = (input: Decide, at = nora) =>
  house.as(account, async (ctx) => (await setIssueStatus(ctx, input, describeTargets)).issue, at)
const read = (id: string) => house.as(account, async (ctx) => (await getIssue(ctx, { id }, describeTargets)).issue)
const batch = (input: Parameters<typeof setStatusOfMany>[1], at = nora) =>
  house.as(account, (ctx) => setStatusOfMany(ctx, input), at)
const words = (issue: {
  history: readonly { status: string; actor?: string | undefined; reason?: string | undefined }[]
}) => issue.history.map(({ status, actor, reason = '' }) => `${status} ${actor} ${reason}`.trim())
const first = () => seeded.issueIds[0] ?? ''
const ignored = 'STATUS_IGNORED' as const

describe('ignoring', () => {
  it('takes a status alone, for at most a year where the risk is critical or high', async () => {
    const issue = await decide({ id: first(), status: ignored })
    expect(issue.ignored).toEqual({ actor: person.name, untilTime: later(365).toISOString() })
    const [low = ''] = seeded.lowIds
    expect((await decide({ id: low, status: ignored })).ignored).toEqual({ actor: person.name })
  })

  it('keeps reason, comment, end and person, and shows them until it is reopened', async () => {
    const terms = {
      reason: 'REASON_ACCEPTED_RISK',
      comment: 'closed outside',
      ignoreUntilTime: later(41).toISOString(),
    } as const
    const issue = await decide({ id: first(), status: ignored, ...terms })
    const { reason, comment, ignoreUntilTime: untilTime } = terms
    expect(issue.ignored).toEqual({ reason, comment, untilTime, actor: person.name })
    expect(issue.affectedHosts.map((one) => one.ignored)).toEqual([issue.ignored, issue.ignored])
    expect(words(issue).at(-1)).toBe('STATUS_IGNORED Nora Ammann Accepted risk until 31 Dec 2026: closed outside')
    expect((await decide({ id: first(), status: 'STATUS_OPEN' })).ignored).toBeUndefined()
  })

  it('lets a false positive stand for ever', async () => {
    const issue = await decide({ id: first(), status: ignored, reason: 'REASON_FALSE_POSITIVE' })
    expect(issue.ignored).toEqual({ reason: 'REASON_FALSE_POSITIVE', actor: person.name })
  })

  it.each([
    [{ ignoreUntilTime: later(-1).toISOString(), reason: 'REASON_MITIGATED' }, 'ignoreUntilTime'],
    [{ ignoreUntilTime: later(366).toISOString(), reason: 'REASON_MITIGATED' }, 'ignoreUntilTime'],
    [{ ignoreUntilTime: later(9).toISOString() }, 'reason'],
    [{ comment: 'because' }, 'reason'],
  ] as const)('refuses %j and names %s', async (terms, field) => {
    const refused = await decide({ id: first(), status: ignored, ...terms }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Refusal)
    expect(refused).toMatchObject({ code: 'invalid', violations: [{ field }] })
  })

  it('refuses an end for anything but ignoring', async () => {
    const input = { id: first(), status: 'STATUS_RESOLVED', ignoreUntilTime: later(9).toISOString() } as const
    await expect(decide(input)).rejects.toMatchObject({ code: 'invalid' })
  })

  it('changes the terms of what is ignored already, and says so once', async () => {
    await decide({ id: first(), status: ignored, reason: 'REASON_MITIGATED' })
    const change = {
      id: first(),
      status: ignored,
      reason: 'REASON_ACCEPTED_RISK',
      ignoreUntilTime: later(30).toISOString(),
    } as const
    const issue = await decide(change, omar)
    expect(issue.ignored).toMatchObject({
      reason: 'REASON_ACCEPTED_RISK',
      untilTime: later(30).toISOString(),
      actor: 'Omar Frei',
    })
    const told = words(issue)
    expect(told.at(-1)).toBe('STATUS_IGNORED Omar Frei Accepted risk until 20 Dec 2026')
    expect(words(await decide(change, omar))).toEqual(told)
    expect(words(await decide({ id: first(), status: ignored }, omar))).toEqual(told)
  })

  it('ends by itself, host by host, and the history says why', async () => {
    const [hostId = ''] = seeded.hostIds
    const until = later(30)
    const input = {
      id: first(),
      hostId,
      status: ignored,
      reason: 'REASON_MITIGATED',
      ignoreUntilTime: until.toISOString(),
    } as const
    await house.as(account, (ctx) => setHostStatus(ctx, input, describeTargets), nora)
    const at = (moment: Date) => house.as(account, reopenDue, { now: moment })
    expect(await at(new Date(until.getTime() - 1))).toBe(0)
    expect(await at(until)).toBe(1)
    expect(await at(later(99))).toBe(0)
    const host = (await read(first())).affectedHosts.find((one) => one.host.id === hostId)
    expect(host).toMatchObject({ status: 'STATUS_OPEN' })
    expect(host && words(host).at(-1)).toBe('STATUS_OPEN scan The time for which it was ignored has ended')
  })
})

describe('one host', () => {
  it('moves alone; the issue stands where the worst of its hosts stands', async () => {
    const [one = '', other = ''] = seeded.hostIds
    const resolve = (hostId: string) =>
      house.as(
        account,
        async (ctx) =>
          (await setHostStatus(ctx, { id: first(), hostId, status: 'STATUS_RESOLVED' }, describeTargets)).issue,
        nora,
      )
    const half = await resolve(one)
    expect(half.status).toBe('STATUS_OPEN')
    expect(half.affectedHosts.map(({ host, status }) => [host.id, status])).toEqual([
      [other, 'STATUS_OPEN'],
      [one, 'STATUS_RESOLVED'],
    ])
    expect(words(half)).toHaveLength(1)
    expect((await resolve(other)).status).toBe('STATUS_RESOLVED')
  })

  it('is not found on an issue that does not affect it', async () => {
    const input = { id: first(), hostId: crypto.randomUUID(), status: 'STATUS_RESOLVED' } as const
    const asked = house.as(account, (ctx) => setHostStatus(ctx, input, describeTargets))
    await expect(asked).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('two people', () => {
  it('decide at the same time: the later one holds, the history has both', async () => {
    await Promise.all([
      decide({ id: first(), status: 'STATUS_RESOLVED' }),
      decide({ id: first(), status: ignored, reason: 'REASON_FALSE_POSITIVE' }, omar),
    ])
    const { status, history } = await read(first())
    expect(history.at(-1)?.status).toBe(status)
    expect(new Set(history.map((entry) => entry.actor))).toEqual(new Set(['scan', 'Nora Ammann', 'Omar Frei']))
  })

  it.each(['one', 'many'])('are told of in the order in which they came to decide, not to ask: %s', async (how) => {
    await decide({ id: first(), status: ignored, reason: 'REASON_FALSE_POSITIVE' }, omar)
    // She asked before him and waited for him.
    if (how === 'one') await decide({ id: first(), status: 'STATUS_RESOLVED' }, nora)
    else await batch({ ids: [first()], status: 'STATUS_RESOLVED' }, nora)
    const { history } = await read(first())
    expect(history.map((entry) => entry.actor)).toEqual(['scan', 'Omar Frei', 'Nora Ammann'])
  })
})

describe('a batch', () => {
  it('moves what can be moved and tells of the rest', async () => {
    const stranger = crypto.randomUUID()
    await decide({ id: first(), status: 'STATUS_RESOLVED' })
    const ids = [...seeded.issueIds, stranger]
    const answer = await batch({ ids, status: 'STATUS_RESOLVED' })
    expect(answer.updatedCount).toBe(2)
    expect(answer.skipped.toSorted((a, b) => a.code - b.code)).toEqual([
      { id: stranger, name: '', code: 5, message: `There is no issue ${stranger}` },
      { id: first(), name: 'Threat 0', code: 10, message: 'It is resolved already' },
    ])
    expect(answer.before).toEqual([{ status: 'STATUS_OPEN', ids: seeded.issueIds.slice(1).toSorted() }])
    for (const id of seeded.issueIds) expect((await read(id)).status).toBe('STATUS_RESOLVED')
  })

  it('skips what cannot be ignored for so long', async () => {
    const input = {
      filter: {},
      status: ignored,
      reason: 'REASON_MITIGATED',
      ignoreUntilTime: later(400).toISOString(),
    } as const
    const answer = await batch(input)
    expect(answer.updatedCount).toBe(seeded.lowIds.length)
    expect(new Set(answer.skipped.map((one) => one.code))).toEqual(new Set([3]))
  })

  it('means by a filter what the list means by it', async () => {
    const filter = { severities: ['CATEGORY_LOW' as const] }
    const answer = await batch({ filter, status: ignored, reason: 'REASON_FALSE_POSITIVE' })
    const list = await house.as(account, (ctx) => listIssues(ctx, { filter }, describeTargets))
    expect(answer.updatedCount).toBe(list.totalSize)
    expect(new Set(list.issues.map((issue) => issue.status))).toEqual(new Set([ignored]))
    const others = await house.as(account, (ctx) => listIssues(ctx, {}, describeTargets))
    expect(others.issues.filter((issue) => issue.status !== ignored)).toHaveLength(2)
  })

  it('is taken back on the terms of each, but for what has changed since', async () => {
    const [, other = '', third = ''] = seeded.issueIds
    const terms = { reason: 'REASON_MITIGATED', comment: 'behind a proxy' } as const
    await decide({ id: other, status: ignored, ...terms, ignoreUntilTime: later(30).toISOString() })
    const { before = [], decideTime } = await batch({ ids: [...seeded.issueIds], status: 'STATUS_RESOLVED' }, omar)
    expect(before.toSorted((a, b) => a.ids.length - b.ids.length)).toEqual([
      { status: ignored, ...terms, ignoreUntilTime: later(30).toISOString(), ids: [other] },
      { status: 'STATUS_OPEN', ids: [first(), third].toSorted() },
    ])
    await decide({ id: third, status: ignored, reason: 'REASON_FALSE_POSITIVE' }, { ...nora, now: later(0.002) })
    const answers = await Promise.all(
      before.map(({ status, ...group }) =>
        batch(
          { ...group, status: status === ignored ? status : 'STATUS_OPEN', unchangedSinceTime: decideTime },
          { ...nora, now: later(0.003) },
        ),
      ),
    )
    expect(answers.flatMap((answer) => answer.skipped)).toEqual([
      { id: third, name: 'Threat 2', code: 10, message: 'It has changed since then' },
    ])
    expect((await read(first())).status).toBe('STATUS_OPEN')
    expect((await read(other)).ignored).toMatchObject({ ...terms, untilTime: later(30).toISOString() })
    expect((await read(third)).ignored?.reason).toBe('REASON_FALSE_POSITIVE')
  })

  it.each([{}, { ids: [crypto.randomUUID()], filter: {} }])('refuses %j', async (which) => {
    await expect(batch({ ...which, status: 'STATUS_RESOLVED' })).rejects.toMatchObject({ code: 'invalid' })
  })

  it('takes as many statements for a thousand issues as for one', async () => {
    const big = await house.account()
    const { issueIds } = await seedIssues(house, big, { issues: 1000, hosts: 2, at: later(-10) })
    const count = async (ids: readonly string[], status: 'STATUS_RESOLVED') => {
      let statements = 0
      await house.as(
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

describe('people, dates and tags', () => {
  const change = (input: Parameters<typeof updateIssue>[1]) =>
    house.as(account, async (ctx) => (await updateIssue(ctx, input, describeTargets)).issue, nora)

  it('are given and taken away, as far as the mask names them', async () => {
    const { identity_id: assigneeId } = await house.database.owner
      .selectFrom('account')
      .select('identity_id')
      .where('id', '=', account)
      .executeTakeFirstOrThrow()
    const dueTime = later(14).toISOString()
    const both = { id: first(), issue: { assigneeId, dueTime } }
    expect(await change({ ...both, updateMask: { paths: ['dueTime'] } })).toMatchObject({ dueTime })
    const given = await change({ ...both, updateMask: { paths: ['assigneeId'] } })
    expect(given).toMatchObject({ dueTime, assignee: { id: assigneeId, name: 'Test' } })
    const filter = { assigneeId }
    const mine = await house.as(account, (ctx) => listIssues(ctx, { filter }, describeTargets))
    expect(mine.issues.map((issue) => issue.id)).toEqual([first()])
    const taken = await change({ id: first(), issue: { dueTime: null }, updateMask: { paths: ['dueTime'] } })
    expect(taken.dueTime).toBeUndefined()
  })

  it('carry the tags of the account: filtered by, exported, and gone with the tag', async () => {
    const make = (name: string, color: number) =>
      house.as(account, async (ctx) => (await createTag(ctx, { tag: { name, color } })).tag, nora)
    const [pci, edge] = [await make('pci', 4), await make('edge', 2)]
    const tag = (...tags: { id: string }[]) =>
      change({ id: first(), issue: { tags: tags.map(({ id }) => ({ id })) }, updateMask: { paths: ['tags'] } })
    expect((await tag(pci, edge)).tags).toEqual([edge, pci])
    const found = async (...tagIds: string[]) => {
      const { issues } = await house.as(account, (ctx) => listIssues(ctx, { filter: { tagIds } }, describeTargets))
      return issues.map((issue) => [issue.id, issue.tags.map(({ name }) => name)])
    }
    expect(await found(pci.id)).toEqual([[first(), ['edge', 'pci']]])
    // The tag of a target goes on to mean the issues within it.
    const zone = await make('zone', 1)
    const targets = await house.database.owner
      .selectFrom('target')
      .select('id')
      .where('account_id', '=', account)
      .execute()
    await house.as(account, ({ tx }) =>
      tx
        .insertInto('target_tag')
        .values(targets.map(({ id }) => ({ account_id: account, target_id: id, tag_id: zone.id })))
        .execute(),
    )
    expect(await found(zone.id)).toHaveLength(seeded.issueIds.length)
    const run = <T>(work: (ctx: Parameters<typeof getIssue>[0]) => Promise<T>) => house.as(account, work)
    expect(
      (
        await Array.fromAsync(
          exportIssues(run, { format: 'csv', columns: ['id', 'tags'], filter: { tagIds: [pci.id] } }),
        )
      ).join(''),
    ).toBe(`id,tags\r\n${first()},edge; pci\r\n`)
    expect((await tag(pci)).tags).toEqual([pci])
    await house.as(account, (ctx) => deleteTag(ctx, { id: pci.id }))
    expect((await read(first())).tags).toEqual([])
    expect(await found(pci.id)).toEqual([])
    const trail = await house.database.owner
      .selectFrom('audit_event')
      .select('detail')
      .where('account_id', '=', account)
      .where('action', '=', 'issue.update')
      .execute()
    expect(trail).toHaveLength(2)
    expect(trail.map((row) => row.detail)).toEqual(
      expect.arrayContaining([{ tags: [{ id: pci.id }, { id: edge.id }] }, { tags: [{ id: pci.id }] }]),
    )
  })

  it.each<[Parameters<typeof updateIssue>[1]['issue'], string, string]>([
    [{ assigneeId: 'a stranger' }, 'assigneeId', 'issue.assigneeId'],
    [{ tags: [{ id: '00000000-0000-4000-8000-000000000000' }] }, 'tags', 'issue.tags'],
    [{}, 'status', 'updateMask.paths'],
  ])('refuses %j by %s', async (issue, path, field) => {
    const asked = change({ id: first(), issue, updateMask: { paths: [path] } })
    await expect(asked).rejects.toMatchObject({ code: 'invalid', violations: [{ field }] })
  })
})

describe('comments', () => {
  it('stand newest first, in pages, and go again', async () => {
    const say = (text: string) => house.as(account, (ctx) => createComment(ctx, { id: first(), text }), nora)
    for (const text of ['one', 'two', 'three']) await say(text)
    const list = (pageToken?: string) =>
      house.as(account, (ctx) => listComments(ctx, { id: first(), pageSize: 2, pageToken }))
    const page = await list()
    expect(page.comments.map(({ text, actor }) => [text, actor])).toEqual([
      ['three', person.name],
      ['two', person.name],
    ])
    const [newest] = page.comments
    await house.as(account, (ctx) => deleteComment(ctx, { id: first(), commentId: newest?.id ?? '' }))
    expect((await list(page.nextPageToken)).comments.map(({ text }) => text)).toEqual(['one'])
    expect((await list()).comments).toHaveLength(2)
  })
})

describe('lists', () => {
  const list = async (input: Parameters<typeof listIssues>[1]) =>
    house.as(account, (ctx) => listIssues(ctx, input, describeTargets))

  it.each([
    [{ cve: 'cve-2026-0001' }, 1],
    [{ minEpss: 0.5 }, 1],
    [{ kev: true }, 1],
    [{ fixAvailable: true }, 1],
    [{ query: 'THREAT 2' }, 1],
    [{ query: 'threat_2' }, 0],
    [{ newSince: later(-11).toISOString() }, 3],
    [{ newSince: later(-9).toISOString() }, 0],
    [{ regressive: true }, 0],
    [{ tagIds: [crypto.randomUUID()] }, 0],
  ])('filters by %j', async (filter, size) => {
    expect((await list({ filter })).totalSize).toBe(size)
  })

  it('shows, inside a host, that host first', async () => {
    for (const hostId of seeded.hostIds) {
      const { issues } = await list({ filter: { affectedHostId: hostId } })
      expect(issues.map((issue) => issue.affectedHosts[0]?.host.id)).toEqual(issues.map(() => hostId))
    }
  })

  it('asks, inside a host or a target, for the status there and not for that of the whole', async () => {
    const [id = ''] = seeded.issueIds
    const [here = '', there = ''] = seeded.hostIds
    const resolveOn = (hostId: string) =>
      house.as(account, (ctx) => setHostStatus(ctx, { id, hostId, status: 'STATUS_RESOLVED' }, describeTargets), nora)
    await resolveOn(here)
    const ids = async (filter: IssueFilter) => (await list({ filter })).issues.map((issue) => issue.id)
    const [open, resolved] = [['STATUS_FILTER_OPEN' as const], ['STATUS_FILTER_RESOLVED' as const]]
    expect(await ids({ affectedHostId: here, status: resolved })).toEqual([id])
    expect(await ids({ affectedHostId: here, status: open })).not.toContain(id)
    expect(await ids({ affectedHostId: there, status: open })).toContain(id)
    expect(await ids({ affectedHostId: there, status: resolved })).toEqual([])
    expect(await ids({ affectedTargetId: seeded.targetId, status: resolved })).toEqual([])
    await resolveOn(there)
    expect(await ids({ affectedTargetId: seeded.targetId, status: resolved })).toEqual([id])
    expect(await ids({ affectedTargetId: seeded.targetId, status: open })).not.toContain(id)
    expect(await ids({ affectedTargetId: seeded.targetId, regressive: true })).toEqual([])
  })

  it.each([
    'ORDER_BY_MOST_RECENT',
    'ORDER_BY_PRIORITY',
    'ORDER_BY_SEVERITY',
    'ORDER_BY_EPSS',
    'ORDER_BY_AFFECTED_HOSTS',
    'ORDER_BY_OLDEST',
  ] as const)('pages by %s without gaps or repeats', async (orderBy) => {
    const whole = (await list({ orderBy })).issues.map((issue) => issue.id)
    const pages: string[] = []
    for (let pageToken: string | undefined; pageToken !== '';) {
      const page = await list({ orderBy, pageSize: 1, pageToken })
      pages.push(...page.issues.map((issue) => issue.id))
      pageToken = page.nextPageToken
    }
    expect(pages).toEqual(whole)
    expect(whole).toHaveLength(3)
  })
})

it.each([
  ['ORDER_BY_MOST_RECENT', 'issue_by_recency'],
  ['ORDER_BY_PRIORITY', 'issue_by_priority'],
  ['ORDER_BY_SEVERITY', 'issue_by_score'],
  ['ORDER_BY_EPSS', 'issue_by_epss'],
  ['ORDER_BY_AFFECTED_HOSTS', 'issue_by_hosts'],
  ['ORDER_BY_OLDEST', 'issue_by_age'],
] as const)('reads %s from its index, without sorting', async (orderBy, index) => {
  const filter = { verification: 'VERIFICATION_FILTER_VERIFIED' as const }
  const plan = await house.as(account, async (ctx) => {
    // A table of three rows is read faster in any other way.
    await sql`select set_config(name, 'off', true) from unnest(${['enable_seqscan', 'enable_sort', 'enable_bitmapscan']}::text[]) as name`.execute(
      ctx.tx,
    )
    const asked: CompiledQuery[] = []
    const executor = ctx.tx.getExecutor()
    const execute = executor.executeQuery.bind(executor)
    executor.executeQuery = async (query, ...rest) => {
      asked.push(query)
      return execute(query, ...rest)
    }
    await listIssues(ctx, { orderBy, filter }, describeTargets)
    const [query] = asked.filter((one) => one.sql.includes('order_key'))
    if (!query) throw new Error('the list was not asked for')
    const { rows } = await execute<{ 'QUERY PLAN': string }>({ ...query, sql: `explain ${query.sql}` })
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  expect([plan.includes(index), plan.includes('Sort')]).toEqual([true, false])
})

it('shows the proofs of one host or of all, in pages', async () => {
  const [hostId = ''] = seeded.hostIds
  const ask = (input: object) => house.as(account, (ctx) => listEvidence(ctx, { id: first(), ...input }))
  const { evidence } = await ask({ hostId })
  expect(evidence).toMatchObject([{ hostId, method: 'a-check', text: 'proof', status: 'STATUS_OPEN' }])
  const one = await ask({ pageSize: 1 })
  const two = await ask({ pageSize: 1, pageToken: one.nextPageToken })
  expect([...one.evidence, ...two.evidence].map((proof) => proof.hostId).toSorted()).toEqual(seeded.hostIds.toSorted())
  expect(two.nextPageToken).toBe('')
})

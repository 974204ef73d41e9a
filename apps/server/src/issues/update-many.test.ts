import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listAuditEvents } from '#audit.ts'
import { listIssues, setIssueStatus, updateIssue, updateManyIssues } from '#issues/index.ts'
import { type IssueFixture, createIssueFixture, historyLines, later, nora, omar } from '#issues/testing/fixture.ts'
import { noticesSince, startOfStream } from '#notifications/index.ts'
import { describeTargets, seedIssues } from '#testing/issues.ts'
import { statementsOf } from '#testing/statements.ts'

type Input = Parameters<typeof updateManyIssues>[1]

let fixture: IssueFixture
beforeAll(async () => void (fixture = await createIssueFixture()))
afterAll(() => fixture.close())
beforeEach(async () => {
  await fixture.renew()
  const { database } = fixture.server
  await database.owner
    .insertInto('member')
    .values(
      ['lea', 'max'].map((identity_id) => ({
        account_id: fixture.workspace,
        identity_id,
        role: 'analyst' as const,
        name: identity_id === 'lea' ? 'Lea' : 'Max',
        email: `${identity_id}@example.ch`,
      })),
    )
    .execute()
})

const update = (input: Input, at = nora) =>
  fixture.server.as(fixture.workspace, (ctx) => updateManyIssues(ctx, input), at)
const updateOne = (id: string, issue: Input['issue'], at = nora) =>
  fixture.server.as(
    fixture.workspace,
    (ctx) => updateIssue(ctx, { id, issue, updateMask: { paths: Object.keys(issue) } }, describeTargets),
    at,
  )
const assign = (ids: readonly string[], assigneeId: string | null, more: Partial<Input> = {}, at = nora) =>
  update({ ids: [...ids], issue: { assigneeId }, updateMask: { paths: ['assigneeId'] }, ...more }, at)
const due = { paths: ['dueTime'] }
const allIds = () => fixture.seeded.issueIds
const stateOf = async (id: string) => {
  const { assignee, dueTime } = await fixture.read(id)
  return { assignee: assignee?.name, dueTime }
}

describe('an update of many issues', () => {
  it('changes only the named fields, with the history, audit, and live events of an update of each', async () => {
    const [first = '', second = '', third = ''] = allIds()
    const dueTime = later(24).toISOString()
    const from = await fixture.server.as(fixture.workspace, startOfStream)
    const both = { issue: { assigneeId: 'lea', dueTime }, updateMask: { paths: ['assigneeId', 'dueTime'] } }
    const response = await update({ ids: [first, second], ...both })
    expect(response).toMatchObject({ updatedCount: 2, skipped: [], skippedCount: 0 })
    await updateOne(third, { assigneeId: 'lea', dueTime })
    for (const id of allIds()) {
      expect(await stateOf(id)).toEqual({ assignee: 'Lea', dueTime })
      expect(
        historyLines(await fixture.read(id))
          .slice(-2)
          .toSorted(),
      ).toEqual(['STATUS_OPEN Nora Ammann Assigned to Lea', 'STATUS_OPEN Nora Ammann Due date set to 14 Dec 2026'])
    }
    const { events } = await fixture.server.as(fixture.workspace, (ctx) =>
      listAuditEvents(ctx, { filter: { action: 'issue.update' } }),
    )
    expect(events.map(({ resource }) => resource.id).toSorted()).toEqual([...allIds()].toSorted())
    for (const { actor, detail } of events) {
      expect(actor.name).toBe('Nora Ammann')
      expect(detail).toEqual({ assigneeId: 'lea', dueTime })
    }
    const notices = await fixture.server.as(fixture.workspace, (ctx) => noticesSince(ctx, from, 100))
    expect(notices.map(({ kind, resource }) => `${kind} ${resource.id}`).toSorted()).toEqual(
      allIds()
        .map((id) => `EVENT_ISSUE_CHANGED ${id}`)
        .toSorted(),
    )
    await assign([first, second, third], null)
    expect(await stateOf(first)).toEqual({ assignee: undefined, dueTime })
  })

  it('selects by filter like the list, and leaves issues that already have the values', async () => {
    const [low = ''] = fixture.seeded.lowIds
    await assign([low], 'lea')
    const lines = historyLines(await fixture.read(low))
    const filter = { severities: ['CATEGORY_LOW' as const] }
    const response = await assign([], 'lea', { ids: undefined, filter })
    const { issues } = await fixture.server.as(fixture.workspace, (ctx) => listIssues(ctx, { filter }, describeTargets))
    expect(issues.every((issue) => issue.assignee?.id === 'lea')).toBe(true)
    expect(response).toMatchObject({ updatedCount: issues.length - 1, skippedCount: 0 })
    expect(historyLines(await fixture.read(low))).toEqual(lines)
    expect(await stateOf(fixture.first())).toMatchObject({ assignee: undefined })
  })

  it('reports when nothing changed', async () => {
    expect(await assign(allIds(), null)).toEqual({ updatedCount: 0, skipped: [], skippedCount: 0, before: [] })
  })

  it('skips unknown issues and those of other workspaces', async () => {
    const { server } = fixture
    const other = await server.createWorkspace()
    const { issueIds } = await seedIssues(server, other, { issues: 1, hosts: 1, at: later(-10) })
    const [foreign = ''] = issueIds
    const response = await assign([fixture.first(), foreign], 'lea')
    expect(response).toMatchObject({
      updatedCount: 1,
      skipped: [{ id: foreign, name: '', code: 5, message: `No issue has the ID ${foreign}` }],
      skippedCount: 1,
    })
    const rows = await server.database.owner
      .selectFrom('issue')
      .select('assignee_id')
      .where('id', '=', foreign)
      .execute()
    expect(rows).toEqual([{ assignee_id: null }])
  })

  it('can be undone with the previous values, except for issues that someone else assigned since', async () => {
    const [first = '', second = '', third = ''] = allIds()
    const dueTime = later(24).toISOString()
    await assign([first], 'max')
    const { before = [] } = await assign(allIds(), 'lea')
    expect(before.toSorted((a, b) => a.ids.length - b.ids.length)).toEqual([
      { issue: { assigneeId: 'max' }, ids: [first] },
      { issue: { assigneeId: null }, ids: [second, third].toSorted() },
    ])
    await updateOne(second, { dueTime })
    await updateOne(third, { assigneeId: 'max' })
    const responses = await Promise.all(
      before.map(({ issue, ids }) => assign(ids, null, { issue, expectedIssue: { assigneeId: 'lea' } })),
    )
    expect(responses.flatMap(({ skipped }) => skipped)).toEqual([
      { id: third, name: 'Threat 2', code: 10, message: 'Changed in the meantime' },
    ])
    expect(await Promise.all([first, second, third].map(stateOf))).toEqual([
      { assignee: 'Max', dueTime: undefined },
      { assignee: undefined, dueTime },
      { assignee: 'Max', dueTime: undefined },
    ])
  })

  it('expects a due date at the same time, however it is written', async () => {
    await update({ ids: allIds().slice(0, 1), issue: { dueTime: '2026-12-14T22:59:59Z' }, updateMask: due })
    const undo = { ids: [...allIds()], issue: { dueTime: null }, updateMask: due }
    const response = await update({ ...undo, expectedIssue: { dueTime: '2026-12-14T23:59:59+01:00' } })
    expect(response).toMatchObject({ updatedCount: 1, skippedCount: 2 })
  })

  it('is recorded after a change that it waited for', async () => {
    await fixture.server.as(
      fixture.workspace,
      (ctx) => setIssueStatus(ctx, { id: fixture.first(), status: 'STATUS_RESOLVED' }, describeTargets),
      omar,
    )
    await assign([fixture.first()], 'lea')
    expect(historyLines(await fixture.read(fixture.first())).slice(-2)).toEqual([
      'STATUS_RESOLVED Omar Frei',
      'STATUS_RESOLVED Nora Ammann Assigned to Lea',
    ])
  })

  it.each<[Partial<Input>, string]>([
    [{ issue: { assigneeId: 'unknown-user' } }, 'issue.assigneeId'],
    [{ updateMask: { paths: ['tags'] } }, 'updateMask.paths'],
    [{ ids: undefined }, 'ids'],
    [{ filter: {} }, 'ids'],
  ])('rejects %j with field %s, and changes nothing', async (input, field) => {
    await expect(assign(allIds(), 'lea', input)).rejects.toMatchObject({ code: 'invalid', violations: [{ field }] })
    for (const id of allIds()) expect(await stateOf(id)).toMatchObject({ assignee: undefined })
  })

  it('uses the same statements and parameters for thousands of issues as for one, and locks in order', async () => {
    const { server } = fixture
    const large = await server.createWorkspace()
    const { issueIds } = await seedIssues(server, large, { issues: 6000, hosts: 1, at: later(-10) })
    const [single = '', ...many] = issueIds
    const run = (ids: readonly string[]) =>
      statementsOf(() =>
        server.as(
          large,
          async (ctx) => {
            const dueTime = later(24).toISOString()
            const input = { ids: [...ids], issue: { dueTime }, updateMask: due }
            expect((await updateManyIssues(ctx, input)).updatedCount).toBe(ids.length)
          },
          nora,
        ),
      )
    const forOne = await run([single])
    const forMany = await run(many)
    const shapeOf = (statements: typeof forOne) => statements.map(({ text, values }) => [text, values.length])
    expect(shapeOf(forMany)).toEqual(shapeOf(forOne))
    expect(forMany.filter(({ text }) => /order by issue\.id\s+for update of issue$/.test(text))).toHaveLength(1)
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createComment,
  deleteComment,
  exportIssues,
  getIssue,
  listComments,
  listIssues,
  updateIssue,
} from '#issues/index.ts'
import { type IssueFixture, later, nora, createIssueFixture } from '#issues/testing/fixture.ts'
import { person } from '#testing/house.ts'
import { createTag, deleteTag, describeTargets } from '#testing/issues.ts'

let desk: IssueFixture
beforeAll(async () => void (desk = await createIssueFixture()))
afterAll(() => desk.close())
beforeEach(() => desk.renew())

describe('assignees, due dates and tags', () => {
  const change = (input: Parameters<typeof updateIssue>[1]) =>
    desk.house.as(desk.account, async (ctx) => (await updateIssue(ctx, input, describeTargets)).issue, nora)

  it('are set and removed according to updateMask', async () => {
    const { identity_id: assigneeId } = await desk.house.database.owner
      .selectFrom('account')
      .select('identity_id')
      .where('id', '=', desk.account)
      .executeTakeFirstOrThrow()
    const dueTime = later(14).toISOString()
    const both = { id: desk.first(), issue: { assigneeId, dueTime } }
    expect(await change({ ...both, updateMask: { paths: ['dueTime'] } })).toMatchObject({ dueTime })
    const given = await change({ ...both, updateMask: { paths: ['assigneeId'] } })
    expect(given).toMatchObject({ dueTime, assignee: { id: assigneeId, name: 'Test' } })
    const filter = { assigneeId }
    const mine = await desk.house.as(desk.account, (ctx) => listIssues(ctx, { filter }, describeTargets))
    expect(mine.issues.map((issue) => issue.id)).toEqual([desk.first()])
    const taken = await change({ id: desk.first(), issue: { dueTime: null }, updateMask: { paths: ['dueTime'] } })
    expect(taken.dueTime).toBeUndefined()
  })

  it("use the account's tags: filter, export and delete", async () => {
    const make = (name: string, color: number) =>
      desk.house.as(desk.account, async (ctx) => (await createTag(ctx, { tag: { name, color } })).tag, nora)
    const [pci, edge] = [await make('pci', 4), await make('edge', 2)]
    const tag = (...tags: { id: string }[]) =>
      change({ id: desk.first(), issue: { tags: tags.map(({ id }) => ({ id })) }, updateMask: { paths: ['tags'] } })
    expect((await tag(pci, edge)).tags).toEqual([edge, pci])
    const found = async (...tagIds: string[]) => {
      const { issues } = await desk.house.as(desk.account, (ctx) =>
        listIssues(ctx, { filter: { tagIds } }, describeTargets),
      )
      return issues.map((issue) => [issue.id, issue.tags.map(({ name }) => name)])
    }
    expect(await found(pci.id)).toEqual([[desk.first(), ['edge', 'pci']]])
    // The tag of a target goes on to mean the issues within it.
    const zone = await make('zone', 1)
    const targets = await desk.house.database.owner
      .selectFrom('target')
      .select('id')
      .where('account_id', '=', desk.account)
      .execute()
    await desk.house.as(desk.account, ({ tx }) =>
      tx
        .insertInto('target_tag')
        .values(targets.map(({ id }) => ({ account_id: desk.account, target_id: id, tag_id: zone.id })))
        .execute(),
    )
    expect(await found(zone.id)).toHaveLength(desk.seeded.issueIds.length)
    const run = <T>(work: (ctx: Parameters<typeof getIssue>[0]) => Promise<T>) => desk.house.as(desk.account, work)
    expect(
      (
        await Array.fromAsync(
          exportIssues(run, { format: 'csv', columns: ['id', 'tags'], filter: { tagIds: [pci.id] } }),
        )
      ).join(''),
    ).toBe(`id,tags\r\n${desk.first()},edge; pci\r\n`)
    expect((await tag(pci)).tags).toEqual([pci])
    await desk.house.as(desk.account, (ctx) => deleteTag(ctx, { id: pci.id }))
    expect((await desk.read(desk.first())).tags).toEqual([])
    expect(await found(pci.id)).toEqual([])
    const trail = await desk.house.database.owner
      .selectFrom('audit_event')
      .select('detail')
      .where('account_id', '=', desk.account)
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
    const asked = change({ id: desk.first(), issue, updateMask: { paths: [path] } })
    await expect(asked).rejects.toMatchObject({ code: 'invalid', violations: [{ field }] })
  })
})

describe('comments', () => {
  it('are listed newest first, in pages, and can be deleted', async () => {
    const say = (text: string) =>
      desk.house.as(desk.account, (ctx) => createComment(ctx, { id: desk.first(), text }), nora)
    for (const text of ['one', 'two', 'three']) await say(text)
    const list = (pageToken?: string) =>
      desk.house.as(desk.account, (ctx) => listComments(ctx, { id: desk.first(), pageSize: 2, pageToken }))
    const page = await list()
    expect(page.comments.map(({ text, actor }) => [text, actor])).toEqual([
      ['three', person.name],
      ['two', person.name],
    ])
    const [newest] = page.comments
    await desk.house.as(desk.account, (ctx) => deleteComment(ctx, { id: desk.first(), commentId: newest?.id ?? '' }))
    expect((await list(page.nextPageToken)).comments.map(({ text }) => text)).toEqual(['one'])
    expect((await list()).comments).toHaveLength(2)
  })
})

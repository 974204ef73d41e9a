import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createComment,
  deleteComment,
  deliverMention,
  exportIssues,
  getIssue,
  listComments,
  listIssues,
  updateIssue,
} from '#issues/index.ts'
import { type IssueFixture, historyLines, later, nora, createIssueFixture } from '#issues/testing/fixture.ts'
import { person } from '#testing/test-server.ts'
import { createTag, deleteTag, describeTargets } from '#testing/issues.ts'

const silentLog = { info() {}, warn() {}, error() {} }
let fixture: IssueFixture
beforeAll(async () => void (fixture = await createIssueFixture()))
afterAll(() => fixture.close())
beforeEach(() => fixture.renew())

describe('assignees, due dates, and tags', () => {
  const change = (input: Parameters<typeof updateIssue>[1]) =>
    fixture.server.as(fixture.workspace, async (ctx) => (await updateIssue(ctx, input, describeTargets)).issue, nora)

  it('are set and removed according to updateMask', async () => {
    const { identity_id: assigneeId } = await fixture.server.database.owner
      .selectFrom('member')
      .select('identity_id')
      .where('account_id', '=', fixture.workspace)
      .executeTakeFirstOrThrow()
    const dueTime = later(14).toISOString()
    const both = { id: fixture.first(), issue: { assigneeId, dueTime } }
    expect(await change({ ...both, updateMask: { paths: ['dueTime'] } })).toMatchObject({ dueTime })
    const assigned = await change({ ...both, updateMask: { paths: ['assigneeId'] } })
    expect(assigned).toMatchObject({ dueTime, assignee: { id: assigneeId, name: 'Test' } })
    const notes = ({ history }: typeof assigned) => history.map(({ reason, actor }) => [reason, actor])
    expect(notes(assigned).at(-1)).toEqual(['Assigned to Test', nora.actor.name])
    const again = await change({ ...both, updateMask: { paths: ['assigneeId'] } })
    expect(notes(again)).toEqual(notes(assigned))
    const filter = { assigneeId }
    const unassigned = await fixture.server.as(fixture.workspace, (ctx) =>
      listIssues(ctx, { filter: { isUnassigned: true } }, describeTargets),
    )
    expect(unassigned.issues.map((issue) => issue.id)).not.toContain(fixture.first())
    const mine = await fixture.server.as(fixture.workspace, (ctx) => listIssues(ctx, { filter }, describeTargets))
    expect(mine.issues.map((issue) => issue.id)).toEqual([fixture.first()])
    await fixture.server.database.owner
      .updateTable('member')
      .set({ left_at: new Date() })
      .where('account_id', '=', fixture.workspace)
      .execute()
    const assignment = async (isUnassigned: boolean) => {
      const list = await fixture.server.as(fixture.workspace, (ctx) =>
        listIssues(ctx, { filter: { isUnassigned } }, describeTargets),
      )
      return list.issues.find((issue) => issue.id === fixture.first())?.assignee?.name
    }
    expect([await assignment(true), await assignment(false)]).toEqual(['Test', undefined])
    const cleared = await change({ id: fixture.first(), issue: { dueTime: null }, updateMask: { paths: ['dueTime'] } })
    expect(cleared.dueTime).toBeUndefined()
  })

  it('of an issue are in its history, with the day of the workspace and who set it', async () => {
    const workspace = fixture.server.database.owner.updateTable('workspace').where('id', '=', fixture.workspace)
    await workspace.set({ time_zone: 'America/Los_Angeles' }).execute()
    const setDue = (dueTime: string | null) =>
      change({ id: fixture.first(), issue: { dueTime }, updateMask: { paths: ['dueTime'] } })
    const before = historyLines(await fixture.read(fixture.first()))
    await setDue('2026-12-15T07:59:59Z')
    await setDue('2026-12-15T07:59:59Z')
    const removed = await setDue(null)
    expect(historyLines(removed)).toEqual([
      ...before,
      'STATUS_OPEN Nora Ammann Due date set to 14 Dec 2026',
      'STATUS_OPEN Nora Ammann Due date removed',
    ])
    expect(historyLines(await setDue(null))).toEqual(historyLines(removed))
  })

  it("use the workspace's tags: filter, export, and delete", async () => {
    const makeTag = (name: string, color: number) =>
      fixture.server.as(fixture.workspace, async (ctx) => (await createTag(ctx, { tag: { name, color } })).tag, nora)
    const [pci, edge] = [await makeTag('pci', 4), await makeTag('edge', 2)]
    const tag = (...tags: { id: string }[]) =>
      change({ id: fixture.first(), issue: { tags: tags.map(({ id }) => ({ id })) }, updateMask: { paths: ['tags'] } })
    expect((await tag(pci, edge)).tags).toEqual([edge, pci])
    const idsWithTags = async (...tagIds: string[]) => {
      const { issues } = await fixture.server.as(fixture.workspace, (ctx) =>
        listIssues(ctx, { filter: { tagIds } }, describeTargets),
      )
      return issues.map((issue) => [issue.id, issue.tags.map(({ name }) => name)])
    }
    expect(await idsWithTags(pci.id)).toEqual([[fixture.first(), ['edge', 'pci']]])
    // The tag filter also matches issues in targets with the tag.
    const zone = await makeTag('zone', 1)
    const targets = await fixture.server.database.owner
      .selectFrom('target')
      .select('id')
      .where('account_id', '=', fixture.workspace)
      .execute()
    await fixture.server.as(fixture.workspace, ({ tx }) =>
      tx
        .insertInto('target_tag')
        .values(targets.map(({ id }) => ({ account_id: fixture.workspace, target_id: id, tag_id: zone.id })))
        .execute(),
    )
    expect(await idsWithTags(zone.id)).toHaveLength(fixture.seeded.issueIds.length)
    const run = <T>(work: (ctx: Parameters<typeof getIssue>[0]) => Promise<T>) =>
      fixture.server.as(fixture.workspace, work)
    expect(
      (
        await Array.fromAsync(
          exportIssues(run, { format: 'csv', columns: ['id', 'tags'], filter: { tagIds: [pci.id] } }),
        )
      ).join(''),
    ).toBe(`id,tags\r\n${fixture.first()},edge; pci\r\n`)
    expect((await tag(pci)).tags).toEqual([pci])
    await fixture.server.as(fixture.workspace, (ctx) => deleteTag(ctx, { id: pci.id }))
    expect((await fixture.read(fixture.first())).tags).toEqual([])
    expect(await idsWithTags(pci.id)).toEqual([])
    const trail = await fixture.server.database.owner
      .selectFrom('audit_event')
      .select('detail')
      .where('account_id', '=', fixture.workspace)
      .where('action', '=', 'issue.update')
      .execute()
    expect(trail).toHaveLength(2)
    expect(trail.map((row) => row.detail)).toEqual(
      expect.arrayContaining([{ tags: [{ id: pci.id }, { id: edge.id }] }, { tags: [{ id: pci.id }] }]),
    )
  })

  it.each<[Parameters<typeof updateIssue>[1]['issue'], string, string]>([
    [{ assigneeId: 'unknown-user' }, 'assigneeId', 'issue.assigneeId'],
    [{ tags: [{ id: '00000000-0000-4000-8000-000000000000' }] }, 'tags', 'issue.tags'],
    [{}, 'status', 'updateMask.paths'],
  ])('rejects %j with field %s', async (issue, path, field) => {
    const attempt = change({ id: fixture.first(), issue, updateMask: { paths: [path] } })
    await expect(attempt).rejects.toMatchObject({ code: 'invalid', violations: [{ field }] })
  })
})

describe('comments', () => {
  it('are listed newest first, in pages, and can be deleted', async () => {
    const addComment = (text: string) =>
      fixture.server.as(
        fixture.workspace,
        (ctx) => createComment(ctx, fixture.server.jobs, { id: fixture.first(), text }),
        nora,
      )
    for (const text of ['one', 'two', 'three']) await addComment(text)
    const list = (pageToken?: string) =>
      fixture.server.as(fixture.workspace, (ctx) => listComments(ctx, { id: fixture.first(), pageSize: 2, pageToken }))
    const page = await list()
    expect(page.comments.map(({ text, actor }) => [text, actor])).toEqual([
      ['three', person.name],
      ['two', person.name],
    ])
    const [newest] = page.comments
    await fixture.server.as(fixture.workspace, (ctx) =>
      deleteComment(ctx, { id: fixture.first(), commentId: newest?.id ?? '' }),
    )
    expect((await list(page.nextPageToken)).comments.map(({ text }) => text)).toEqual(['one'])
    expect((await list()).comments).toHaveLength(2)
  })

  it('mail the members they mention, but not their author', async () => {
    const mails: { to: string; subject: string; text: string }[] = []
    const mailer = { deliver: async (mail: (typeof mails)[number]) => void mails.push(mail), close: () => undefined }
    const { server, workspace } = fixture
    const member = {
      account_id: workspace,
      identity_id: 'mia',
      role: 'viewer' as const,
      name: 'Mia',
      email: 'mia@example.ch',
    }
    await server.database.owner.insertInto('member').values(member).execute()
    const comment = (mentionIds: string[]) =>
      server.as(
        workspace,
        (ctx) => createComment(ctx, server.jobs, { id: fixture.first(), text: 'Look', mentionIds }),
        nora,
      )
    await expect(comment(['an outsider'])).rejects.toMatchObject({ code: 'invalid' })
    const { comment: written } = await comment(['mia', 'mia', person.id ?? ''])
    expect(written.mentionIds).toEqual(['mia', person.id])
    const { rows } = await sql<{ data: { account: string; commentId: string; memberId: string } }>`
      select data from pgboss.job where name = 'mention' and data ->> 'account' = ${workspace}`.execute(
      server.database.owner,
    )
    expect(rows.map(({ data }) => data.memberId)).toEqual(['mia'])
    const mailing = { database: server.database, mailer, url: 'https://glacis.example', log: silentLog }
    for (const { data } of rows) await deliverMention(mailing, { data })
    expect(mails).toMatchObject([
      { to: 'mia@example.ch', subject: expect.stringMatching(/^Nora Ammann mentioned you: /) },
    ])
    expect(mails[0]?.text).toContain(`“Look”`)
    await server.as(workspace, (ctx) => deleteComment(ctx, { id: fixture.first(), commentId: written.id }), nora)
    for (const { data } of rows) await deliverMention(mailing, { data })
    expect(mails).toHaveLength(1)
  })

  it('of others are deleted by admins, not by analysts', async () => {
    const { server, workspace } = fixture
    const { comment } = await server.as(
      workspace,
      (ctx) => createComment(ctx, server.jobs, { id: fixture.first(), text: 'Mine' }),
      nora,
    )
    const remove = (role: 'analyst' | 'admin') =>
      server.as(workspace, (ctx) => deleteComment(ctx, { id: fixture.first(), commentId: comment.id }), {
        actor: { ...person, id: 'other', role },
      })
    await expect(remove('analyst')).rejects.toMatchObject({ code: 'forbidden', reason: 'ROLE_NOT_ALLOWED' })
    expect(await remove('admin')).toEqual({})
  })
})

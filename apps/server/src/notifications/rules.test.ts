import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { announce, removeTagFromRules, listChannels, previewChannel, updateChannel } from '#notifications/index.ts'
import { opened, openReceiver, titlesOf } from '#notifications/testing/receiver.ts'

const post = await openReceiver()
afterAll(() => post.close())
afterEach(() => post.empty())

describe('channel rules', () => {
  it('match by event kind, score, and target tag', async () => {
    const workspace = await post.server.createWorkspace()
    const tag = newId()
    const target = newId()
    await post.server.as(workspace, async (ctx) => {
      await ctx.tx.insertInto('tag').values({ account_id: workspace, id: tag, name: 'prod', color: 1 }).execute()
      await ctx.tx
        .insertInto('target')
        .values({
          account_id: workspace,
          id: target,
          name: 't',
          address: '127.0.0.1',
          kind: 'address',
          schedule_period: 'PERIOD_DAILY',
          next_scan_at: null,
          created_at: ctx.now,
          updated_at: ctx.now,
          deleted_at: null,
        })
        .execute()
      await ctx.tx.insertInto('target_tag').values({ account_id: workspace, target_id: target, tag_id: tag }).execute()
    })
    const rule = { events: ['EVENT_ISSUE_OPENED' as const], minSeverity: 5, tagIds: [tag] }
    await post.createChannelFor(workspace, { kind: 'KIND_WEBHOOK', webhookUrl: post.address, rule })
    await post.server.as(workspace, (ctx) =>
      announce(ctx, [
        { ...opened('sent', 5), targetIds: [target] },
        { ...opened('too low', 4.9), targetIds: [target] },
        opened('elsewhere', 9),
        { ...opened('other kind', 9), kind: 'EVENT_ISSUE_RESOLVED', targetIds: [target] },
      ]),
    )
    await post.deliverAll(workspace)
    expect(post.received.flatMap(({ body }) => titlesOf(body))).toEqual(['sent'])
    expect(await post.server.as(workspace, (ctx) => previewChannel(ctx, { rule }))).toMatchObject({
      eventCount: 1,
      days: 30,
    })
  })

  it('drop deleted tags; a channel with no other tag is turned off', async () => {
    const workspace = await post.server.createWorkspace()
    const [keptTag, deletedTag] = [newId(), newId()]
    for (const [id, name] of [
      [keptTag, 'kept'],
      [deletedTag, 'gone'],
    ] as const)
      await post.server.as(workspace, ({ tx }) =>
        tx.insertInto('tag').values({ account_id: workspace, id, name, color: 1 }).execute(),
      )
    const rule = (...tagIds: string[]) => ({ events: ['EVENT_ISSUE_OPENED' as const], minSeverity: 0, tagIds })
    const createRule = (...tagIds: string[]) =>
      post.createChannelFor(workspace, {
        kind: 'KIND_WEBHOOK',
        webhookUrl: 'https://example.ch/',
        rule: rule(...tagIds),
      })
    const ids = [await createRule(keptTag, deletedTag), await createRule(deletedTag), await createRule()].map(
      (channel) => channel.id,
    )
    await post.server.as(workspace, async (ctx) => {
      await ctx.tx.deleteFrom('tag').where('account_id', '=', workspace).where('id', '=', deletedTag).execute()
      await removeTagFromRules(ctx, deletedTag)
    })
    const { channels } = await post.server.as(workspace, listChannels)
    const results = ids.map((id) => channels.find((channel) => channel.id === id))
    expect(results.map((channel) => [channel?.isEnabled, channel?.rule.tagIds])).toEqual([
      [true, [keptTag]],
      [false, []],
      [true, []],
    ])
  })

  it('skip events from while the channel was off', async () => {
    const workspace = await post.server.createWorkspace()
    const { id } = await post.createChannelFor(workspace, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    const setEnabled = (isEnabled: boolean) =>
      post.server.as(workspace, (ctx) =>
        updateChannel(ctx, post.sending, { id, channel: { isEnabled }, updateMask: { paths: ['isEnabled'] } }),
      )
    await setEnabled(false)
    await post.server.as(workspace, (ctx) => announce(ctx, [opened('While off', 9)]))
    await setEnabled(true)
    await post.server.as(workspace, (ctx) => announce(ctx, [opened('Back on', 9)]))
    await post.deliverAll(workspace)
    expect(post.received.flatMap(({ body }) => titlesOf(body))).toEqual(['Back on'])
  })
})

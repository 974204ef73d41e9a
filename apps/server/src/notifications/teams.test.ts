import { afterAll, beforeEach, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { announce, listDeliveries } from '#notifications/index.ts'
import { opened, openReceiver } from '#notifications/testing/receiver.ts'

const post = await openReceiver()
afterAll(() => post.close())

let workspace: string
/** IDs of targets: one of team red, one of both teams, one that ben owns, and one without anyone. */
const targets = { red: '', both: '', owned: '', alone: '' }
const tags = { red: '', blue: '', plain: '' }
const rule = { events: ['EVENT_ISSUE_OPENED' as const], minSeverity: 0, tagIds: [] as string[] }
const teams = { ...rule, recipients: 'RECIPIENTS_TEAMS' as const }

beforeEach(async () => {
  post.empty()
  workspace = await post.server.createWorkspace()
  for (const name of ['red', 'both', 'owned', 'alone'] as const) targets[name] = newId()
  for (const name of ['red', 'blue', 'plain'] as const) tags[name] = newId()
  await post.server.as(workspace, async ({ tx, now }) => {
    const member = (id: string) => ({
      account_id: workspace,
      identity_id: id,
      role: 'analyst' as const,
      name: id,
      email: `${id}@acme.example`,
    })
    await tx.insertInto('member').values(['ann', 'ben', 'cat'].map(member)).execute()
    const tag = (name: keyof typeof tags, team: string[] | null) => ({
      account_id: workspace,
      id: tags[name],
      name,
      color: 1,
      team,
    })
    await tx
      .insertInto('tag')
      .values([tag('red', ['ann', 'cat']), tag('blue', ['ben']), tag('plain', null)])
      .execute()
    const target = (name: keyof typeof targets) => ({
      account_id: workspace,
      id: targets[name],
      name,
      address: '127.0.0.1',
      kind: 'address',
      schedule_period: 'PERIOD_DAILY' as const,
      next_scan_at: null,
      created_at: now,
      updated_at: now,
      deleted_at: null,
      agent_id: null,
      former_agent: null,
      owner_id: name === 'owned' ? 'ben' : null,
    })
    await tx
      .insertInto('target')
      .values([target('red'), target('both'), target('owned'), target('alone')])
      .execute()
    const link = (target_id: string, tag_id: string) => ({ account_id: workspace, target_id, tag_id })
    await tx
      .insertInto('target_tag')
      .values([
        link(targets.red, tags.red),
        link(targets.both, tags.red),
        link(targets.both, tags.blue),
        link(targets.alone, tags.plain),
      ])
      .execute()
  })
})

const announceOn = (...names: (keyof typeof targets)[]) =>
  post.server.as(workspace, (ctx) =>
    announce(
      ctx,
      names.map((name) => ({ ...opened(`on ${name}`, 9), targetIds: [targets[name]] })),
    ),
  )
/** The events that each address received. */
const sent = () =>
  post.mails
    .map(({ to, text }) => [
      to,
      ['red', 'both', 'owned', 'alone'].filter((name) => text.includes(`on ${name}`)).join(' '),
    ])
    .toSorted(([a = ''], [b = '']) => a.localeCompare(b))

it('sends each member only the events of their teams and targets, and the rest to the workspace', async () => {
  await post.createChannelFor(workspace, { kind: 'KIND_EMAIL', webhookUrl: '', rule: teams })
  await announceOn('red', 'both', 'owned', 'alone')
  await post.deliverAll(workspace)
  expect(sent()).toEqual(
    [
      [`${workspace}@example.ch`, 'alone'],
      ['ann@acme.example', 'red both'],
      ['ben@acme.example', 'both owned'],
      ['cat@acme.example', 'red both'],
    ].toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
  )
})

it('sends only to the teams that the channel is restricted to', async () => {
  await post.createChannelFor(workspace, {
    kind: 'KIND_EMAIL',
    webhookUrl: '',
    rule: { ...teams, tagIds: [tags.blue] },
  })
  await announceOn('red', 'both', 'owned', 'alone')
  await post.deliverAll(workspace)
  expect(sent()).toEqual([['ben@acme.example', 'both']])
})

it('sends everything to the workspace by default', async () => {
  await post.createChannelFor(workspace, { kind: 'KIND_EMAIL', webhookUrl: '', rule })
  await announceOn('red', 'owned')
  await post.deliverAll(workspace)
  expect(sent()).toEqual([[`${workspace}@example.ch`, 'red owned']])
})

it('sends nothing to a member who left before the delivery', async () => {
  const { id } = await post.createChannelFor(workspace, { kind: 'KIND_EMAIL', webhookUrl: '', rule: teams })
  await announceOn('owned')
  await post.deliverAll(workspace, {
    isLastAttempt: false,
    mailer: { deliver: () => Promise.reject(new Error('the mail server is down')) },
  })
  await post.server.as(workspace, ({ tx, now }) =>
    tx.updateTable('member').set({ left_at: now }).where('identity_id', '=', 'ben').execute(),
  )
  await post.deliverAll(workspace)
  expect(post.mails).toEqual([])
  const { deliveries } = await post.server.as(workspace, (ctx) => listDeliveries(ctx, { id }))
  expect(deliveries).toMatchObject([
    { state: 'STATE_FAILED', recipient: 'ben@acme.example', error: 'The recipient is no longer a member' },
  ])
})

it('accepts teams for email channels only', async () => {
  const channel = { kind: 'KIND_WEBHOOK' as const, webhookUrl: post.address, rule: teams }
  await expect(post.createChannelFor(workspace, channel)).rejects.toThrow('Only email channels can send to teams')
})

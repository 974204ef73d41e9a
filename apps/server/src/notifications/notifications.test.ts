import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import {
  announce,
  listChannels,
  listDeliveries,
  noticesSince,
  redeliver,
  startOfStream,
  createDeliveries,
} from '#notifications/index.ts'
import { opened, openReceiver, silent, titlesOf } from '#notifications/testing/receiver.ts'

const post = await openReceiver()
afterAll(() => post.close())
afterEach(() => post.empty())

describe('a webhook', () => {
  it('SEC-E2 sends one message for related events, with a signature the official library accepts', async () => {
    const workspace = await post.server.createWorkspace()
    const { secret = '' } = await post.createChannelFor(workspace, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    await post.server.as(workspace, (ctx) => announce(ctx, [opened('Git repository exposed', 7.5), opened('Minor', 3)]))
    await post.deliverAll(workspace)
    expect(post.received).toHaveLength(1)
    const [{ headers, body } = { headers: {}, body: '' }] = post.received
    const payload = new Webhook(secret).verify(body, headers as Record<string, string>)
    expect(payload).toMatchObject({
      data: { headline: '1 new risk', events: [{ title: 'Git repository exposed', score: 7.5 }] },
    })
    expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow()
  })

  it('SEC-G1 sends each event once, even if deliveries are created repeatedly and concurrently', async () => {
    const workspace = await post.server.createWorkspace()
    await post.createChannelFor(workspace, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    await post.server.as(workspace, (ctx) => announce(ctx, [opened('Once', 9)]))
    await Promise.all([1, 2, 3].map(() => createDeliveries(post.server.database, post.server.jobs, silent, workspace)))
    await post.deliverAll(workspace)
    await post.deliverAll(workspace)
    expect(post.received).toHaveLength(1)
  })

  it('sends nothing for a rolled back change', async () => {
    const workspace = await post.server.createWorkspace()
    await post.createChannelFor(workspace, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    const broken = post.server.as(workspace, async (ctx) => {
      await announce(ctx, [opened('Never', 9)])
      throw new Error('the change failed')
    })
    await expect(broken).rejects.toThrow('the change failed')
    await post.deliverAll(workspace)
    expect(post.received).toEqual([])
  })

  it("doesn't skip events of a slow transaction that commits late", async () => {
    const workspace = await post.server.createWorkspace()
    await post.createChannelFor(workspace, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const { promise: hasWritten, resolve: written } = Promise.withResolvers<void>()
    const slow = post.server.as(workspace, async (ctx) => {
      await announce(ctx, [opened('Slow', 9)])
      written()
      await mayEnd
    })
    await hasWritten
    await post.server.as(workspace, (ctx) => announce(ctx, [opened('Fast', 9)]))
    await post.deliverAll(workspace)
    end()
    await slow
    await post.deliverAll(workspace)
    expect(post.received.flatMap(({ body }) => titlesOf(body)).toSorted()).toEqual(['Fast', 'Slow'])
  })

  it("doesn't lose events during a long transaction in another database", async () => {
    const workspace = await post.server.createWorkspace()
    await post.createChannelFor(workspace, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    const otherClient = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] })
    await otherClient.connect()
    await otherClient.query('begin')
    await otherClient.query('select pg_current_xact_id()')
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const { promise: hasWritten, resolve: written } = Promise.withResolvers<void>()
    const slow = post.server.as(workspace, async (ctx) => {
      await announce(ctx, [opened('Slow', 9)])
      written()
      await mayEnd
    })
    await hasWritten
    await createDeliveries(post.server.database, post.server.jobs, silent, workspace)
    end()
    await slow
    await post.deliverAll(workspace)
    expect(post.received.flatMap(({ body }) => titlesOf(body))).toEqual(['Slow'])
    await otherClient.end()
  })

  it('keeps failed deliveries, pauses after ten in a row, and redelivers under the same ID', async () => {
    const workspace = await post.server.createWorkspace()
    const { id } = await post.createChannelFor(workspace, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    post.respondWith = { status: 500, body: 'out of order' }
    for (let round = 0; round < 10; round++) {
      await post.server.as(workspace, (ctx) => announce(ctx, [opened(`Round ${round}`, 9)]))
      await post.deliverAll(workspace)
    }
    const { channels } = await post.server.as(workspace, listChannels)
    expect(channels[0]).toMatchObject({ isEnabled: false, failureCount: 10 })
    const { deliveries } = await post.server.as(workspace, (ctx) => listDeliveries(ctx, { id }))
    expect(deliveries).toHaveLength(10)
    expect(deliveries[0]).toMatchObject({
      state: 'STATE_FAILED',
      statusCode: 500,
      error: 'The server responded with 500',
      answer: 'out of order',
    })
    post.respondWith = { status: 200 }
    const before = post.received.at(-1)?.headers['webhook-id']
    const deliveryId = deliveries[0]?.id ?? ''
    await post.server.as(workspace, (ctx) => redeliver(ctx, post.server.jobs, { id, deliveryId }))
    await post.deliverAll(workspace)
    expect(post.received.at(-1)?.headers['webhook-id']).toBe(before)
    const { channels: after } = await post.server.as(workspace, listChannels)
    expect(after[0]).toMatchObject({ failureCount: 0 })
  })

  it('leaves a failed attempt to the queue while attempts remain', async () => {
    const workspace = await post.server.createWorkspace()
    const { id } = await post.createChannelFor(workspace, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    post.respondWith = { status: 503 }
    await post.server.as(workspace, (ctx) => announce(ctx, [opened('Again', 9)]))
    await post.deliverAll(workspace, { isLastAttempt: false })
    const { deliveries } = await post.server.as(workspace, (ctx) => listDeliveries(ctx, { id }))
    expect(deliveries[0]).toMatchObject({ state: 'STATE_PENDING', attempts: 1 })
    post.respondWith = { status: 200 }
    await post.deliverAll(workspace)
    const { deliveries: then } = await post.server.as(workspace, (ctx) => listDeliveries(ctx, { id }))
    expect(then[0]).toMatchObject({ state: 'STATE_DELIVERED', attempts: 2 })
  })

  it('pauses after 410 Gone without retrying', async () => {
    const workspace = await post.server.createWorkspace()
    const { id } = await post.createChannelFor(workspace, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    post.respondWith = { status: 410 }
    await post.server.as(workspace, (ctx) => announce(ctx, [opened('Gone', 9)]))
    await post.deliverAll(workspace, { isLastAttempt: false })
    const { deliveries } = await post.server.as(workspace, (ctx) => listDeliveries(ctx, { id }))
    expect(deliveries[0]).toMatchObject({ state: 'STATE_FAILED', attempts: 1, statusCode: 410 })
    const { channels } = await post.server.as(workspace, listChannels)
    expect(channels[0]).toMatchObject({ isEnabled: false, failureCount: 1 })
  })
})

it('stores any error text of a mail server', async () => {
  const workspace = await post.server.createWorkspace()
  const { id } = await post.createChannelFor(workspace, { kind: 'KIND_EMAIL', webhookUrl: '' })
  await post.server.as(workspace, (ctx) => announce(ctx, [opened('Rejected', 9)]))
  await post.deliverAll(workspace, { mailer: { deliver: () => Promise.reject(new Error('550 no\0such user')) } })
  const { deliveries } = await post.server.as(workspace, (ctx) => listDeliveries(ctx, { id }))
  expect(deliveries[0]).toMatchObject({
    state: 'STATE_FAILED',
    attempts: 1,
    error: 'The email could not be sent: 550 nosuch user',
  })
})

describe('the event stream', () => {
  it('resumes after the last event in commit order, for one workspace only', async () => {
    const [workspace, other] = [await post.server.createWorkspace(), await post.server.createWorkspace()]
    const from = await post.server.as(workspace, startOfStream)
    await post.server.as(workspace, (ctx) => announce(ctx, [opened('first', 9)]))
    await post.server.as(other, (ctx) => announce(ctx, [opened('foreign', 9)]))
    await post.server.as(workspace, (ctx) => announce(ctx, [opened('second', 9), opened('third', 9)]))
    const notices = await post.server.as(workspace, (ctx) => noticesSince(ctx, from, 2))
    expect(notices.map((item) => item.title)).toEqual(['first', 'second'])
    const position = notices.at(-1)?.position ?? from
    const rest = await post.server.as(workspace, (ctx) => noticesSince(ctx, position, 10))
    expect(rest.map((item) => item.title)).toEqual(['third'])
  })
})

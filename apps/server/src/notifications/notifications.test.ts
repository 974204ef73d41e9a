import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  announce,
  listChannels,
  listDeliveries,
  noticesSince,
  redeliver,
  startOfStream,
  takeUp,
} from '#notifications/index.ts'
import { opened, openPost, type Post, silent, titlesOf } from '#notifications/testing/post.ts'

let post: Post
beforeAll(async () => void (post = await openPost()))
afterAll(() => post.close())
afterEach(() => post.empty())

describe('a webhook', () => {
  it('carries one message for what happened in one go, signed so that the official library accepts it', async () => {
    const account = await post.house.account()
    const { secret = '' } = await post.makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    await post.house.as(account, (ctx) => announce(ctx, [opened('Git repository exposed', 7.5), opened('Minor', 3)]))
    await post.deliverAll(account)
    expect(post.received).toHaveLength(1)
    const [{ headers, body } = { headers: {}, body: '' }] = post.received
    const told = new Webhook(secret).verify(body, headers as Record<string, string>)
    expect(told).toMatchObject({
      data: { headline: '1 new risk', events: [{ title: 'Git repository exposed', score: 7.5 }] },
    })
    expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow()
  })

  it('tells of each event once, whoever takes up and however often', async () => {
    const account = await post.house.account()
    await post.makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    await post.house.as(account, (ctx) => announce(ctx, [opened('Once', 9)]))
    await Promise.all([1, 2, 3].map(() => takeUp(post.house.database, post.house.jobs, silent, account)))
    await post.deliverAll(account)
    await post.deliverAll(account)
    expect(post.received).toHaveLength(1)
  })

  it('says nothing of a change that was rolled back', async () => {
    const account = await post.house.account()
    await post.makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    const broken = post.house.as(account, async (ctx) => {
      await announce(ctx, [opened('Never', 9)])
      throw new Error('the change failed')
    })
    await expect(broken).rejects.toThrow('the change failed')
    await post.deliverAll(account)
    expect(post.received).toEqual([])
  })

  it('does not skip what a slow transaction wrote before faster ones', async () => {
    const account = await post.house.account()
    await post.makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const { promise: hasWritten, resolve: written } = Promise.withResolvers<void>()
    const slow = post.house.as(account, async (ctx) => {
      await announce(ctx, [opened('Slow', 9)])
      written()
      await mayEnd
    })
    await hasWritten
    await post.house.as(account, (ctx) => announce(ctx, [opened('Fast', 9)]))
    await post.deliverAll(account)
    end()
    await slow
    await post.deliverAll(account)
    expect(post.received.flatMap(({ body }) => titlesOf(body)).toSorted()).toEqual(['Fast', 'Slow'])
  })

  it('does not lose what is written while an older transaction runs in another database', async () => {
    const account = await post.house.account()
    await post.makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    const neighbour = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] })
    await neighbour.connect()
    await neighbour.query('begin')
    await neighbour.query('select pg_current_xact_id()')
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const { promise: hasWritten, resolve: written } = Promise.withResolvers<void>()
    const slow = post.house.as(account, async (ctx) => {
      await announce(ctx, [opened('Slow', 9)])
      written()
      await mayEnd
    })
    await hasWritten
    await takeUp(post.house.database, post.house.jobs, silent, account)
    end()
    await slow
    await post.deliverAll(account)
    expect(post.received.flatMap(({ body }) => titlesOf(body))).toEqual(['Slow'])
    await neighbour.end()
  })

  it('keeps what failed, pauses after ten in a row, and sends again on demand under the same id', async () => {
    const account = await post.house.account()
    const { id } = await post.makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    post.answerWith = { status: 500, body: 'out of order' }
    for (let round = 0; round < 10; round++) {
      await post.house.as(account, (ctx) => announce(ctx, [opened(`Round ${round}`, 9)]))
      await post.deliverAll(account)
    }
    const { channels } = await post.house.as(account, listChannels)
    expect(channels[0]).toMatchObject({ isEnabled: false, failureCount: 10 })
    const { deliveries } = await post.house.as(account, (ctx) => listDeliveries(ctx, { id }))
    expect(deliveries).toHaveLength(10)
    expect(deliveries[0]).toMatchObject({
      state: 'STATE_FAILED',
      statusCode: 500,
      error: 'The server answered 500',
      answer: 'out of order',
    })
    post.answerWith = { status: 200 }
    const before = post.received.at(-1)?.headers['webhook-id']
    const deliveryId = deliveries[0]?.id ?? ''
    await post.house.as(account, (ctx) => redeliver(ctx, post.house.jobs, { id, deliveryId }))
    await post.deliverAll(account)
    expect(post.received.at(-1)?.headers['webhook-id']).toBe(before)
    const { channels: after } = await post.house.as(account, listChannels)
    expect(after[0]).toMatchObject({ failureCount: 0 })
  })

  it('leaves a failed attempt to the queue while more follow', async () => {
    const account = await post.house.account()
    const { id } = await post.makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    post.answerWith = { status: 503 }
    await post.house.as(account, (ctx) => announce(ctx, [opened('Again', 9)]))
    await post.deliverAll(account, { isLastAttempt: false })
    const { deliveries } = await post.house.as(account, (ctx) => listDeliveries(ctx, { id }))
    expect(deliveries[0]).toMatchObject({ state: 'STATE_PENDING', attempts: 1 })
    post.answerWith = { status: 200 }
    await post.deliverAll(account)
    const { deliveries: then } = await post.house.as(account, (ctx) => listDeliveries(ctx, { id }))
    expect(then[0]).toMatchObject({ state: 'STATE_DELIVERED', attempts: 2 })
  })

  it('asks a receiver that is gone no second time, and pauses', async () => {
    const account = await post.house.account()
    const { id } = await post.makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: post.address })
    post.answerWith = { status: 410 }
    await post.house.as(account, (ctx) => announce(ctx, [opened('Gone', 9)]))
    await post.deliverAll(account, { isLastAttempt: false })
    const { deliveries } = await post.house.as(account, (ctx) => listDeliveries(ctx, { id }))
    expect(deliveries[0]).toMatchObject({ state: 'STATE_FAILED', attempts: 1, statusCode: 410 })
    const { channels } = await post.house.as(account, listChannels)
    expect(channels[0]).toMatchObject({ isEnabled: false, failureCount: 1 })
  })
})

it('keeps what a mail server said, whatever it consists of', async () => {
  const account = await post.house.account()
  const { id } = await post.makeChannel(account, { kind: 'KIND_EMAIL', webhookUrl: '' })
  await post.house.as(account, (ctx) => announce(ctx, [opened('Refused', 9)]))
  await post.deliverAll(account, { mailer: { deliver: () => Promise.reject(new Error('550 no\0such user')) } })
  const { deliveries } = await post.house.as(account, (ctx) => listDeliveries(ctx, { id }))
  expect(deliveries[0]).toMatchObject({
    state: 'STATE_FAILED',
    attempts: 1,
    error: 'The mail server refused it: 550 nosuch user',
  })
})

describe('the stream', () => {
  it('goes on where a reader stopped, in the order of commits, and shows one account alone', async () => {
    const [account, other] = [await post.house.account(), await post.house.account()]
    const from = await post.house.as(account, startOfStream)
    await post.house.as(account, (ctx) => announce(ctx, [opened('first', 9)]))
    await post.house.as(other, (ctx) => announce(ctx, [opened('foreign', 9)]))
    await post.house.as(account, (ctx) => announce(ctx, [opened('second', 9), opened('third', 9)]))
    const seen = await post.house.as(account, (ctx) => noticesSince(ctx, from, 2))
    expect(seen.map((one) => one.title)).toEqual(['first', 'second'])
    const place = seen.at(-1)?.place ?? from
    const rest = await post.house.as(account, (ctx) => noticesSince(ctx, place, 10))
    expect(rest.map((one) => one.title)).toEqual(['third'])
  })
})

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Channel } from '@glacis/contract/channel'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import type { Mail } from '#mail.ts'
import {
  announce,
  createChannel,
  forgetTag,
  listChannels,
  listDeliveries,
  noticesSince,
  previewChannel,
  redeliver,
  runDelivery,
  type Sending,
  startOfStream,
  takeUp,
  testChannel,
  updateChannel,
} from '#notifications/index.ts'
import { type House, openHouse, person } from '#testing/house.ts'
import { newId } from '#database/index.ts'

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}
const silent = { info() {}, warn() {}, error() {} }
let house: House
let receiver: Server
let address: string
let received: Received[] = []
let answerWith: { status: number; headers?: Record<string, string>; body?: string } = { status: 204 }
const mails: Mail[] = []
let sending: Sending

beforeAll(async () => {
  house = await openHouse()
  receiver = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.once('end', () => {
      received.push({ headers: request.headers, body })
      response.writeHead(answerWith.status, answerWith.headers).end(answerWith.body)
    })
  })
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo // listens on a port
  address = `http://127.0.0.1:${port}/hook`
  sending = {
    database: house.database,
    mailer: { deliver: async (mail) => void mails.push(mail), close: () => undefined },
    gate: ['127.0.0.0/8'],
    url: 'http://localhost:3000',
    log: silent,
  }
})
afterAll(async () => {
  receiver.close()
  await house.close()
})
afterEach(() => {
  received = []
  answerWith = { status: 204 }
  mails.length = 0
})

const opened = (title: string, score: number) => ({
  kind: 'EVENT_ISSUE_OPENED' as const,
  title,
  score,
  resource: { kind: 'issue' as const, id: newId() },
})

function makeChannel(account: string, channel: Parameters<typeof createChannel>[2]['channel']): Promise<Channel> {
  return house.as(account, async (ctx) => (await createChannel(ctx, { gate: 'all' }, { channel })).channel, {
    actor: person,
  })
}

/** Takes up what is there and runs every delivery that waits, as a worker would. */
async function deliverAll(account: string, { isLastAttempt = true } = {}): Promise<void> {
  await takeUp(house.database, house.jobs, silent, account)
  const waiting = await house.as(account, (ctx) =>
    ctx.tx
      .selectFrom('delivery')
      .select('id')
      .where('account_id', '=', account)
      .where('state', '=', 'STATE_PENDING')
      .execute(),
  )
  for (const { id } of waiting) {
    const work = { data: { account, deliveryId: id }, signal: AbortSignal.timeout(10_000), isLastAttempt }
    await runDelivery(sending, work).catch(() => undefined)
  }
}

describe('a webhook', () => {
  it('carries one message for what happened in one go, signed so that the official library accepts it', async () => {
    const account = await house.account()
    const { secret = '' } = await makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: address })
    await house.as(account, (ctx) => announce(ctx, [opened('Git repository exposed', 7.5), opened('Minor', 3)]))
    await deliverAll(account)
    expect(received).toHaveLength(1)
    const [{ headers, body } = { headers: {}, body: '' }] = received
    const told = new Webhook(secret).verify(body, headers as Record<string, string>)
    expect(told).toMatchObject({
      data: { headline: '1 new risk', events: [{ title: 'Git repository exposed', score: 7.5 }] },
    })
    expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow()
  })

  it('tells of each event once, whoever takes up and however often', async () => {
    const account = await house.account()
    await makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: address })
    await house.as(account, (ctx) => announce(ctx, [opened('Once', 9)]))
    await Promise.all([1, 2, 3].map(() => takeUp(house.database, house.jobs, silent, account)))
    await deliverAll(account)
    await deliverAll(account)
    expect(received).toHaveLength(1)
  })

  it('says nothing of a change that was rolled back', async () => {
    const account = await house.account()
    await makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: address })
    const broken = house.as(account, async (ctx) => {
      await announce(ctx, [opened('Never', 9)])
      throw new Error('the change failed')
    })
    await expect(broken).rejects.toThrow('the change failed')
    await deliverAll(account)
    expect(received).toEqual([])
  })

  it('does not skip what a slow transaction wrote before faster ones', async () => {
    const account = await house.account()
    await makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: address })
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const { promise: hasWritten, resolve: written } = Promise.withResolvers<void>()
    const slow = house.as(account, async (ctx) => {
      await announce(ctx, [opened('Slow', 9)])
      written()
      await mayEnd
    })
    await hasWritten
    await house.as(account, (ctx) => announce(ctx, [opened('Fast', 9)]))
    await deliverAll(account)
    end()
    await slow
    await deliverAll(account)
    expect(received.flatMap(({ body }) => titlesOf(body)).toSorted()).toEqual(['Fast', 'Slow'])
  })

  it('does not lose what is written while an older transaction runs in another database', async () => {
    const account = await house.account()
    await makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: address })
    const neighbour = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] })
    await neighbour.connect()
    await neighbour.query('begin')
    await neighbour.query('select pg_current_xact_id()')
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const { promise: hasWritten, resolve: written } = Promise.withResolvers<void>()
    const slow = house.as(account, async (ctx) => {
      await announce(ctx, [opened('Slow', 9)])
      written()
      await mayEnd
    })
    await hasWritten
    await takeUp(house.database, house.jobs, silent, account)
    end()
    await slow
    await deliverAll(account)
    expect(received.flatMap(({ body }) => titlesOf(body))).toEqual(['Slow'])
    await neighbour.end()
  })

  it('keeps what failed, pauses after ten in a row, and sends again on demand under the same id', async () => {
    const account = await house.account()
    const { id } = await makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: address })
    answerWith = { status: 500, body: 'out of order' }
    for (let round = 0; round < 10; round++) {
      await house.as(account, (ctx) => announce(ctx, [opened(`Round ${round}`, 9)]))
      await deliverAll(account)
    }
    const { channels } = await house.as(account, listChannels)
    expect(channels[0]).toMatchObject({ isEnabled: false, failureCount: 10 })
    const { deliveries } = await house.as(account, (ctx) => listDeliveries(ctx, { id }))
    expect(deliveries).toHaveLength(10)
    expect(deliveries[0]).toMatchObject({
      state: 'STATE_FAILED',
      statusCode: 500,
      error: 'The server answered 500',
      answer: 'out of order',
    })
    answerWith = { status: 200 }
    const before = received.at(-1)?.headers['webhook-id']
    const deliveryId = deliveries[0]?.id ?? ''
    await house.as(account, (ctx) => redeliver(ctx, house.jobs, { id, deliveryId }))
    await deliverAll(account)
    expect(received.at(-1)?.headers['webhook-id']).toBe(before)
    const { channels: after } = await house.as(account, listChannels)
    expect(after[0]).toMatchObject({ failureCount: 0 })
  })

  it('leaves a failed attempt to the queue while more follow', async () => {
    const account = await house.account()
    const { id } = await makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: address })
    answerWith = { status: 503 }
    await house.as(account, (ctx) => announce(ctx, [opened('Again', 9)]))
    await deliverAll(account, { isLastAttempt: false })
    const { deliveries } = await house.as(account, (ctx) => listDeliveries(ctx, { id }))
    expect(deliveries[0]).toMatchObject({ state: 'STATE_PENDING', attempts: 1 })
    answerWith = { status: 200 }
    await deliverAll(account)
    const { deliveries: then } = await house.as(account, (ctx) => listDeliveries(ctx, { id }))
    expect(then[0]).toMatchObject({ state: 'STATE_DELIVERED', attempts: 2 })
  })
})

const escaped = (text: string) => text.replaceAll(/[.[\]]/g, '\\$&')
const titlesOf = (body: string) =>
  (JSON.parse(body) as { data: { events: { title: string }[] } }).data.events.map((one) => one.title)

describe('the gate', () => {
  it.each([
    ['public', 'http://127.0.0.1:9/', 'Only https is allowed'],
    ['public', 'https://127.0.0.1:9/', '127.0.0.1 is not an address that messages may go to'],
    ['public', 'https://localhost:9/', 'is not an address that messages may go to'],
    ['public', 'https://[::1]:9/', '::1 is not an address'],
    ['public', 'https://169.254.169.254/', '169.254.169.254 is not an address'],
    ['public', 'https://[::ffff:127.0.0.1]:9/', 'is not an address'],
    ['public', 'https://2130706433:9/', '127.0.0.1 is not an address'],
    [['127.66.0.0/16'], 'http://127.0.0.1:9/', '127.0.0.1 is not an address'],
    [['127.66.0.0/16'], 'http://9.9.9.9/', 'Only https is allowed'],
  ] as const)('%s refuses %s', async (gate, webhookUrl, reason) => {
    const account = await house.account()
    const { id } = await makeChannel(account, { kind: 'KIND_SLACK', webhookUrl })
    const outcome = await testChannel(
      (step) => house.as(account, step, { actor: person }),
      { ...sending, gate },
      { id },
    )
    expect(outcome.error).toContain(reason)
    expect(outcome.statusCode).toBeUndefined()
  })

  it.each([
    ['public', 'http://hooks.example.ch/', 'Only https is allowed'],
    ['public', 'https://10.0.0.5/', '10.0.0.5 is not an address that messages may go to'],
    ['public', 'https://localhost/', '127.0.0.1 is not an address'],
    [['10.0.0.0/8'], 'https://[::1]/', '::1 is not an address'],
    [['10.0.0.0/8'], 'http://9.9.9.9/', 'Only https is allowed'],
  ] as const)('%s: a channel to %s is not made, nor changed to it', async (gate, webhookUrl, reason) => {
    const account = await house.account()
    const channel = { kind: 'KIND_WEBHOOK', webhookUrl } as const
    const refusal = {
      violations: [
        {
          field: 'channel.webhookUrl',
          description: expect.stringMatching(new RegExp(`^${escaped(reason)}.*GLACIS_WEBHOOK_NETWORKS`)),
        },
      ],
    }
    await expect(
      house.as(account, (ctx) => createChannel(ctx, { gate }, { channel }), { actor: person }),
    ).rejects.toMatchObject(refusal)
    const { id } = await makeChannel(account, { kind: 'KIND_SLACK', webhookUrl: 'https://hooks.example.ch/a' })
    const change = { id, channel: { webhookUrl }, updateMask: { paths: ['webhookUrl'] } }
    await expect(
      house.as(account, (ctx) => updateChannel(ctx, { gate }, change), { actor: person }),
    ).rejects.toMatchObject(refusal)
  })

  it.each([
    ['public', 'https://hooks.example.ch/'],
    [['10.0.0.0/8'], 'http://10.0.0.5/'],
    [['10.0.0.0/8'], 'http://hooks.internal/'],
    ['all', 'http://127.0.0.1/'],
  ] as const)('%s: a channel to %s is made', async (gate, webhookUrl) => {
    const account = await house.account()
    const channel = { kind: 'KIND_WEBHOOK', webhookUrl } as const
    const made = await house.as(account, (ctx) => createChannel(ctx, { gate }, { channel }), { actor: person })
    expect(made.channel.webhookUrl).toBe(webhookUrl)
  })

  it('follows no redirect and reads little of a long answer', async () => {
    const account = await house.account()
    const { id } = await makeChannel(account, { kind: 'KIND_DISCORD', webhookUrl: address })
    const test = () => testChannel((step) => house.as(account, step, { actor: person }), sending, { id })
    answerWith = { status: 302, headers: { location: address } }
    expect(await test()).toMatchObject({
      statusCode: 302,
      error: 'The server redirects (302); redirects are not followed',
    })
    expect(received).toHaveLength(1)
    answerWith = { status: 200, body: 'x'.repeat(5_000_000) }
    expect((await test()).answer).toHaveLength(500)
  })
})

describe('messages', () => {
  const nasty = '<!channel> @everyone [x](javascript:1) <script>alert(1)</script> *b* =1+1'
  it('reach Slack without mark-up of their own', async () => {
    const account = await house.account()
    await makeChannel(account, { kind: 'KIND_SLACK', webhookUrl: address })
    await house.as(account, (ctx) => announce(ctx, [opened(nasty, 9)]))
    await deliverAll(account)
    expect(received[0]?.body).toContain('&lt;!channel&gt;')
    expect(received[0]?.body).not.toContain('<!channel>')
  })
  it('mention nobody on Discord', async () => {
    const account = await house.account()
    await makeChannel(account, { kind: 'KIND_DISCORD', webhookUrl: address })
    await house.as(account, (ctx) => announce(ctx, [opened(nasty, 9)]))
    await deliverAll(account)
    const told = JSON.parse(received[0]?.body ?? '') as { allowed_mentions: object; embeds: { description: string }[] }
    expect(told.allowed_mentions).toEqual({ parse: [] })
    expect(told.embeds[0]?.description).toContain(String.raw`\@everyone \[x\]`)
  })
  it('are escaped in mails, which go to the account', async () => {
    const account = await house.account()
    await makeChannel(account, { kind: 'KIND_EMAIL', webhookUrl: '' })
    await house.as(account, (ctx) => announce(ctx, [opened(nasty, 9)]))
    await deliverAll(account)
    expect(mails[0]?.to).toBe(`${account}@example.ch`)
    expect(mails[0]?.html).toContain('&lt;script&gt;')
    expect(mails[0]?.html).not.toContain('<script>')
  })
})

describe('rules', () => {
  it('choose by kind, by score and by tag of the target', async () => {
    const account = await house.account()
    const tag = newId()
    const target = newId()
    await house.as(account, async (ctx) => {
      await ctx.tx.insertInto('tag').values({ account_id: account, id: tag, name: 'prod', color: 1 }).execute()
      await ctx.tx
        .insertInto('target')
        .values({
          account_id: account,
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
      await ctx.tx.insertInto('target_tag').values({ account_id: account, target_id: target, tag_id: tag }).execute()
    })
    const rule = { events: ['EVENT_ISSUE_OPENED' as const], minSeverity: 5, tagIds: [tag] }
    await makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: address, rule })
    await house.as(account, (ctx) =>
      announce(ctx, [
        { ...opened('told', 5), targetIds: [target] },
        { ...opened('too low', 4.9), targetIds: [target] },
        opened('elsewhere', 9),
        { ...opened('other kind', 9), kind: 'EVENT_ISSUE_RESOLVED', targetIds: [target] },
      ]),
    )
    await deliverAll(account)
    expect(received.flatMap(({ body }) => titlesOf(body))).toEqual(['told'])
    expect(await house.as(account, (ctx) => previewChannel(ctx, { rule }))).toMatchObject({ eventCount: 1, days: 30 })
  })

  it('know no tag that was deleted: what told of others too goes on, what told of it alone is off', async () => {
    const account = await house.account()
    const [kept, gone] = [newId(), newId()]
    for (const [id, name] of [
      [kept, 'kept'],
      [gone, 'gone'],
    ] as const)
      await house.as(account, ({ tx }) =>
        tx.insertInto('tag').values({ account_id: account, id, name, color: 1 }).execute(),
      )
    const rule = (...tagIds: string[]) => ({ events: ['EVENT_ISSUE_OPENED' as const], minSeverity: 0, tagIds })
    const make = (...tagIds: string[]) =>
      makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: 'https://example.ch/', rule: rule(...tagIds) })
    const ids = [await make(kept, gone), await make(gone), await make()].map((channel) => channel.id)
    await house.as(account, async (ctx) => {
      await ctx.tx.deleteFrom('tag').where('account_id', '=', account).where('id', '=', gone).execute()
      await forgetTag(ctx, gone)
    })
    const { channels } = await house.as(account, listChannels)
    const stands = ids.map((id) => channels.find((channel) => channel.id === id))
    expect(stands.map((channel) => [channel?.isEnabled, channel?.rule.tagIds])).toEqual([
      [true, [kept]],
      [false, []],
      [true, []],
    ])
  })

  it('forget the backlog of the time in which a channel was off', async () => {
    const account = await house.account()
    const { id } = await makeChannel(account, { kind: 'KIND_WEBHOOK', webhookUrl: address })
    const turn = (isEnabled: boolean) =>
      house.as(account, (ctx) =>
        updateChannel(ctx, sending, { id, channel: { isEnabled }, updateMask: { paths: ['isEnabled'] } }),
      )
    await turn(false)
    await house.as(account, (ctx) => announce(ctx, [opened('While off', 9)]))
    await turn(true)
    await house.as(account, (ctx) => announce(ctx, [opened('Back on', 9)]))
    await deliverAll(account)
    expect(received.flatMap(({ body }) => titlesOf(body))).toEqual(['Back on'])
  })
})

describe('the stream', () => {
  it('goes on where a reader stopped, in the order of commits, and shows one account alone', async () => {
    const [account, other] = [await house.account(), await house.account()]
    const from = await house.as(account, startOfStream)
    await house.as(account, (ctx) => announce(ctx, [opened('first', 9)]))
    await house.as(other, (ctx) => announce(ctx, [opened('foreign', 9)]))
    await house.as(account, (ctx) => announce(ctx, [opened('second', 9), opened('third', 9)]))
    const seen = await house.as(account, (ctx) => noticesSince(ctx, from, 2))
    expect(seen.map((one) => one.title)).toEqual(['first', 'second'])
    const place = seen.at(-1)?.place ?? from
    const rest = await house.as(account, (ctx) => noticesSince(ctx, place, 10))
    expect(rest.map((one) => one.title)).toEqual(['third'])
  })
})

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import {
  announce,
  createChannel,
  listChannels,
  listDeliveries,
  redeliver,
  runDelivery,
  type Sending,
  takeUp,
  updateChannel,
} from '#notifications/index.ts'
import { type House, openHouse, person } from '#testing/house.ts'

const silent = { info() {}, warn() {}, error() {} }
let house: House
let receiver: Server
let address: string
let sending: Sending
/** Runs while a request is at the receiver, which answers with the status. */
let meanwhile: () => Promise<number>
let account: string
let channelId: string
let deliveryId: string

beforeAll(async () => {
  house = await openHouse()
  receiver = createServer((_, response) => void meanwhile().then((status) => response.writeHead(status).end()))
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo // listens on a port
  address = `http://127.0.0.1:${port}/hook`
  const mailer = { deliver: async () => undefined, close: () => undefined }
  sending = { database: house.database, mailer, gate: ['127.0.0.0/8'], url: 'http://localhost:3000', log: silent }
})
afterAll(async () => {
  receiver.close()
  await house.close()
})
/** A channel with one delivery on its way. */
beforeEach(async () => {
  account = await house.account()
  const channel = { kind: 'KIND_WEBHOOK', webhookUrl: address } as const
  const made = await house.as(account, (ctx) => createChannel(ctx, sending, { channel }), { actor: person })
  channelId = made.channel.id
  await house.as(account, (ctx) =>
    announce(ctx, [{ kind: 'EVENT_ISSUE_OPENED', title: 'news', resource: { kind: 'issue', id: newId() } }]),
  )
  await takeUp(house.database, house.jobs, silent, account)
  deliveryId = (await log())[0]?.id ?? ''
})

const log = async () => (await house.as(account, (ctx) => listDeliveries(ctx, { id: channelId }))).deliveries
const attempt = () =>
  runDelivery(sending, {
    data: { account, deliveryId },
    signal: AbortSignal.timeout(10_000),
    isLastAttempt: false,
  })
const turnOff = () =>
  house.as(account, (ctx) =>
    updateChannel(ctx, sending, {
      id: channelId,
      channel: { isEnabled: false },
      updateMask: { paths: ['isEnabled'] },
    }),
  )
const ended = { state: 'STATE_FAILED', error: 'The channel was turned off before this arrived' }

it('ends what is on its way, which is no failure of the channel, and can be sent again', async () => {
  let requests = 0
  meanwhile = async () => (requests++, 204)
  await turnOff()
  expect(await log()).toMatchObject([{ ...ended, attempts: 0, completeTime: expect.any(String) }])
  await attempt()
  expect(requests).toBe(0)
  expect((await house.as(account, listChannels)).channels).toMatchObject([{ isEnabled: false, failureCount: 0 }])
  await house.as(account, (ctx) => redeliver(ctx, house.jobs, { id: channelId, deliveryId }))
  await attempt()
  expect(await log()).toMatchObject([{ state: 'STATE_DELIVERED' }])
})

it('has an attempt that is out and fails be the last', async () => {
  meanwhile = async () => {
    await turnOff()
    return 500
  }
  await attempt()
  expect(await log()).toMatchObject([ended])
})

it('does not deny that an attempt arrived that was out', async () => {
  meanwhile = async () => {
    await turnOff()
    return 204
  }
  await attempt()
  expect(await log()).toMatchObject([{ state: 'STATE_DELIVERED' }])
})

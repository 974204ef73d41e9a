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
  createDeliveries,
  updateChannel,
} from '#notifications/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'

const silent = { info() {}, warn() {}, error() {} }
const server = await sharedTestServer()
let receiver: Server
let address: string
let sending: Sending
/** Runs while the receiver processes a request; returns the status to respond with. */
let meanwhile: () => Promise<number>
let workspace: string
let channelId: string
let deliveryId: string

beforeAll(async () => {
  receiver = createServer((_, response) => void meanwhile().then((status) => response.writeHead(status).end()))
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo // it listens on a port
  address = `http://127.0.0.1:${port}/hook`
  const mailer = { deliver: async () => undefined, close: () => undefined }
  sending = { database: server.database, mailer, egress: ['127.0.0.0/8'], url: 'http://localhost:3000', log: silent }
})
afterAll(async () => {
  receiver.close()
})
/** Creates a channel with one pending delivery. */
beforeEach(async () => {
  workspace = await server.createWorkspace()
  const channel = { kind: 'KIND_WEBHOOK', webhookUrl: address } as const
  const created = await server.as(workspace, (ctx) => createChannel(ctx, sending, { channel }), { actor: person })
  channelId = created.channel.id
  await server.as(workspace, (ctx) =>
    announce(ctx, [{ kind: 'EVENT_ISSUE_OPENED', title: 'news', resource: { kind: 'issue', id: newId() } }]),
  )
  await createDeliveries(server.database, server.jobs, silent, workspace)
  deliveryId = (await log())[0]?.id ?? ''
})

const log = async () => (await server.as(workspace, (ctx) => listDeliveries(ctx, { id: channelId }))).deliveries
const attempt = () =>
  runDelivery(sending, {
    data: { account: workspace, deliveryId },
    signal: AbortSignal.timeout(10_000),
    isLastAttempt: false,
  })
const turnOff = () =>
  server.as(workspace, (ctx) =>
    updateChannel(ctx, sending, {
      id: channelId,
      channel: { isEnabled: false },
      updateMask: { paths: ['isEnabled'] },
    }),
  )
const ended = { state: 'STATE_FAILED', error: 'The channel was turned off before delivery' }

it('ends pending deliveries without counting a failure; they can be sent again', async () => {
  let requests = 0
  meanwhile = async () => (requests++, 204)
  await turnOff()
  expect(await log()).toMatchObject([{ ...ended, attempts: 0, completeTime: expect.any(String) }])
  await attempt()
  expect(requests).toBe(0)
  expect((await server.as(workspace, listChannels)).channels).toMatchObject([{ isEnabled: false, failureCount: 0 }])
  await server.as(workspace, (ctx) => redeliver(ctx, server.jobs, { id: channelId, deliveryId }))
  await attempt()
  expect(await log()).toMatchObject([{ state: 'STATE_DELIVERED' }])
})

it("doesn't retry an attempt in progress that fails", async () => {
  meanwhile = async () => {
    await turnOff()
    return 500
  }
  await attempt()
  expect(await log()).toMatchObject([ended])
})

it('records an attempt in progress that succeeds', async () => {
  meanwhile = async () => {
    await turnOff()
    return 204
  }
  await attempt()
  expect(await log()).toMatchObject([{ state: 'STATE_DELIVERED' }])
})

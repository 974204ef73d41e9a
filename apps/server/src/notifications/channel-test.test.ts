import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import {
  announce,
  createChannel,
  listDeliveries,
  noticesSince,
  startOfStream,
  testChannel,
} from '#notifications/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'

const testServer = await sharedTestServer()

/** A server that reports each request and responds on demand. */
async function slowReceiver() {
  const { promise: requested, resolve: markRequested } = Promise.withResolvers<void>()
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
  const receiver = createServer((_request, response) => {
    markRequested()
    void allowed.then(() => response.end())
  })
  await new Promise<void>((listening) => receiver.listen(0, '127.71.12.1', listening))
  const { port } = receiver.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.71.12.1:${port}/`,
    requested,
    allow,
    [Symbol.dispose]() {
      allow()
      receiver.close()
    },
  }
}

const sending = {
  mailer: { deliver: async () => undefined, close: () => undefined },
  egress: 'all',
  url: 'http://x',
} as const

async function channelTo(workspace: string, webhookUrl: string): Promise<string> {
  const channel = { kind: 'KIND_WEBHOOK', webhookUrl } as const
  const created = await testServer.as(workspace, (ctx) => createChannel(ctx, { egress: 'all' }, { channel }), {
    actor: person,
  })
  return created.channel.id
}

const test = (workspace: string, id: string) =>
  testChannel((step) => testServer.as(workspace, step, { actor: person }), sending, { id })

it("SEC-G2 doesn't block others while the receiver is slow", async () => {
  using receiver = await slowReceiver()
  const [workspace, other] = [await testServer.createWorkspace(), await testServer.createWorkspace()]
  const id = await channelTo(workspace, receiver.url)
  const position = await testServer.as(other, startOfStream)
  const testing = test(workspace, id)
  await receiver.requested
  await testServer.as(other, (ctx) =>
    announce(ctx, [{ kind: 'EVENT_ISSUE_OPENED', title: 'news', resource: { kind: 'issue', id: newId() } }]),
  )
  const notices = await testServer.as(other, (ctx) => noticesSince(ctx, position, 10))
  receiver.allow()
  expect(notices.map((notice) => notice.title)).toEqual(['news'])
  expect(await testing).toMatchObject({ statusCode: 200, error: '' })
})

it('uses no database connection in the meantime', async () => {
  using receiver = await slowReceiver()
  const workspace = await testServer.createWorkspace()
  const id = await channelTo(workspace, receiver.url)
  const testing = test(workspace, id)
  await receiver.requested
  const { rows } = await sql<{ open: number }>`
    select count(*) as open from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'`.execute(testServer.database.owner)
  receiver.allow()
  expect(await testing).toMatchObject({ statusCode: 200 })
  expect(rows).toEqual([{ open: 0 }])
})

it('is listed as a delivery', async () => {
  using receiver = await slowReceiver()
  receiver.allow()
  const workspace = await testServer.createWorkspace()
  const id = await channelTo(workspace, receiver.url)
  await test(workspace, id)
  const { deliveries } = await testServer.as(workspace, (ctx) => listDeliveries(ctx, { id, pageSize: 20 }))
  expect(deliveries).toMatchObject([
    { state: 'STATE_DELIVERED', events: ['EVENT_TEST'], eventCount: 1, attempts: 1, statusCode: 200 },
  ])
})

it('is rejected while another test of the channel is running, but not afterward', async () => {
  using receiver = await slowReceiver()
  const workspace = await testServer.createWorkspace()
  const id = await channelTo(workspace, receiver.url)
  const testing = test(workspace, id)
  await receiver.requested
  await expect(test(workspace, id)).rejects.toMatchObject({ code: 'precondition' })
  receiver.allow()
  await testing
  expect(await test(workspace, id)).toMatchObject({ statusCode: 200 })
})

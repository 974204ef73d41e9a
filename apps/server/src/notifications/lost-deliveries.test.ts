import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import {
  announce,
  createChannel,
  failLost,
  listChannels,
  listDeliveries,
  createDeliveries,
} from '#notifications/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'

const silent = { info() {}, warn() {}, error() {} }
const testServer = await sharedTestServer()

/** Creates a channel with one pending delivery. */
async function createPendingDelivery() {
  const workspace = await testServer.createWorkspace()
  const channel = { kind: 'KIND_WEBHOOK', webhookUrl: 'http://127.71.13.1:9/' } as const
  const created = await testServer.as(workspace, (ctx) => createChannel(ctx, { egress: 'all' }, { channel }), {
    actor: person,
  })
  await testServer.as(workspace, (ctx) =>
    announce(ctx, [{ kind: 'EVENT_ISSUE_OPENED', title: 'news', resource: { kind: 'issue', id: newId() } }]),
  )
  await createDeliveries(testServer.database, testServer.jobs, silent, workspace)
  const log = async () =>
    (await testServer.as(workspace, (ctx) => listDeliveries(ctx, { id: created.channel.id }))).deliveries
  const [delivery] = await log()
  return { workspace, log, deliveryId: delivery?.id ?? '' }
}

/** Simulates what the queue does with a job whose process died. */
const end = (deliveryId: string, state: 'retry' | 'failed') =>
  sql`update pgboss.job set state = ${state}::pgboss.job_state, completed_on = now()
    where name = 'delivery' and data ->> 'deliveryId' = ${deliveryId}`.execute(testServer.database.owner)

it('fails with a reason if its process died during the last attempt', async () => {
  const { workspace, log, deliveryId } = await createPendingDelivery()
  await end(deliveryId, 'failed')
  await failLost(testServer.database, silent)
  await failLost(testServer.database, silent)
  expect(await log()).toMatchObject([
    {
      id: deliveryId,
      state: 'STATE_FAILED',
      error: 'The server stopped during the last attempt',
      completeTime: expect.any(String),
    },
  ])
  expect((await testServer.as(workspace, listChannels)).channels).toMatchObject([{ failureCount: 1 }])
})

it('is unchanged while the queue has its job', async () => {
  const { log, deliveryId } = await createPendingDelivery()
  await failLost(testServer.database, silent, { isThorough: true })
  expect(await log()).toMatchObject([{ state: 'STATE_PENDING' }])
  await end(deliveryId, 'retry')
  await failLost(testServer.database, silent, { isThorough: true })
  expect(await log()).toMatchObject([{ state: 'STATE_PENDING' }])
})

it('is found by the thorough check after the queue has dropped its job', async () => {
  const { log, deliveryId } = await createPendingDelivery()
  await sql`delete from pgboss.job where data ->> 'deliveryId' = ${deliveryId}`.execute(testServer.database.owner)
  await failLost(testServer.database, silent, { isThorough: true })
  expect(await log()).toMatchObject([{ id: deliveryId, state: 'STATE_FAILED' }])
})

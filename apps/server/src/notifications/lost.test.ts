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

/** A channel with one delivery on its way. */
async function onItsWay() {
  const account = await testServer.account()
  const channel = { kind: 'KIND_WEBHOOK', webhookUrl: 'http://127.71.13.1:9/' } as const
  const made = await testServer.as(account, (ctx) => createChannel(ctx, { gate: 'all' }, { channel }), {
    actor: person,
  })
  await testServer.as(account, (ctx) =>
    announce(ctx, [{ kind: 'EVENT_ISSUE_OPENED', title: 'news', resource: { kind: 'issue', id: newId() } }]),
  )
  await createDeliveries(testServer.database, testServer.jobs, silent, account)
  const log = async () =>
    (await testServer.as(account, (ctx) => listDeliveries(ctx, { id: made.channel.id }))).deliveries
  const [delivery] = await log()
  return { account, log, deliveryId: delivery?.id ?? '' }
}

/** What the queue makes of a job whose process died. */
const end = (deliveryId: string, state: 'retry' | 'failed') =>
  sql`update pgboss.job set state = ${state}::pgboss.job_state, completed_on = now()
    where name = 'delivery' and data ->> 'deliveryId' = ${deliveryId}`.execute(testServer.database.owner)

it('fails with a reason if its process died during the last attempt', async () => {
  const { account, log, deliveryId } = await onItsWay()
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
  expect((await testServer.as(account, listChannels)).channels).toMatchObject([{ failureCount: 1 }])
})

it('is unchanged while the queue has its job', async () => {
  const { log, deliveryId } = await onItsWay()
  await failLost(testServer.database, silent, { isThorough: true })
  expect(await log()).toMatchObject([{ state: 'STATE_PENDING' }])
  await end(deliveryId, 'retry')
  await failLost(testServer.database, silent, { isThorough: true })
  expect(await log()).toMatchObject([{ state: 'STATE_PENDING' }])
})

it('is found by the thorough check after the queue has dropped its job', async () => {
  const { log, deliveryId } = await onItsWay()
  await sql`delete from pgboss.job where data ->> 'deliveryId' = ${deliveryId}`.execute(testServer.database.owner)
  await failLost(testServer.database, silent, { isThorough: true })
  expect(await log()).toMatchObject([{ id: deliveryId, state: 'STATE_FAILED' }])
})

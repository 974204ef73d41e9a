import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { announce, createChannel, failLost, listChannels, listDeliveries, takeUp } from '#notifications/index.ts'
import { type House, openHouse, person } from '#testing/house.ts'

const silent = { info() {}, warn() {}, error() {} }
let house: House
beforeAll(async () => void (house = await openHouse()))
afterAll(() => house.close())

/** A channel with one delivery on its way. */
async function onItsWay() {
  const account = await house.account()
  const channel = { kind: 'KIND_WEBHOOK', webhookUrl: 'http://127.71.13.1:9/' } as const
  const made = await house.as(account, (ctx) => createChannel(ctx, { gate: 'all' }, { channel }), { actor: person })
  await house.as(account, (ctx) =>
    announce(ctx, [{ kind: 'EVENT_ISSUE_OPENED', title: 'news', resource: { kind: 'issue', id: newId() } }]),
  )
  await takeUp(house.database, house.jobs, silent, account)
  const log = async () => (await house.as(account, (ctx) => listDeliveries(ctx, { id: made.channel.id }))).deliveries
  const [delivery] = await log()
  return { account, log, deliveryId: delivery?.id ?? '' }
}

/** What the queue makes of a job whose process died. */
const end = (deliveryId: string, state: 'retry' | 'failed') =>
  sql`update pgboss.job set state = ${state}::pgboss.job_state, completed_on = now()
    where name = 'delivery' and data ->> 'deliveryId' = ${deliveryId}`.execute(house.database.owner)

it('of a process that died in the last attempt has failed, and says why', async () => {
  const { account, log, deliveryId } = await onItsWay()
  await end(deliveryId, 'failed')
  await failLost(house.database, silent)
  await failLost(house.database, silent)
  expect(await log()).toMatchObject([
    {
      id: deliveryId,
      state: 'STATE_FAILED',
      error: 'The server stopped during the last attempt',
      completeTime: expect.any(String),
    },
  ])
  expect((await house.as(account, listChannels)).channels).toMatchObject([{ failureCount: 1 }])
})

it('is left alone while the queue has it', async () => {
  const { log, deliveryId } = await onItsWay()
  await failLost(house.database, silent, { isThorough: true })
  expect(await log()).toMatchObject([{ state: 'STATE_PENDING' }])
  await end(deliveryId, 'retry')
  await failLost(house.database, silent, { isThorough: true })
  expect(await log()).toMatchObject([{ state: 'STATE_PENDING' }])
})

it('that the queue has forgotten is found by who looks at all of them', async () => {
  const { log, deliveryId } = await onItsWay()
  await sql`delete from pgboss.job where data ->> 'deliveryId' = ${deliveryId}`.execute(house.database.owner)
  await failLost(house.database, silent, { isThorough: true })
  expect(await log()).toMatchObject([{ id: deliveryId, state: 'STATE_FAILED' }])
})

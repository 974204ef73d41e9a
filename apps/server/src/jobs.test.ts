import { afterAll, beforeAll, expect, it } from 'vitest'
import { channels } from '#database/channels.ts'
import { createJobs } from '#jobs.ts'
import { type House, openHouse } from '#testing/house.ts'
import { sql } from 'kysely'
import { Client } from 'pg'

let house: House
beforeAll(async () => void (house = await openHouse()))
afterAll(() => house.close())

const silent = { info() {}, warn() {}, error() {} }

it('looks round again after a start under a clock that was days ahead, and keeps what is right', async () => {
  const { owner } = house.database
  await sql`update pgboss.version set cron_on = now() + interval '2 days', flow_on = '2026-01-01T00:00:00Z'`.execute(
    owner,
  )
  await sql`update pgboss.queue set monitor_claim_on = now() + interval '2 days', maintain_on = now() + interval '2 days'`.execute(
    owner,
  )
  const jobs = createJobs(house.url, silent, { supervise: false })
  await jobs.prepare(owner)
  await jobs.close()
  const { rows } = await sql`
    select cron_on, flow_on, (select count(*)::int from pgboss.queue where greatest(monitor_claim_on, maintain_on) > now()) as ahead
    from pgboss.version`.execute(owner)
  expect(rows).toEqual([{ cron_on: null, flow_on: new Date('2026-01-01T00:00:00Z'), ahead: 0 }])
})

it('begins what is asked at once, and not at the next of its looks, which are a second apart', async () => {
  const { database, jobs, url } = house
  const listener = new Client({ connectionString: url })
  await listener.connect()
  await listener.query(`listen ${channels.jobs}`)
  listener.on('notification', ({ payload = '' }) => jobs.wake(payload))
  const account = await house.account()
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let left = 40
  const ask = async (queue: 'decisions' | 'scan-plan') =>
    database.owner.transaction().execute((tx) => jobs.enqueue(tx, queue, { account, scanId: account }))
  const pass = (to: 'decisions' | 'scan-plan') => async () => (left-- > 0 ? ask(to) : resolve())
  await jobs.work('decisions', 1, pass('scan-plan'))
  await jobs.work('scan-plan', 1, pass('decisions'))
  await ask('decisions')
  await done
  await listener.end()
})

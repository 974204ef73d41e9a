import { afterAll, beforeAll, expect, it } from 'vitest'
import { createJobs } from '#jobs.ts'
import { type House, openHouse } from '#testing/house.ts'
import { sql } from 'kysely'

let house: House
beforeAll(async () => void (house = await openHouse()))
afterAll(() => house.close())

it('looks round again after a start under a clock that was days ahead, and keeps what is right', async () => {
  const { owner } = house.database
  await sql`update pgboss.version set cron_on = now() + interval '2 days', flow_on = '2026-01-01T00:00:00Z'`.execute(
    owner,
  )
  await sql`update pgboss.queue set monitor_claim_on = now() + interval '2 days', maintain_on = now() + interval '2 days'`.execute(
    owner,
  )
  const jobs = createJobs(house.url, { info() {}, warn() {}, error() {} }, { supervise: false })
  await jobs.prepare(owner)
  await jobs.close()
  const { rows } = await sql`
    select cron_on, flow_on, (select count(*)::int from pgboss.queue where greatest(monitor_claim_on, maintain_on) > now()) as ahead
    from pgboss.version`.execute(owner)
  expect(rows).toEqual([{ cron_on: null, flow_on: new Date('2026-01-01T00:00:00Z'), ahead: 0 }])
})

import type { Observation } from '@glacis/contract/runner'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { countSometimes } from '#scans/counts.ts'
import { cancelScan, getScan, startScan } from '#scans/index.ts'
import { ingest } from '#scans/ingest.ts'
import { createTarget } from '#targets/index.ts'
import { type House, openHouse, person } from '#testing/house.ts'
import { statementsOf } from '#testing/statements.ts'

let house: House
beforeAll(async () => {
  house = await openHouse()
  await house.knows({})
})
afterAll(() => house.close())

const address = '127.90.0.1'
const place = { address, port: 80, transport: 'tcp' } as const
const observations: Observation[] = [
  { kind: 'host', address, names: [], reached: true, reason: 'port 80 open', answersEverything: false },
  { kind: 'service', ...place, protocol: 'http', tls: false, banner: '' },
  {
    kind: 'finding',
    ...place,
    check: 'exposed-git-config',
    threat: 'exposed-git-config',
    location: '80/.git/config',
    quality: 99,
    evidence: '[core]',
    highlights: ['[core]'],
  },
]

/** A running scan of so many batches. */
async function running(batches: number) {
  const account = await house.account()
  const id = await house.as(
    account,
    async (ctx) => {
      const { target } = await createTarget(ctx, {
        name: 'Web',
        address,
        schedule: { period: 'PERIOD_WEEKLY' },
        tags: [],
      })
      const { scan } = await startScan(ctx, house.jobs, target.id)
      await ctx.tx.updateTable('scan').set({ status: 'STATUS_RUNNING' }).where('id', '=', scan.id).execute()
      const of = { account_id: account, scan_id: scan.id, hosts: '[]', state: 'QUEUED' as const }
      await ctx.tx
        .insertInto('scan_batch')
        .values(Array.from({ length: batches }, (_, number) => ({ ...of, number })))
        .execute()
      return scan.id
    },
    { actor: person },
  )
  return { account, id }
}

it.each([
  [1, 1],
  [50, 50],
  [51, 26],
  [400, 50],
])('of a scan of %d batches the figures are counted %d times on the way', async (batches, times) => {
  const { account, id } = await running(batches)
  const sent = await statementsOf(() =>
    house.as(account, async (ctx) => {
      for (let number = 0; number < batches; number++) await countSometimes(ctx, id, number)
    }),
  )
  expect(sent.filter(({ text }) => text.includes('update scan set'))).toHaveLength(times)
})

it('the figures of a scan that ends early are those of all that it has found', async () => {
  const { account, id } = await running(400)
  const read = async () => (await house.as(account, (ctx) => getScan(ctx, { id }))).scan
  const hosts = [{ address, names: [] }]
  await house.as(account, (ctx) =>
    ingest(ctx, house.jobs, { scanId: id, number: 3, hosts, observations, knowledge: {} }),
  )
  expect((await read()).hostCount.affectedHosts).toBe(0)
  await house.as(account, (ctx) => cancelScan(ctx, { id }), { actor: person })
  expect(await read()).toMatchObject({ status: 'STATUS_CANCELLED', hostCount: { affectedHosts: 1 } })
})

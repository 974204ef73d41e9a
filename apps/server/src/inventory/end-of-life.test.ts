import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { listProducts, refreshEndOfLife, watchProduct } from '#inventory/index.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()
const { owner } = server.database
let workspace: string
let number = 0

beforeEach(async () => {
  workspace = await server.createWorkspace()
  number += 1
})

async function publish(cycle: string, endsOn: string): Promise<void> {
  await sql`insert into release_cycle (vendor, product, cycle, name, ends_on, is_over, latest)
    values ('acme', ${`ended_${number}`}, ${cycle}, 'Ended', ${endsOn}, false, ${`${cycle}.9`})`.execute(owner)
}
const withdraw = async () =>
  void (await sql`delete from release_cycle where vendor = 'acme' and product = ${`ended_${number}`}`.execute(owner))

async function watch(version: string): Promise<void> {
  const wfn = { vendor: 'acme', product: `ended_${number}` }
  const input = { name: 'Ended', version, wfn, minNotificationSeverity: 7 }
  await server.as(workspace, async (ctx) => watchProduct(ctx, input))
}
const endOfLife = async () =>
  (await server.as(workspace, async (ctx) => listProducts(ctx, {}))).products.map((product) => product.endOfLife)

it('updates products when their lifecycle changes', async () => {
  await publish('1.5', '2020-03-31')
  await watch('1.5.2')
  expect(await endOfLife()).toEqual([{ date: '2020-03-31', state: 'STATE_PAST', latestVersion: '1.5.9' }])
  await withdraw()
  await publish('1.5', '2100-03-31')
  await refreshEndOfLife(owner)
  expect(await endOfLife()).toEqual([{ date: '2100-03-31', state: 'STATE_SUPPORTED', latestVersion: '1.5.9' }])
})

it('forgets the end of life of products whose lifecycle is no longer published', async () => {
  await publish('1.5', '2020-03-31')
  await watch('1.5.2')
  await withdraw()
  await refreshEndOfLife(owner)
  expect(await endOfLife()).toEqual([undefined])
})

it('leaves other products alone when refreshing some', async () => {
  await publish('1.5', '2020-03-31')
  await watch('1.5.2')
  await withdraw()
  await refreshEndOfLife(owner, ['acme:another'])
  expect(await endOfLife()).toMatchObject([{ state: 'STATE_PAST' }])
})

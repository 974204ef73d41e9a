import type { Observation } from '@glacis/contract/runner'
import { parseFormattedString, toWfn } from '@glacis/intelligence'
import { expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { listProducts, recordInventory } from '#inventory/index.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()

type Addressed = (address: string) => Observation
const host: Addressed = (address) => ({
  kind: 'host',
  address,
  names: [],
  reached: true,
  reason: 'port 80 open',
  answersEverything: false,
})
const service =
  (port: number): Addressed =>
  (address) => ({ kind: 'service', address, port, transport: 'tcp', protocol: 'http', tls: false, banner: '' })
const runs =
  (product: string, port = 80): Addressed =>
  (address) => {
    const name = parseFormattedString(`cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`)
    if (!name) throw new Error('not a name')
    const what = { name: product, wfn: toWfn(name), evidence: product, quality: 80 }
    return { kind: 'technology', address, port, transport: 'tcp', ...what }
  }
const closed =
  (...ports: number[]): Addressed =>
  (address) => ({ kind: 'closed', address, transport: 'tcp', ports })

async function createTestTarget(workspace: string): Promise<string> {
  const id = newId()
  await server.as(workspace, async ({ tx, now }) => {
    const times = { created_at: now, updated_at: now }
    const targetFields = { name: 'All', address: '127.63.0.0/24', kind: 'NETWORK' as const }
    await tx
      .insertInto('target')
      .values({ account_id: workspace, id, ...targetFields, schedule_period: 'PERIOD_WEEKLY', ...times })
      .execute()
  })
  return id
}

/** The number of hosts per product as listed, and as counted from the inventory. */
async function counts(workspace: string) {
  const { products } = await server.as(workspace, (ctx) => listProducts(ctx, {}))
  const all = await server.as(workspace, ({ tx }) =>
    tx
      .selectFrom('host_product')
      .innerJoin('product', (join) =>
        join.onRef('product.account_id', '=', 'host_product.account_id').onRef('product.id', '=', 'product_id'),
      )
      .select(['product.name', (select) => select.fn.count<number>('host_id').distinct().as('hosts')])
      .where('host_product.account_id', '=', workspace)
      .where('gone_at', 'is', null)
      .groupBy('product.name')
      .orderBy('product.name')
      .execute(),
  )
  return {
    listed: products.map(({ name, hostCount }) => `${name} ${hostCount}`),
    counted: all.map(({ name, hosts }) => `${name} ${hosts}`),
  }
}

const [first, second] = ['127.63.0.1', '127.63.0.2']

it('matches the inventory as scans add and remove software', async () => {
  const workspace = await server.createWorkspace()
  const target = await createTestTarget(workspace)
  const ingestHost = async (address: string, ...builders: Addressed[]) => {
    const observations = [host, service(80), service(443), ...builders].map((make) => make(address))
    await server.as(workspace, (ctx) => recordInventory(ctx, target, observations))
    const { listed, counted } = await counts(workspace)
    expect(listed).toEqual(counted)
    return listed
  }
  // Two ports on one host count as one host.
  expect(await ingestHost(first, runs('mail'), runs('mail', 443), runs('web', 443))).toEqual(['mail 1', 'web 1'])
  expect(await ingestHost(second, runs('mail'))).toEqual(['mail 2', 'web 1'])
  expect(await ingestHost(second, runs('mail'))).toEqual(['mail 2', 'web 1'])
  // Replaced on one port and still on the other, then removed from that too.
  expect(await ingestHost(first, runs('web'))).toEqual(['mail 2', 'web 1'])
  expect(await ingestHost(first, closed(443))).toEqual(['mail 1', 'web 1'])
  expect(await ingestHost(second, closed(80, 443))).toEqual(['web 1'])
  expect(await ingestHost(second, runs('mail', 443))).toEqual(['mail 1', 'web 1'])
  expect(await ingestHost(first)).toEqual(['mail 1', 'web 1'])
})

it('counts a host once when two scans record the same product concurrently', async () => {
  const workspace = await server.createWorkspace()
  const target = await createTestTarget(workspace)
  const find = () =>
    server.as(workspace, (ctx) =>
      recordInventory(
        ctx,
        target,
        [host, service(80), runs('web')].map((make) => make(first)),
      ),
    )
  await Promise.all([find(), find(), find()])
  expect((await counts(workspace)).listed).toEqual(['web 1'])
})

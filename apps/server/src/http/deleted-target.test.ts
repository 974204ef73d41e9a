import type { Observation } from '@glacis/contract/runner'
import { parseFormattedString, toWfn } from '@glacis/intelligence'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordInventory } from '#inventory/index.ts'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'

const origin = 'http://localhost:3000'
let server: TestServer
let api: TestApi
beforeAll(async () => {
  server = await startTestServer()
  api = await openTestApi(server, origin)
})
afterAll(async () => {
  await api.close()
  await server.close()
})

async function send<T>(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object): Promise<T> {
  const headers = { origin, 'x-person': 'anna' }
  const response = await api.app.inject({ method, url, headers, ...(payload && { payload }) })
  expect([url, response.statusCode]).toEqual([url, 200])
  return response.json<T>()
}

/** Creates a target with one host that runs the product. */
async function running(address: string, product: string): Promise<string> {
  const payload = { name: 'Web', address, schedule: { period: 'PERIOD_WEEKLY' } }
  const { target } = await send<{ target: { id: string } }>('POST', '/v1/targets', payload)
  const name = parseFormattedString(`cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`)
  if (!name) throw new Error('no name')
  const what = { name: product, wfn: toWfn(name), evidence: product, quality: 80 }
  const observations: Observation[] = [
    { kind: 'host', address, names: [], reached: true, reason: 'port 80 open', answersEverything: false },
    { kind: 'service', address, port: 80, transport: 'tcp', protocol: 'http', tls: false, banner: '' },
    { kind: 'technology', address, port: 80, transport: 'tcp', ...what },
    { kind: 'technology', address, port: 443, transport: 'tcp', ...what },
  ]
  const { account_id: workspace } = await server.database.owner
    .selectFrom('target')
    .select('account_id')
    .where('id', '=', target.id)
    .executeTakeFirstOrThrow()
  await server.as(workspace, (ctx) => recordInventory(ctx, target.id, observations))
  return target.id
}

it('removes the software of a deleted target from the list of technologies', async () => {
  const [first, second] = [await running('127.63.5.1', 'shared'), await running('127.63.5.2', 'shared')]
  const third = await running('127.63.5.3', 'lonely')
  const listed = async () => {
    const { products } = await send<{ products: { name: string; hostCount: number }[] }>('GET', '/v1/products')
    return products.map(({ name, hostCount }) => `${name} ${hostCount}`)
  }
  expect(await listed()).toEqual(['lonely 1', 'shared 2'])
  await send('DELETE', `/v1/targets/${third}`)
  expect(await listed()).toEqual(['shared 2'])
  await send('DELETE', `/v1/targets/${first}`)
  expect(await listed()).toEqual(['shared 1'])
  await send('POST', '/v1/targets/batch/delete', { ids: [second] })
  expect(await listed()).toEqual([])
})

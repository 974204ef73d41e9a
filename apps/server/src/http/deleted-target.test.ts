import type { Observation } from '@glacis/contract/runner'
import { parseFormattedString, toWfn } from '@glacis/intelligence'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordInventory } from '#inventory/index.ts'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { type House, openHouse } from '#testing/house.ts'

const origin = 'http://localhost:3000'
let house: House
let api: TestApi
beforeAll(async () => {
  house = await openHouse()
  api = await openTestApi(house, origin)
})
afterAll(async () => {
  await api.close()
  await house.close()
})

async function ask<T>(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object): Promise<T> {
  const headers = { origin, 'x-person': 'anna' }
  const answer = await api.app.inject({ method, url, headers, ...(payload && { payload }) })
  expect([url, answer.statusCode]).toEqual([url, 200])
  return answer.json<T>()
}

/** A target with one host that runs this. */
async function running(address: string, product: string): Promise<string> {
  const payload = { name: 'Web', address, schedule: { period: 'PERIOD_WEEKLY' } }
  const { target } = await ask<{ target: { id: string } }>('POST', '/v1/targets', payload)
  const name = parseFormattedString(`cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`)
  if (!name) throw new Error('no name')
  const what = { name: product, wfn: toWfn(name), evidence: product, quality: 80 }
  const observations: Observation[] = [
    { kind: 'host', address, names: [], reached: true, reason: 'port 80 open', answersEverything: false },
    { kind: 'service', address, port: 80, transport: 'tcp', protocol: 'http', tls: false, banner: '' },
    { kind: 'technology', address, port: 80, transport: 'tcp', ...what },
    { kind: 'technology', address, port: 443, transport: 'tcp', ...what },
  ]
  const { account_id: account } = await house.database.owner
    .selectFrom('target')
    .select('account_id')
    .where('id', '=', target.id)
    .executeTakeFirstOrThrow()
  await house.as(account, (ctx) => recordInventory(ctx, target.id, observations))
  return target.id
}

it('takes what ran there off the technologies', async () => {
  const [one, two] = [await running('127.63.5.1', 'shared'), await running('127.63.5.2', 'shared')]
  const third = await running('127.63.5.3', 'lonely')
  const listed = async () => {
    const { products } = await ask<{ products: { name: string; hostCount: number }[] }>('GET', '/v1/products')
    return products.map(({ name, hostCount }) => `${name} ${hostCount}`)
  }
  expect(await listed()).toEqual(['lonely 1', 'shared 2'])
  await ask('DELETE', `/v1/targets/${third}`)
  expect(await listed()).toEqual(['shared 2'])
  await ask('DELETE', `/v1/targets/${one}`)
  expect(await listed()).toEqual(['shared 1'])
  await ask('POST', '/v1/targets/batch/delete', { ids: [two] })
  expect(await listed()).toEqual([])
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { searchSoftware } from '#inventory/software.ts'
import { type House, openHouse } from '#testing/house.ts'

let house: House
beforeAll(async () => {
  house = await openHouse()
  const software = [
    { part: 'a', vendor: 'apache', product: 'http_server', title: 'Apache HTTP Server', threats: 300 },
    { part: 'a', vendor: 'microsoft', product: 'exchange_server', title: 'Microsoft Exchange Server', threats: 200 },
    { part: 'a', vendor: 'f5', product: 'nginx', title: 'nginx', threats: 50 },
    { part: 'a', vendor: 'f5', product: 'nginx_ingress_controller', title: 'F5 nginx Ingress Controller', threats: 90 },
  ]
  await house.database.owner.insertInto('software').values(software).execute()
})
afterAll(() => house.close())

it.each([
  ['exch serv', ['Microsoft Exchange Server']],
  ['HTTP', ['Apache HTTP Server']],
  ['nginx', ['nginx', 'F5 nginx Ingress Controller']],
  ['100%', []],
])('%s finds %j', async (query, names) => {
  const { software } = await house.as(await house.account(), (ctx) => searchSoftware(ctx, { query }))
  expect(software.map((one) => one.name)).toEqual(names)
})

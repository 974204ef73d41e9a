import { beforeAll, expect, it } from 'vitest'
import { searchSoftware } from '#inventory/software.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()
beforeAll(async () => {
  const software = [
    { part: 'a', vendor: 'apache', product: 'http_server', title: 'Apache HTTP Server', threats: 300 },
    { part: 'a', vendor: 'microsoft', product: 'exchange_server', title: 'Microsoft Exchange Server', threats: 200 },
    { part: 'a', vendor: 'f5', product: 'nginx', title: 'nginx', threats: 50 },
    { part: 'a', vendor: 'f5', product: 'nginx_ingress_controller', title: 'F5 nginx Ingress Controller', threats: 90 },
  ]
  await server.database.owner.insertInto('software').values(software).execute()
})

it.each([
  ['exch serv', ['Microsoft Exchange Server']],
  ['HTTP', ['Apache HTTP Server']],
  ['nginx', ['nginx', 'F5 nginx Ingress Controller']],
  ['100%', []],
])('%s finds %j', async (query, names) => {
  const { software } = await server.as(await server.createWorkspace(), (ctx) => searchSoftware(ctx, { query }))
  expect(software.map((item) => item.name)).toEqual(names)
})

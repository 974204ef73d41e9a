import { once } from 'node:events'
import { connect, createServer, type Socket, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '#database/index.ts'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const origin = 'http://localhost:3000'
const silent = { info() {}, warn() {}, error() {} }
const server = await sharedTestServer()
let proxy: Awaited<ReturnType<typeof openProxy>>
let api: TestApi
let close: () => Promise<void>

beforeAll(async () => {
  proxy = await openProxy(server.url)
  const database = openDatabase(proxy.url, silent, { app: 2, owner: 2 })
  api = await openTestApi({ ...server, database }, origin)
  close = async () => {
    await api.close()
    await database.close()
    proxy.close()
  }
})
afterAll(() => close())

/** Stands between the API and PostgreSQL. While it is cut, it ends all connections and accepts none. */
async function openProxy(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const folder = target.searchParams.get('host')
  const port = Number(target.port || target.searchParams.get('port') || 5432)
  const sockets = new Set<Socket>()
  let isCut = false
  const proxyServer = createServer((client) => {
    client.on('error', () => undefined)
    if (isCut) return void client.destroy()
    const upstream = folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(port, target.hostname)
    upstream.on('error', () => client.destroy())
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    sockets.add(client)
    client.pipe(upstream).pipe(client)
  }).listen(0, '127.0.0.1')
  await once(proxyServer, 'listening')
  const url = new URL(databaseUrl.replace('@/', '@localhost/'))
  url.hostname = '127.0.0.1'
  url.port = String((proxyServer.address() as AddressInfo).port) // it listens on a port
  url.searchParams.delete('host')
  url.searchParams.delete('port')
  return {
    url: url.href,
    cut(next: boolean) {
      isCut = next
      if (next) for (const socket of sockets) socket.destroy()
    },
    close: () => proxyServer.close(),
  }
}

const createTag = (name: string) =>
  api.app.inject({
    method: 'POST',
    url: '/v1/tags',
    headers: { origin, 'x-person': 'anna' },
    payload: { tag: { name, color: 1 } },
  })
const tagNames = async () => {
  const response = await api.app.inject({ url: '/v1/tags', headers: { 'x-person': 'anna' } })
  return response.json<{ tags: { name: string }[] }>().tags.map(({ name }) => name)
}

it('SEC-G2 responds 503 with Retry-After while the database is lost, and continues when it is back', async () => {
  expect((await createTag('before')).statusCode).toBe(200)
  proxy.cut(true)
  for (const attempt of ['first', 'second', 'third']) {
    const response = await createTag(attempt)
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5'])
    expect(response.json()).toMatchObject({ code: 14, message: 'The database is unavailable. Try again in a moment' })
  }
  proxy.cut(false)
  expect((await createTag('after')).statusCode).toBe(200)
  expect((await tagNames()).toSorted()).toEqual(['after', 'before'])
})

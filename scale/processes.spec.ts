import { createTarget, listTargets } from '@glacis/contract/target'
import { startScan } from '@glacis/contract/scan'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withClient } from '../faults/query.ts'
import { violations } from '../faults/invariants.ts'
import { hasEnded, scanWhen, visit } from '../lab/visitor.ts'
import { type Cluster, createNetwork, person, startCluster, startTraffic } from './processes.ts'

/** Two API processes, one for sign-in, and three workers: state in one process is visible in all. */
let cluster: Cluster
let targetId: string
beforeAll(async () => {
  cluster = await startCluster()
  targetId = await createNetwork(cluster.visitor, '127.62.40.0/24')
}, 240_000)
afterAll(() => cluster?.[Symbol.asyncDispose]())

const apiUrls = () => ['api 1', 'api 2'].map((name) => `http://127.0.0.1:${cluster.installation.ports[name]}`)
/** A scan takes seconds, and longer beside other tests. */
const scanMsMax = 150_000

it('a session is valid in every process, and in none after it ended', async () => {
  const guest = visit(cluster.installation.url)
  await guest.signIn(person)
  const statuses = async () =>
    Promise.all(
      apiUrls().map(async (url) => (await fetch(`${url}/v1/targets`, { headers: { cookie: guest.cookie() } })).status),
    )
  expect(await statuses()).toEqual([200, 200])
  const { installation, visitor } = cluster
  // "Sign out everywhere else" of another session of the same person.
  const response = await fetch(`${installation.url}/sessions`, {
    method: 'DELETE',
    headers: { cookie: visitor.cookie(), accept: 'application/json', origin: installation.url },
  })
  expect(response.ok).toBe(true)
  expect(await statuses()).toEqual([401, 401])
})

it('requests with the same idempotency key have one effect', async () => {
  const { installation, visitor } = cluster
  const create = async () => {
    const response = await fetch(`${installation.url}/v1/targets`, {
      method: 'POST',
      headers: {
        cookie: visitor.cookie(),
        origin: installation.url,
        'content-type': 'application/json',
        'idempotency-key': 'four-times',
      },
      body: JSON.stringify({ name: 'once', address: '127.62.41.1', schedule: { period: 'PERIOD_DAILY' }, tags: [] }),
    })
    return createTarget.result.parse(await response.json()).target.id
  }
  const ids = await Promise.all(Array.from({ length: 4 }, create))
  expect(new Set(ids).size).toBe(1)
  const { targets } = await visitor.call(listTargets, { filter: { query: 'once' } })
  expect(targets).toHaveLength(1)
})

it('requests without a session share one rate limit', async () => {
  const path = '/v1/targets'
  // Each process alone would allow 1,200.
  const burst = async (url: string) => {
    for (let count = 0; count < 700; count += 50)
      await Promise.all(Array.from({ length: 50 }, async () => (await fetch(url + path)).arrayBuffer()))
  }
  await Promise.all(apiUrls().map(burst))
  for (const url of apiUrls()) await expect.poll(async () => (await fetch(url + path)).status).toBe(429)
})

it('events reach the streams of every process, which resume at another one', async () => {
  const { visitor } = cluster
  const streams = await Promise.all(apiUrls().map((url) => listen(url, visitor.cookie())))
  const { scan } = await visitor.call(startScan, { targetId })
  await scanWhen(visitor, scan.id, hasEnded, scanMsMax)
  for (const stream of streams) await expect.poll(() => stream.events).toContain('EVENT_SCAN_COMPLETED')
  const [first, second] = streams
  // Every event after the first has to come again.
  const resumed = await listen(apiUrls()[1] ?? '', visitor.cookie(), first?.ids[0])
  await expect.poll(() => (second?.ids.length ?? 0) - resumed.ids.length).toBe(1)
  for (const stream of [...streams, resumed]) stream.close()
  const reports = await Promise.all(
    apiUrls().map(async (url) => {
      const headers = { cookie: visitor.cookie() }
      return (await fetch(`${url}/v1/scans/${scan.id}/report?format=json`, { headers })).status
    }),
  )
  expect(reports).toEqual([200, 200])
}, 240_000)

it('a rolling restart loses no request, no batch, and no count of wrong passwords', async () => {
  const { installation, visitor } = cluster
  const messages = await signInWrongly(6)
  const traffic = startTraffic(visitor, installation.url)
  const { scan } = await visitor.call(startScan, { targetId })
  await Promise.all([
    cluster.replace('api 1'),
    cluster.replace('worker 1'),
    cluster.replace('identity 1', 'identity 2'),
  ])
  await Promise.all([cluster.replace('api 2'), cluster.replace('worker 2'), cluster.replace('worker 3')])
  await traffic.stop()
  expect(traffic.failures).toEqual([])
  expect(traffic.tagIds.length).toBeGreaterThan(50)
  const ended = await scanWhen(visitor, scan.id, hasEnded, scanMsMax)
  expect(ended).toMatchObject({ status: 'STATUS_COMPLETED' })
  const { rows } = await withClient(installation.databaseUrl, (client) =>
    client.query<{ count: number }>('select count(*)::int as count from tag where id = any($1)', [traffic.tagIds]),
  )
  expect(rows[0]?.count).toBe(new Set(traffic.tagIds).size)
  const acknowledged = {
    tags: [],
    comments: [],
    scans: [scan.id],
    invitations: [],
    statuses: new Map<string, string>(),
  }
  expect(await violations(installation.databaseUrl, acknowledged, { isEnd: true })).toEqual([])
  // The other identity process has counted the attempts at the first one.
  messages.push(...(await signInWrongly(5)))
  const isThrottled = messages.map((message) => message.includes('Too many attempts'))
  expect(isThrottled).toEqual([...Array.from({ length: 10 }, () => false), true])
}, 240_000)

async function signInWrongly(count: number): Promise<string[]> {
  const messages: string[] = []
  for (let attempt = 0; attempt < count; attempt++) {
    const stranger = visit(cluster.installation.url)
    await stranger
      .signIn({ ...person, password: 'not this one' })
      .catch((error: unknown) => messages.push(String(error)))
  }
  return messages
}

/** The events of a stream, as they arrive. */
async function listen(url: string, cookie: string, lastId?: string) {
  const closing = new AbortController()
  const headers = { cookie, ...(lastId && { 'last-event-id': lastId }) }
  const { body } = await fetch(`${url}/v1/events`, { headers, signal: closing.signal })
  const [events, ids]: [string[], string[]] = [[], []]
  const read = async () => {
    let text = ''
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      events.splice(0, Infinity, ...[...text.matchAll(/^event: (.*)$/gm)].map(([, event = '']) => event))
      ids.splice(0, Infinity, ...[...text.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id))
    }
  }
  read().catch(() => undefined) // closed by us
  return { events, ids, close: () => closing.abort() }
}

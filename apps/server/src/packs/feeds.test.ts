import { beforeEach, expect, it } from 'vitest'
import { checkFeed, listFeeds, packStatus } from '#packs/feeds.ts'
import { addresses } from '#packs/sources.ts'
import { notePack } from '#packs/state.ts'
import { startTestServer, type TestServer } from '#testing/test-server.ts'
import { sql } from 'kysely'

let server: TestServer
let account: string
beforeEach(async () => {
  server = await startTestServer()
  account = await server.account()
  await notePack(server.database.owner, 'CISA KEV', { records: 7, state: 'STATE_READY' })
  return () => server.close()
})
const kev = { name: 'CISA KEV' }
const check = (feed = kev, known: Parameters<typeof checkFeed>[2] = addresses) =>
  server.as(account, (ctx) => checkFeed(ctx, server.jobs, known, feed))

async function queued(): Promise<unknown[]> {
  const { rows } = await sql<{ data: unknown }>`
    select data from pgboss.job where name = 'feed-check'`.execute(server.database.owner)
  return rows.map((row) => row.data)
}

it('has a feed asked at once', async () => {
  expect(await check()).toMatchObject({ feed: { name: 'CISA KEV', records: 7, checkable: true } })
  expect(await queued()).toEqual([{ pack: 'CISA KEV' }])
})

it.each<[string, () => Promise<unknown>, object]>([
  ['that nobody knows', () => check({ name: 'Other' }), { code: 'not_found' }],
  [
    'without a network',
    () => check(kev, null),
    { code: 'precondition', message: expect.stringContaining('glacis packs import') },
  ],
  ['whose source is switched off', () => check(kev, { ...addresses, kev: '' }), { code: 'precondition' }],
  [
    'of our own',
    async () => {
      await notePack(server.database.owner, 'Threat records', { records: 1 })
      return check({ name: 'Threat records' })
    },
    { code: 'precondition', message: 'Threat records has no download source' },
  ],
  [
    'that is being read',
    async () => {
      await notePack(server.database.owner, 'CISA KEV', { progress: 'Asking www.cisa.gov' })
      return check()
    },
    { code: 'conflict', message: 'CISA KEV is already being updated' },
  ],
  [
    'that was asked a moment ago',
    async () => {
      await notePack(server.database.owner, 'CISA KEV', { checkedAt: new Date() })
      return check()
    },
    { code: 'conflict', message: 'CISA KEV was checked less than a minute ago' },
  ],
])('refuses to check a feed %s', async (_, ask, refusal) => {
  await expect(ask()).rejects.toMatchObject(refusal)
  expect(await queued()).toEqual([])
})

it('says which feeds can be checked', async () => {
  await notePack(server.database.owner, 'Threat records', { records: 1 })
  const checkable = async (known: Parameters<typeof listFeeds>[1]) => {
    const { feeds } = await server.as(account, (ctx) => listFeeds(ctx, known))
    return feeds.filter((feed) => feed.checkable).map(({ name }) => name)
  }
  expect(await checkable(addresses)).toEqual(['CISA KEV'])
  expect(await checkable(null)).toEqual([])
})

it('lists feeds as a reader looks for them, whatever is written large', async () => {
  for (const name of ['fingerprints', 'Threat records', 'CVE list', 'EPSS', 'checks'])
    await notePack(server.database.owner, name, { records: 1 })
  const names = ['checks', 'CISA KEV', 'CVE list', 'EPSS', 'fingerprints', 'Threat records']
  const { feeds } = await server.as(account, (ctx) => listFeeds(ctx, addresses))
  expect(feeds.map(({ name }) => name)).toEqual(names)
  expect((await packStatus(server.database.owner)).map(({ name }) => name)).toEqual(names)
})

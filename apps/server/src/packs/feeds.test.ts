import { beforeEach, expect, it } from 'vitest'
import { checkFeed, listFeeds, packStatus } from '#packs/feeds.ts'
import { addresses } from '#packs/sources.ts'
import { updatePack } from '#packs/state.ts'
import { startTestServer, type TestServer } from '#testing/test-server.ts'
import { sql } from 'kysely'

let server: TestServer
let workspace: string
beforeEach(async () => {
  server = await startTestServer()
  workspace = await server.createWorkspace()
  await updatePack(server.database.owner, 'CISA KEV', { records: 7, state: 'STATE_READY' })
  return () => server.close()
})
const kev = { name: 'CISA KEV' }
const check = (feed = kev, urls: Parameters<typeof checkFeed>[2] = addresses) =>
  server.as(workspace, (ctx) => checkFeed(ctx, server.jobs, urls, feed))

async function queued(): Promise<unknown[]> {
  const { rows } = await sql<{ data: unknown }>`
    select data from pgboss.job where name = 'feed-check'`.execute(server.database.owner)
  return rows.map((row) => row.data)
}

it('queues a check immediately', async () => {
  expect(await check()).toMatchObject({ feed: { name: 'CISA KEV', records: 7, checkable: true } })
  expect(await queued()).toEqual([{ pack: 'CISA KEV' }])
})

it.each<[string, () => Promise<unknown>, object]>([
  ['that does not exist', () => check({ name: 'Other' }), { code: 'not_found' }],
  [
    'while downloads are turned off',
    () => check(kev, null),
    { code: 'precondition', message: expect.stringContaining('glacis packs import') },
  ],
  ['whose source is turned off', () => check(kev, { ...addresses, kev: '' }), { code: 'precondition' }],
  [
    'without a source',
    async () => {
      await updatePack(server.database.owner, 'Threat records', { records: 1 })
      return check({ name: 'Threat records' })
    },
    { code: 'precondition', message: 'Threat records has no download source' },
  ],
  [
    'that is being updated',
    async () => {
      await updatePack(server.database.owner, 'CISA KEV', { progress: 'Contacting www.cisa.gov' })
      return check()
    },
    { code: 'conflict', message: 'CISA KEV is already being updated' },
  ],
  [
    'that was just checked',
    async () => {
      await updatePack(server.database.owner, 'CISA KEV', { checkedAt: new Date() })
      return check()
    },
    { code: 'conflict', message: 'CISA KEV was checked less than a minute ago' },
  ],
])('rejects a check of a feed %s', async (_, run, error) => {
  await expect(run()).rejects.toMatchObject(error)
  expect(await queued()).toEqual([])
})

it('marks the feeds that can be checked', async () => {
  await updatePack(server.database.owner, 'Threat records', { records: 1 })
  const checkable = async (urls: Parameters<typeof listFeeds>[1]) => {
    const { feeds } = await server.as(workspace, (ctx) => listFeeds(ctx, urls))
    return feeds.filter((feed) => feed.checkable).map(({ name }) => name)
  }
  expect(await checkable(addresses)).toEqual(['CISA KEV'])
  expect(await checkable(null)).toEqual([])
})

it('sorts feeds by name, ignoring case', async () => {
  for (const name of ['fingerprints', 'Threat records', 'CVE list', 'EPSS', 'checks'])
    await updatePack(server.database.owner, name, { records: 1 })
  const names = ['checks', 'CISA KEV', 'CVE list', 'EPSS', 'fingerprints', 'Threat records']
  const { feeds } = await server.as(workspace, (ctx) => listFeeds(ctx, addresses))
  expect(feeds.map(({ name }) => name)).toEqual(names)
  expect((await packStatus(server.database.owner)).map(({ name }) => name)).toEqual(names)
})

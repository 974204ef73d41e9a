import { beforeEach, expect, it } from 'vitest'
import { checkFeed, listFeeds, packStatus } from '#packs/feeds.ts'
import { addresses } from '#packs/sources.ts'
import { notePack } from '#packs/state.ts'
import { type House, openHouse } from '#testing/house.ts'
import { sql } from 'kysely'

let house: House
let account: string
beforeEach(async () => {
  house = await openHouse()
  account = await house.account()
  await notePack(house.database.owner, 'CISA KEV', { records: 7, state: 'STATE_READY' })
  return () => house.close()
})
const kev = { name: 'CISA KEV' }
const check = (feed = kev, known: Parameters<typeof checkFeed>[2] = addresses) =>
  house.as(account, (ctx) => checkFeed(ctx, house.jobs, known, feed))

async function queued(): Promise<unknown[]> {
  const { rows } = await sql<{ data: unknown }>`
    select data from pgboss.job where name = 'feed-check'`.execute(house.database.owner)
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
      await notePack(house.database.owner, 'Threat records', { records: 1 })
      return check({ name: 'Threat records' })
    },
    { code: 'precondition', message: 'Threat records has no source that is asked over the network' },
  ],
  [
    'that is being read',
    async () => {
      await notePack(house.database.owner, 'CISA KEV', { progress: 'Asking www.cisa.gov' })
      return check()
    },
    { code: 'conflict', message: 'CISA KEV is being read just now' },
  ],
  [
    'that was asked a moment ago',
    async () => {
      await notePack(house.database.owner, 'CISA KEV', { checkedAt: new Date() })
      return check()
    },
    { code: 'conflict', message: 'CISA KEV was asked less than a minute ago' },
  ],
])('refuses to check a feed %s', async (_, ask, refusal) => {
  await expect(ask()).rejects.toMatchObject(refusal)
  expect(await queued()).toEqual([])
})

it('says which feeds can be checked', async () => {
  await notePack(house.database.owner, 'Threat records', { records: 1 })
  const checkable = async (known: Parameters<typeof listFeeds>[1]) => {
    const { feeds } = await house.as(account, (ctx) => listFeeds(ctx, known))
    return feeds.filter((feed) => feed.checkable).map(({ name }) => name)
  }
  expect(await checkable(addresses)).toEqual(['CISA KEV'])
  expect(await checkable(null)).toEqual([])
})

it('lists feeds as a reader looks for them, whatever is written large', async () => {
  for (const name of ['fingerprints', 'Threat records', 'CVE list', 'EPSS', 'checks'])
    await notePack(house.database.owner, name, { records: 1 })
  const names = ['checks', 'CISA KEV', 'CVE list', 'EPSS', 'fingerprints', 'Threat records']
  const { feeds } = await house.as(account, (ctx) => listFeeds(ctx, addresses))
  expect(feeds.map(({ name }) => name)).toEqual(names)
  expect((await packStatus(house.database.owner)).map(({ name }) => name)).toEqual(names)
})

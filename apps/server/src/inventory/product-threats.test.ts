import { beforeEach, expect, it } from 'vitest'
import { type House, openHouse } from '#testing/house.ts'
import { seedIssues, shownThreats } from '#testing/issues.ts'
import { listProductThreats, watchProduct } from '#inventory/index.ts'
import { sql } from 'kysely'

let house: House
let account: string
let hostIds: readonly string[]
let productId: string
const key = 'CVE-2024-7347'
const fixed = '1.22.1-9+deb12u1'

beforeEach(async () => {
  house = await openHouse()
  account = await house.account()
  hostIds = (await seedIssues(house, account, { issues: 1, hosts: 3, at: new Date() })).hostIds
  const cpeMatch = [{ vulnerable: true, criteria: 'cpe:2.3:a:f5:nginx:*:*:*:*:*:*:*:*', versionEndExcluding: '1.26.2' }]
  const nodes = [{ operator: 'OR', negate: false, cpeMatch }]
  await house.knows({
    key,
    kind: 'cve',
    source: 'nvd',
    name: 'Worker reads beyond its memory',
    record: { id: key, isRejected: false, configurations: [{ operator: 'OR', negate: false, nodes }] },
    hasCriteria: true,
    products: [{ vendor: 'f5', product: 'nginx' }],
  })
  const { product } = await house.as(account, (ctx) =>
    watchProduct(ctx, {
      name: 'nginx',
      version: '1.22.1',
      wfn: { vendor: 'f5', product: 'nginx' },
      minNotificationSeverity: 7,
    }),
  )
  productId = product.id
  return () => house.close()
})

/** Each host runs one build. */
async function runs(...revisions: string[]): Promise<void> {
  for (const [index, revision] of revisions.entries()) {
    await sql`
      insert into host_product (account_id, host_id, product_id, port, revision, evidence, quality, first_seen_at, last_seen_at)
      values (${account}, ${hostIds[index]}, ${productId}, 80, ${revision}, 'seen', 80, now(), now())`.execute(
      house.database.owner,
    )
  }
}
async function tracked(fixedVersion: string): Promise<void> {
  const row = { key, product: 'f5:nginx', release: 'debian:12', fixed_version: fixedVersion, origin: 'nginx' }
  await house.database.owner.insertInto('distribution_fix').values(row).execute()
}
const verdict = async (knowledge = {}) => {
  const input = { id: productId, filter: { found: false } }
  const { threats } = await house.as(account, (ctx) => listProductThreats(ctx, input, shownThreats, knowledge))
  return threats.map(({ affectsVersion, reason }) => [affectsVersion, reason])
}
const holdsFix = "1.22.1 Debian-9+deb12u1 holds the distribution's fix."
const isInRange = 'F5 nginx 1.22.1 is in < 1.26.2.'

it('says that the distribution has fixed it where a feed knows so', async () => {
  await runs('Debian-9+deb12u1')
  expect(await verdict()).toEqual([['AFFECTS_YES', isInRange]])
  await tracked(fixed)
  expect(await verdict()).toEqual([['AFFECTS_NO', holdsFix]])
})

it('says so where our own packs know it', async () => {
  await runs('Debian-9+deb12u1')
  const distributionFixes = new Map([[key, [{ product: 'f5:nginx', fixedVersion: fixed }]]])
  expect(await verdict({ distributionFixes })).toEqual([['AFFECTS_NO', holdsFix]])
})

it.each([
  ['one of the builds holds no fix', ['Debian-9+deb12u1', 'Debian-9']],
  ['one of the hosts shows no build', ['Debian-9+deb12u1', '']],
  ['it runs nowhere', []],
])('does not say so where %s', async (_, revisions) => {
  await runs(...revisions)
  await tracked('1.22.1-9+deb12u1')
  expect(await verdict()).toEqual([['AFFECTS_YES', isInRange]])
})

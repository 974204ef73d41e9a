import { beforeEach, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#testing/test-server.ts'
import { seedIssues, describeThreats } from '#testing/issues.ts'
import { listProductThreats, watchProduct } from '#inventory/index.ts'
import { sql } from 'kysely'

let server: TestServer
let workspace: string
let hostIds: readonly string[]
let productId: string
const key = 'CVE-2024-7347'
const fixed = '1.22.1-9+deb12u1'

beforeEach(async () => {
  server = await startTestServer()
  workspace = await server.createWorkspace()
  hostIds = (await seedIssues(server, workspace, { issues: 1, hosts: 3, at: new Date() })).hostIds
  const cpeMatch = [{ vulnerable: true, criteria: 'cpe:2.3:a:f5:nginx:*:*:*:*:*:*:*:*', versionEndExcluding: '1.26.2' }]
  const nodes = [{ operator: 'OR', negate: false, cpeMatch }]
  await server.addThreats({
    key,
    kind: 'cve',
    source: 'nvd',
    name: 'Worker reads beyond its memory',
    record: { id: key, isRejected: false, configurations: [{ operator: 'OR', negate: false, nodes }] },
    hasCriteria: true,
    products: [{ vendor: 'f5', product: 'nginx' }],
  })
  const { product } = await server.as(workspace, (ctx) =>
    watchProduct(ctx, {
      name: 'nginx',
      version: '1.22.1',
      wfn: { vendor: 'f5', product: 'nginx' },
      minNotificationSeverity: 7,
    }),
  )
  productId = product.id
  return () => server.close()
})

/** Creates a host per revision, each with that build. */
async function runs(...revisions: string[]): Promise<void> {
  for (const [index, revision] of revisions.entries()) {
    await sql`
      insert into host_product (account_id, host_id, product_id, port, revision, evidence, quality, first_seen_at, last_seen_at)
      values (${workspace}, ${hostIds[index]}, ${productId}, 80, ${revision}, 'seen', 80, now(), now())`.execute(
      server.database.owner,
    )
  }
}
async function tracked(fixedVersion: string): Promise<void> {
  const row = { key, product: 'f5:nginx', release: 'debian:12', fixed_version: fixedVersion, origin: 'nginx' }
  await server.database.owner.insertInto('distribution_fix').values(row).execute()
}
const verdict = async (knowledge = {}) => {
  const input = { id: productId, filter: { found: false } }
  const { threats } = await server.as(workspace, (ctx) => listProductThreats(ctx, input, describeThreats, knowledge))
  return threats.map(({ affectsVersion, reason }) => [affectsVersion, reason])
}
const containsFix = "1.22.1 Debian-9+deb12u1 includes the distribution's fix."
const isInRange = 'Nginx 1.22.1 is in the affected range < 1.26.2.'

it('reports a fix in a distribution feed', async () => {
  await runs('Debian-9+deb12u1')
  expect(await verdict()).toEqual([['AFFECTS_YES', isInRange]])
  await tracked(fixed)
  expect(await verdict()).toEqual([['AFFECTS_NO', containsFix]])
})

it('reports a fix in our own packs', async () => {
  await runs('Debian-9+deb12u1')
  const distributionFixes = new Map([[key, [{ product: 'f5:nginx', fixedVersion: fixed }]]])
  expect(await verdict({ distributionFixes })).toEqual([['AFFECTS_NO', containsFix]])
})

it.each([
  ['one of the builds lacks it', ['Debian-9+deb12u1', 'Debian-9']],
  ['the build on one host is unknown', ['Debian-9+deb12u1', '']],
  ['no host runs the product', []],
])("doesn't report a fix if %s", async (_, revisions) => {
  await runs(...revisions)
  await tracked('1.22.1-9+deb12u1')
  expect(await verdict()).toEqual([['AFFECTS_YES', isInRange]])
})

import type { VerificationFilter } from '@glacis/contract/issue'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeHistory } from '../../../../lab/history/history.ts'
import { affectedHosts, issuesBySeverity, issuesByStatus, scans } from '#stats/index.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'
import { seedIssues } from '#testing/issues.ts'

let server: TestServer
let workspace: string
beforeAll(async () => {
  server = await startTestServer()
  await server.addThreats(
    ...Array.from({ length: 30 }, (_, number) => ({ key: `check-${number}`, name: `Check ${number}` })),
  )
  workspace = await server.createWorkspace()
  await seedIssues(server, workspace, { issues: 12, hosts: 4, at: new Date() })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await addSoftware(client)
  await writeHistory(client, `${workspace}@example.ch`)
  await client.end()
})
afterAll(() => server.close())

/** All hosts run a product that all threats affect. */
async function addSoftware(client: pg.Client): Promise<void> {
  await client.query(`insert into threat_product (vendor, product, threat_id) select 'f5', 'nginx', id from threat`)
  await client.query(
    `insert into product (account_id, id, key, name, version, part, vendor, product, wfn, created_at, updated_at)
     values ($1, gen_random_uuid(), 'nginx', 'nginx', '1.22.1', 'a', 'f5', 'nginx', '{}', now(), now())`,
    [workspace],
  )
  await client.query(
    `insert into host_product (account_id, host_id, product_id, port, evidence, quality, first_seen_at, last_seen_at)
     select host.account_id, host.id, product.id, 80, 'seen', 80, now(), now()
     from host join product on product.account_id = host.account_id where host.account_id = $1`,
    [workspace],
  )
}

const period = 'PERIOD_QUARTER'

it('fills a quarter with issues that come and go, and nightly scans', async () => {
  const { open, resolved } = await server.as(workspace, (ctx) => issuesByStatus(ctx, { period }))
  expect(Math.max(...open)).toBeGreaterThan(open.at(-1) ?? 0)
  expect([open.at(-1), resolved.at(-1)]).toEqual([12, 30])
  const { values } = await server.as(workspace, (ctx) => scans(ctx, { period }))
  expect(values.filter((count) => count > 0).length).toBeGreaterThan(80)
})

it.each<VerificationFilter>([
  'VERIFICATION_FILTER_ALL',
  'VERIFICATION_FILTER_VERIFIED',
  'VERIFICATION_FILTER_UNVERIFIED',
])('matches the current counts on its last day: %s', async (verification) => {
  const filter = { verification }
  const charts = await server.as(workspace, async (ctx) => [
    await issuesByStatus(ctx, { period, filter }),
    await issuesBySeverity(ctx, { period, filter }),
    await affectedHosts(ctx, { period, filter }),
  ])
  for (const { timestamps: _, ...series } of charts)
    for (const [name, values] of Object.entries(series)) expect([name, values.at(-2)]).toEqual([name, values.at(-1)])
})

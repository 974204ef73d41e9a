import type { Issue } from '@glacis/contract/issue'
import type { Observation } from '@glacis/contract/runner'
import { parseNvd, toWfn, parseFormattedString } from '@glacis/intelligence'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { getIssue, listIssues, setIssueStatus } from '#issues/index.ts'
import { listProducts } from '#inventory/index.ts'
import { ingest } from '#scans/ingest.ts'
import { startScan } from '#scans/index.ts'
import { createTarget, describeTargets } from '#targets/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'

const testServer = await sharedTestServer()
beforeAll(async () => {
  const item = parseNvd({
    id: 'CVE-2021-41773',
    descriptions: [{ lang: 'en', value: 'Path traversal.' }],
    configurations: [
      {
        nodes: [
          {
            operator: 'OR',
            cpeMatch: [{ vulnerable: true, criteria: 'cpe:2.3:a:apache:http_server:2.4.49:*:*:*:*:*:*:*' }],
          },
        ],
      },
    ],
  })
  if (item.kind !== 'threat') throw new Error(item.problem)
  await testServer.addThreats({
    key: item.threat.id,
    kind: 'cve',
    name: 'Path traversal',
    record: item.threat,
    products: [{ vendor: 'apache', product: 'http_server' }],
  })
  await testServer.addThreats({ key: 'traversal-proof' })
})

const address = '127.92.0.1'
const host: Observation = {
  kind: 'host',
  address,
  names: [],
  reached: true,
  reason: 'port 80 open',
  answersEverything: false,
}
const service: Observation = {
  kind: 'service',
  address,
  port: 80,
  transport: 'tcp',
  protocol: 'http',
  tls: false,
  banner: '',
}
function apache(version: string, quality = 80): Observation {
  const name = parseFormattedString(`cpe:2.3:a:apache:http_server:${version}:*:*:*:*:*:*:*`)
  if (!name) throw new Error('not a name')
  const evidence = `Server: Apache/${version}`
  return {
    kind: 'technology',
    address,
    port: 80,
    transport: 'tcp',
    name: 'Apache HTTP Server',
    wfn: toWfn(name),
    evidence,
    quality,
  }
}
const proof: Observation = {
  kind: 'finding',
  address,
  port: 80,
  transport: 'tcp',
  check: 'traversal-proof',
  threat: 'CVE-2021-41773',
  location: '80/cgi-bin',
  quality: 99,
  evidence: 'root:x:0:0',
  highlights: [],
}

let workspace: string
let targetId: string
let clock: number
beforeEach(async () => {
  workspace = await testServer.createWorkspace()
  clock = Date.parse('2026-11-01T08:00:00Z')
  const input = { name: 'Web', address, schedule: { period: 'PERIOD_WEEKLY' as const }, tags: [] }
  targetId = (await testServer.as(workspace, (ctx) => createTarget(ctx, input))).target.id
})

async function scanned(...observations: Observation[]): Promise<void> {
  const now = new Date((clock += 3_600_000))
  await testServer.as(
    workspace,
    async (ctx) => {
      const { scan } = await startScan(ctx, testServer.jobs, targetId)
      await ctx.tx
        .updateTable('scan')
        .set({ status: 'STATUS_RUNNING', hosts_total: 1 })
        .where('id', '=', scan.id)
        .execute()
      const hosts = [{ address, names: [] }]
      await ctx.tx
        .insertInto('scan_batch')
        .values({ account_id: workspace, scan_id: scan.id, number: 0, hosts: JSON.stringify(hosts), state: 'QUEUED' })
        .execute()
      await ingest(ctx, testServer.jobs, { scanId: scan.id, number: 0, hosts, observations, knowledge: {} })
    },
    { now },
  )
}

async function theIssue(): Promise<Issue | undefined> {
  return testServer.as(workspace, async (ctx) => {
    const [first] = (await listIssues(ctx, {}, describeTargets)).issues
    return first && (await getIssue(ctx, { id: first.id }, describeTargets)).issue
  })
}

it('raises a potential issue with its quality and reason', async () => {
  await scanned(host, service, apache('2.4.49'))
  expect(await theIssue()).toMatchObject({
    name: 'Path traversal',
    status: 'STATUS_OPEN',
    verification: 'VERIFICATION_UNVERIFIED',
    quality: 80,
    affectedHosts: [{ evidence: [{ method: 'version', port: 80, highlights: ['2.4.49'] }] }],
  })
})

it('raises nothing for a version that is not affected', async () => {
  await scanned(host, service, apache('2.4.51'))
  expect(await theIssue()).toBeUndefined()
})

it('resolves if the product is detected in an unaffected version, and names the version', async () => {
  await scanned(host, service, apache('2.4.49'))
  await scanned(host, service, apache('2.4.62'))
  const issue = await theIssue()
  expect(issue?.status).toBe('STATUS_RESOLVED')
})

it('stays open if the product was not detected again', async () => {
  await scanned(host, service, apache('2.4.49'))
  await scanned({ ...host, reached: false, reason: 'no response' })
  expect((await theIssue())?.status).toBe('STATUS_OPEN')
})

it("keeps the user's status while the evidence is unchanged", async () => {
  await scanned(host, service, apache('2.4.49'))
  const id = (await theIssue())?.id ?? ''
  await testServer.as(workspace, (ctx) => setIssueStatus(ctx, { id, status: 'STATUS_RESOLVED' }, describeTargets), {
    actor: person,
    now: new Date((clock += 60_000)),
  })
  await scanned(host, service, apache('2.4.49'))
  expect((await theIssue())?.status).toBe('STATUS_RESOLVED')
})

it('is linked to the matched product, not to another one on the port', async () => {
  const name = parseFormattedString('cpe:2.3:a:php:php:8.1.0:*:*:*:*:*:*:*')
  if (!name) throw new Error('not a name')
  const php: Observation = {
    kind: 'technology',
    address,
    port: 80,
    transport: 'tcp',
    name: 'PHP',
    wfn: toWfn(name),
    evidence: 'PHP/8.1.0',
    quality: 80,
  }
  await scanned(host, service, apache('2.4.49'), php)
  const { products } = await testServer.as(workspace, (ctx) => listProducts(ctx, {}))
  const found = await Promise.all(
    products.map(async (product) => {
      const { issues } = await testServer.as(workspace, (ctx) =>
        listIssues(ctx, { filter: { productId: product.id } }, describeTargets),
      )
      return [product.name, issues.length, product.issueCount?.high]
    }),
  )
  expect(found).toEqual([
    ['Apache HTTP Server', 1, 1],
    ['PHP', 0, 0],
  ])
})

it("links a check's finding to the one product on the port that the check is about", async () => {
  await testServer.addThreats(
    { key: 'env-file', name: 'Environment file exposed' },
    { key: 'apache-server-status', name: 'Server status exposed' },
  )
  const shown = (threat: string): Observation => ({
    ...proof,
    kind: 'finding',
    check: threat,
    threat,
    location: '80/x',
  })
  await scanned(host, service, apache('2.4.60'), shown('env-file'), shown('apache-server-status'), {
    ...proof,
    location: '80/y',
  })
  const { products } = await testServer.as(workspace, (ctx) => listProducts(ctx, {}))
  const filter = { productId: products[0]?.id }
  const { issues } = await testServer.as(workspace, (ctx) => listIssues(ctx, { filter }, describeTargets))
  expect(issues.map(({ name }) => name).toSorted()).toEqual(['Path traversal', 'Server status exposed'])
})

it('becomes verified when a check confirms it, with a history entry', async () => {
  await scanned(host, service, apache('2.4.49'))
  await scanned(host, service, apache('2.4.49'), proof)
  const issue = await theIssue()
  expect(issue).toMatchObject({ verification: 'VERIFICATION_VERIFIED', quality: 99, status: 'STATUS_OPEN' })
  expect(issue?.history).toHaveLength(2)
  expect(issue?.affectedHosts[0]?.evidence).toHaveLength(2)
})

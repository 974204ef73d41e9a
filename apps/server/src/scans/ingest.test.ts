import { Wfn } from '@glacis/contract/product'
import type { Observation } from '@glacis/contract/runner'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { getIssue, listIssues, setIssueStatus } from '#issues/index.ts'
import { ingest } from '#scans/ingest.ts'
import { listScanHosts } from '#scans/hosts.ts'
import { getScan, startScan } from '#scans/index.ts'
import { createTarget, describeTargets } from '#targets/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'
import type { Issue } from '@glacis/contract/issue'

const server = await sharedTestServer()
beforeAll(async () => {
  await server.addThreats({}, { key: 'open-redis', name: 'Redis exposed without authentication' })
})

const address = '127.90.0.1'
const check = 'exposed-git-config'
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
const finding = (location = '80/.git/config', name = check): Observation => ({
  kind: 'finding',
  address,
  port: 80,
  transport: 'tcp',
  check: name,
  threat: name,
  location,
  quality: 99,
  evidence: '[core]',
  highlights: ['[core]'],
})
const covered = (...checks: string[]): Observation => ({ kind: 'coverage', address, port: 80, checks })
const closed: Observation = { kind: 'closed', address, ports: [80] }

let workspace: string
let targetId: string
let clock: number
beforeEach(async () => {
  workspace = await server.createWorkspace()
  clock = Date.parse('2026-11-01T08:00:00Z')
  const { target } = await server.as(workspace, (ctx) =>
    createTarget(ctx, { name: 'Web', address, schedule: { period: 'PERIOD_WEEKLY' }, tags: [] }),
  )
  targetId = target.id
})

/** Ingests a complete scan with these observations. */
async function scanned(...observations: Observation[]): Promise<string> {
  const now = new Date((clock += 3_600_000))
  const { scan } = await server.as(workspace, (ctx) => startScan(ctx, server.jobs, targetId), { now, actor: person })
  await arrive(scan.id, observations)
  return scan.id
}

async function arrive(scanId: string, observations: Observation[]): Promise<void> {
  const now = new Date((clock += 60_000))
  await server.as(
    workspace,
    async (ctx) => {
      await ctx.tx
        .updateTable('scan')
        .set({ status: 'STATUS_RUNNING', hosts_total: 1 })
        .where('id', '=', scanId)
        .where('status', '=', 'STATUS_CREATED')
        .execute()
      await ctx.tx
        .insertInto('scan_batch')
        .values({
          account_id: workspace,
          scan_id: scanId,
          number: 0,
          hosts: JSON.stringify([{ address, names: [] }]),
          state: 'QUEUED',
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      await ingest(ctx, server.jobs, {
        scanId,
        number: 0,
        hosts: [{ address, names: [] }],
        observations,
        knowledge: {},
      })
    },
    { now },
  )
}

it('resolves nothing by a stopped check, and lists it with its host', async () => {
  await scanned(host, service, finding(), covered(check))
  const stopped = { check, reason: 'took too long' }
  const id = await scanned(host, service, { kind: 'coverage', address, port: 80, checks: [], stopped: [stopped] })
  expect((await issues()).map(({ status }) => status)).toEqual(['STATUS_OPEN'])
  const { hosts } = await server.as(workspace, (ctx) => listScanHosts(ctx, { id }))
  expect(hosts.map((host) => host.stopped)).toEqual([[{ port: 80, ...stopped }]])
})

async function issues(): Promise<Issue[]> {
  const list = await server.as(workspace, (ctx) => listIssues(ctx, {}, describeTargets))
  return Promise.all(
    list.issues.map(
      async ({ id }) => (await server.as(workspace, (ctx) => getIssue(ctx, { id }, describeTargets))).issue,
    ),
  )
}
async function theIssue(): Promise<Issue> {
  const [issue] = await issues()
  if (!issue) throw new Error('there is no issue')
  return issue
}
async function decide(status: 'STATUS_OPEN' | 'STATUS_RESOLVED' | 'STATUS_IGNORED'): Promise<void> {
  const { id } = await theIssue()
  await server.as(workspace, (ctx) => setIssueStatus(ctx, { id, status }, describeTargets), {
    now: new Date((clock += 60_000)),
    actor: person,
  })
}

it('raises a verified issue with host, evidence, and history, and completes the scan', async () => {
  const scanId = await scanned(host, service, finding(), covered(check))
  const issue = await theIssue()
  expect(issue).toMatchObject({
    name: 'Git repository exposed',
    status: 'STATUS_OPEN',
    verification: 'VERIFICATION_VERIFIED',
    priority: 37,
    history: [{ status: 'STATUS_OPEN', actor: 'scan' }],
    affectedHosts: [
      {
        status: 'STATUS_OPEN',
        host: { address },
        evidence: [{ text: '[core]', quality: 99 }],
        history: [{ status: 'STATUS_OPEN' }],
      },
    ],
  })
  const { scan } = await server.as(workspace, (ctx) => getScan(ctx, { id: scanId }))
  expect(scan).toMatchObject({
    status: 'STATUS_COMPLETED',
    issueCount: { high: 1 },
    hostCount: { scannedHosts: 1, affectedHosts: 1 },
    changes: { new: 1, resolved: 0, regressive: 0 },
  })
})

it('counts a duplicate result once', async () => {
  const scanId = await scanned(host, service, finding(), covered(check))
  const before = await issues()
  await arrive(scanId, [host, service, finding(), finding('80/other'), covered(check)])
  expect(await issues()).toEqual(before)
})

it('accepts hostile output: lone surrogates, NULs, and duplicates', async () => {
  const half = 'a\0\ud83d'
  const empty = Object.fromEntries(Object.keys(Wfn.shape).map((member) => [member, '*']))
  const wfn = Wfn.parse({ ...empty, part: 'a', product: 'a\ud83d', text: 'cpe:2.3:a:v:p:1' })
  const software = { name: half, wfn, evidence: half, quality: 80 }
  const technology: Observation = { kind: 'technology', address, port: 80, transport: 'tcp', ...software }
  const found = { ...finding(), location: half, request: half, evidence: half, highlights: [half] } as Observation
  const nasty = [{ ...service, protocol: half } as Observation, technology, found]
  const scanId = await scanned(host, host, service, ...nasty, ...nasty)
  expect((await server.as(workspace, (ctx) => getScan(ctx, { id: scanId }))).scan.status).toBe('STATUS_COMPLETED')
  expect(await issues()).toHaveLength(1)
})

it('resolves if the same check completes without a finding', async () => {
  await scanned(host, service, finding(), covered(check))
  const scanId = await scanned(host, service, covered(check))
  const issue = await theIssue()
  expect(issue.status).toBe('STATUS_RESOLVED')
  expect(issue.resolveTime).toBeDefined()
  const { scan } = await server.as(workspace, (ctx) => getScan(ctx, { id: scanId }))
  expect(scan.changes).toEqual({ new: 0, resolved: 1, regressive: 0 })
})

it('resolves if the port refuses connections while the host responds', async () => {
  await scanned(host, service, finding(), covered(check))
  await scanned(host, closed)
  expect((await theIssue()).status).toBe('STATUS_RESOLVED')
})

it.each([
  ['the check did not complete', [host, service]],
  ['another check ran', [host, service, covered('open-redis')]],
  ['the host did not respond', [{ ...host, reached: false, reason: 'no response' } as Observation, covered(check)]],
  ['the scan reported nothing', []],
] as const)('leaves an issue unchanged if %s', async (_, observations) => {
  await scanned(host, service, finding(), covered(check))
  await scanned(...observations)
  const issue = await theIssue()
  expect(issue.status).toBe('STATUS_OPEN')
  expect(issue.affectedHosts[0]?.notCheckedSinceTime).toBe(issue.lastSeenTime)
})

it('counts a host as checked if one of its locations was seen again', async () => {
  await scanned(host, service, finding(), finding('80/other'), covered(check))
  await scanned(host, service, finding('80/other'))
  expect((await theIssue()).affectedHosts[0]?.notCheckedSinceTime).toBeUndefined()
})

it('reopens a resolved issue as a regression', async () => {
  await scanned(host, service, finding(), covered(check))
  await scanned(host, service, covered(check))
  const scanId = await scanned(host, service, finding(), covered(check))
  expect((await theIssue()).history.map((entry) => entry.status)).toEqual([
    'STATUS_OPEN',
    'STATUS_RESOLVED',
    'STATUS_REGRESSION',
  ])
  const { scan } = await server.as(workspace, (ctx) => getScan(ctx, { id: scanId }))
  expect(scan.changes).toEqual({ new: 0, resolved: 0, regressive: 1 })
})

it('reopens an issue resolved by a user as a regression if a check confirms it', async () => {
  await scanned(host, service, finding(), covered(check))
  await decide('STATUS_RESOLVED')
  await scanned(host, service, finding(), covered(check))
  expect(await theIssue()).toMatchObject({
    status: 'STATUS_REGRESSION',
    history: [
      { status: 'STATUS_OPEN' },
      { status: 'STATUS_RESOLVED', actor: 'Nora Ammann' },
      { status: 'STATUS_REGRESSION' },
    ],
  })
})

it('keeps an issue ignored, even at a new location on the host, with its first-seen time', async () => {
  await scanned(host, service, finding(), covered(check))
  const { firstSeenTime } = await theIssue()
  await decide('STATUS_IGNORED')
  await scanned(host, service, finding(), finding('80/app/.git/config'), covered(check))
  expect(await theIssue()).toMatchObject({ status: 'STATUS_IGNORED', firstSeenTime })
})

it('writes no history when a user sets the current status', async () => {
  await scanned(host, service, finding(), covered(check))
  await decide('STATUS_RESOLVED')
  await decide('STATUS_RESOLVED')
  expect((await theIssue()).history).toHaveLength(2)
})

it('changes nothing after the scan was canceled', async () => {
  await scanned(host, service, finding(), covered(check))
  const { scan } = await server.as(workspace, (ctx) => startScan(ctx, server.jobs, targetId), { actor: person })
  await server.as(workspace, (ctx) =>
    ctx.tx.updateTable('scan').set({ status: 'STATUS_CANCELLED' }).where('id', '=', scan.id).execute(),
  )
  await arrive(scan.id, [host, service, covered(check)])
  expect((await theIssue()).status).toBe('STATUS_OPEN')
})

import type { Observation } from '@glacis/contract/runner'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getHost, hostTimeline, listHosts, mergeHosts, splitHost, updateHost } from '#inventory/index.ts'
import { listIssues, setIssueStatus, refreshPriorities } from '#issues/index.ts'
import { type Pair, verdictOf } from '#scans/diff.ts'
import { ingest } from '#scans/ingest.ts'
import { diffScan, getScan, listScanEvents, listScanHosts, startScan } from '#scans/index.ts'
import { createTag, createTarget, describeTargets } from '#targets/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()
let workspace: string
let targetId: string
let tagId: string
let clock: number
beforeAll(async () => {
  await server.addThreats({}, { key: 'open-redis', name: 'Redis exposed without authentication' })
})
beforeEach(async () => {
  workspace = await server.createWorkspace()
  clock = Date.parse('2026-11-01T08:00:00Z')
  tagId = (await server.as(workspace, (ctx) => createTag(ctx, { tag: { name: 'x', color: 0 } }))).tag.id
  const input = { name: 'Net', address: '127.62.5.0/28', schedule: { period: 'PERIOD_WEEKLY' as const } }
  targetId = (await server.as(workspace, (ctx) => createTarget(ctx, { ...input, tags: [{ id: tagId }] }))).target.id
})

const [one, two, three] = ['127.62.5.1', '127.62.5.2', '127.62.5.10']
const requestedHosts = [one, two, three].map((address) => ({ address, names: [] }))
const git = 'exposed-git-config'

/** A host with these open ports, or an unresponsive one. */
function respondsOn(address: string, ...ports: number[]): Observation[] {
  const host = { kind: 'host' as const, address, names: [], answersEverything: false }
  if (ports.length === 0) return [{ ...host, reached: false, reason: 'no response from 12 ports' }]
  return [
    { ...host, reached: true, reason: `port ${ports[0]} open` },
    ...ports.map((port) => {
      const service = { kind: 'service', address, port, transport: 'tcp', tls: port === 443, banner: '' } as const
      return port === 443 ? { ...service, protocol: 'https', certificate } : { ...service, protocol: 'http' }
    }),
  ]
}
const certificate = {
  subject: 'CN=a\u0000b',
  issuer: 'CN=ca',
  validFrom: '2026-01-01T00:00:00.000Z',
  validTo: '2026-12-01T00:00:00.000Z',
  names: ['a.example'],
  selfSigned: false,
  fingerprint: 'ab',
}
const findingAt = (address: string, check = git): Observation => ({
  kind: 'finding',
  address,
  port: 80,
  transport: 'tcp',
  check,
  threat: check,
  location: '80/',
  quality: 99,
  evidence: 'proof',
  highlights: [],
})
const covered = (address: string): Observation => ({ kind: 'coverage', address, port: 80, checks: [git, 'open-redis'] })

/** Ingests a complete scan with these observations. */
async function scanned(...observations: Observation[]): Promise<string> {
  const { scan } = await server.as(workspace, (ctx) => startScan(ctx, server.jobs, targetId), {
    now: new Date((clock += 3_600_000)),
    actor: person,
  })
  await server.as(
    workspace,
    async (ctx) => {
      await ctx.tx.updateTable('scan').set({ status: 'STATUS_RUNNING' }).where('id', '=', scan.id).execute()
      const batch = { account_id: workspace, scan_id: scan.id, number: 0, state: 'QUEUED' as const }
      await ctx.tx
        .insertInto('scan_batch')
        .values({ ...batch, hosts: JSON.stringify(requestedHosts) })
        .execute()
      await ingest(ctx, server.jobs, { scanId: scan.id, number: 0, hosts: requestedHosts, observations, knowledge: {} })
    },
    { now: new Date((clock += 60_000)) },
  )
  return scan.id
}
async function compared(id: string, baseScanId?: string) {
  const diff = await server.as(workspace, (ctx) => diffScan(ctx, { id, ...(baseScanId && { baseScanId }) }))
  const summaryOf = (list: typeof diff.new) =>
    list.map(
      (issue) =>
        `${issue.name}: ${issue.hosts.map((host) => host.address).join()}${issue.isElsewhere ? ' and elsewhere' : ''}`,
    )
  return {
    new: summaryOf(diff.new),
    resolved: summaryOf(diff.resolved),
    regressive: summaryOf(diff.regressive),
    notTested: summaryOf(diff.notTested),
    unchanged: diff.unchangedCount,
  }
}
const same = { new: [], resolved: [], regressive: [], notTested: [], unchanged: 0 }
const name = 'Git repository exposed'
const hostAt = async (address: string) =>
  (await server.as(workspace, (ctx) => listHosts(ctx, { filter: { query: address } }, describeTargets))).hosts[0]?.id ??
  ''

const pair: Pair = { now: null, wasThere: true, isNewSince: false, isBackSince: false, statusAtEnd: 'STATUS_OPEN' }
it.each([
  [{ now: 'NEW', wasThere: false }, 'new'],
  [{ now: 'SEEN' }, 'unchanged'],
  // The earlier scan could not detect what was already known before it.
  [{ now: 'SEEN', wasThere: false }, 'unchanged'],
  [{ now: 'SEEN', wasThere: false, isNewSince: true }, 'new'],
  [{ now: 'REGRESSION', wasThere: false }, 'regressive'],
  [{ now: 'SEEN', isBackSince: true }, 'regressive'],
  [{ now: 'RESOLVED', statusAtEnd: 'STATUS_RESOLVED' }, 'resolved'],
  [{ statusAtEnd: 'STATUS_RESOLVED' }, 'resolved'],
  [{}, 'notTested'],
  [{ statusAtEnd: 'STATUS_IGNORED' }, 'notTested'],
  [{ now: 'RESOLVED', statusAtEnd: 'STATUS_OPEN' }, 'notTested'],
  [{ wasThere: false, isNewSince: true, statusAtEnd: 'STATUS_RESOLVED' }, 'gone'],
] as const)('%j is %s', (part, verdict) => {
  expect(verdictOf({ ...pair, ...part })).toBe(verdict)
})

describe('the changes of a scan', () => {
  it('are all new in the first scan', async () => {
    const first = await scanned(...respondsOn(one, 80), findingAt(one))
    expect(await compared(first)).toEqual({ ...same, new: [`${name}: ${one}`] })
    expect(await server.as(workspace, (ctx) => diffScan(ctx, { id: first }))).not.toHaveProperty('baseScan')
  })

  it('are new, regressed, resolved, or not tested, per host', async () => {
    const first = await scanned(
      ...respondsOn(one, 80),
      ...respondsOn(two, 80),
      ...respondsOn(three, 80),
      findingAt(one),
      findingAt(two),
    )
    // Fixed on `one`, unreachable on `two`, new on `three`.
    const second = await scanned(
      ...respondsOn(one, 80),
      covered(one),
      ...respondsOn(two),
      ...respondsOn(three, 80),
      findingAt(three),
    )
    expect(await compared(second)).toEqual({
      ...same,
      new: [`${name}: ${three} and elsewhere`],
      resolved: [`${name}: ${one} and elsewhere`],
      notTested: [`${name}: ${two} and elsewhere`],
    })
    const third = await scanned(
      ...respondsOn(one, 80),
      findingAt(one),
      ...respondsOn(two, 80),
      findingAt(two),
      ...respondsOn(three, 80),
      findingAt(three),
    )
    expect(await compared(third)).toEqual({ ...same, regressive: [`${name}: ${one} and elsewhere`], unchanged: 1 })
    expect(await compared(third, first)).toEqual({
      ...same,
      new: [`${name}: ${three} and elsewhere`],
      regressive: [`${name}: ${one} and elsewhere`],
      unchanged: 1,
    })
  })

  it('include issues that a user resolved and the next scan did not find', async () => {
    await scanned(...respondsOn(one, 80), findingAt(one))
    const [issue] = (await server.as(workspace, (ctx) => listIssues(ctx, {}, describeTargets))).issues
    await server.as(
      workspace,
      (ctx) => setIssueStatus(ctx, { id: issue?.id ?? '', status: 'STATUS_RESOLVED' }, describeTargets),
      {
        now: new Date((clock += 60_000)),
        actor: person,
      },
    )
    expect(await compared(await scanned(...respondsOn(one, 80), covered(one)))).toEqual({
      ...same,
      resolved: [`${name}: ${one}`],
    })
  })

  it('can only be compared to earlier scans of the same target', async () => {
    const first = await scanned(...respondsOn(one, 80))
    const second = await scanned(...respondsOn(one, 80))
    await expect(compared(first, second)).rejects.toMatchObject({ violations: [{ field: 'baseScanId' }] })
    await expect(compared(second, targetId)).rejects.toMatchObject({ code: 'not_found' })
    expect(await compared(second, first)).toEqual(same)
  })
})

describe('the addresses of a scan', () => {
  it('are in numeric order, each with one state and reason', async () => {
    const id = await scanned(...respondsOn(one, 80), findingAt(one), ...respondsOn(two, 80), ...respondsOn(three))
    const list = (input = {}) => server.as(workspace, (ctx) => listScanHosts(ctx, { id, ...input }))
    const { hosts, counts } = await list()
    expect(hosts.map((host) => [host.address, host.state, host.reason])).toEqual([
      [one, 'STATE_AFFECTED', 'port 80 open'],
      [two, 'STATE_SCANNED', 'port 80 open'],
      [three, 'STATE_NOT_REACHED', 'no response from 12 ports'],
    ])
    expect(hosts[0]?.issueCount).toEqual({ critical: 0, high: 1, medium: 0, low: 0 })
    expect(counts).toEqual({ affected: 1, scanned: 1, nothingOpen: 0, notReached: 1, excluded: 0 })
    expect((await server.as(workspace, (ctx) => getScan(ctx, { id }))).scan.hostCount).toMatchObject({
      affectedHosts: counts.affected,
      scannedHosts: counts.affected + counts.scanned,
    })
    const first = await list({ pageSize: 2 })
    const rest = await list({ pageSize: 2, pageToken: first.nextPageToken })
    expect([...first.hosts, ...rest.hosts]).toEqual(hosts)
    expect((await list({ filter: { states: ['STATE_NOT_REACHED'] } })).hosts.map((host) => host.address)).toEqual([
      three,
    ])
  })

  it('and its log can be filtered by state and level', async () => {
    const id = await scanned(...respondsOn(one, 80), { kind: 'problem', level: 'warn', message: 'slow responses' })
    const eventMessages = async (filter: object) =>
      (await server.as(workspace, (ctx) => listScanEvents(ctx, { id, filter }))).events.map((event) => event.message)
    expect(await eventMessages({ level: 'LEVEL_WARN' })).toEqual(['slow responses'])
    expect(await eventMessages({ level: 'LEVEL_ERROR' })).toEqual([])
    expect(await eventMessages({ query: 'SLOW' })).toEqual(['slow responses'])
  })
})

describe('hosts', () => {
  const list = async (input: Parameters<typeof listHosts>[1]) =>
    (await server.as(workspace, (ctx) => listHosts(ctx, input, describeTargets))).hosts.map((host) => host.address)

  it('are filtered by port, tag, severity, and age, and sorted', async () => {
    await scanned(...respondsOn(three, 80), ...respondsOn(one, 80, 443), findingAt(one))
    const later = new Date(clock + 1).toISOString()
    await scanned(...respondsOn(two, 80))
    expect(await list({ filter: { query: 'port:443' } })).toEqual([one])
    expect(await list({ filter: { query: 'port:80 5.10' } })).toEqual([three])
    expect(await list({ filter: { tagIds: [tagId] }, orderBy: 'ORDER_BY_ADDRESS' })).toEqual([one, two, three])
    expect(await list({ filter: { tagIds: [targetId] } })).toEqual([])
    expect(await list({ filter: { severities: ['CATEGORY_HIGH'] } })).toEqual([one])
    expect(await list({ filter: { severities: ['CATEGORY_LOW'] } })).toEqual([])
    expect(await list({ filter: { newSince: later } })).toEqual([two])
    expect(await list({ filter: { notSeenSince: later }, orderBy: 'ORDER_BY_ADDRESS' })).toEqual([one, three])
    expect((await list({ orderBy: 'ORDER_BY_LAST_CHECKED' }))[0]).toBe(two)
  })

  it('are paged in every order without gaps or repeats', async () => {
    await scanned(...respondsOn(one, 80), ...respondsOn(two, 80), ...respondsOn(three, 80))
    for (const orderBy of [
      'ORDER_BY_ADDRESS',
      'ORDER_BY_FIRST_SEEN',
      'ORDER_BY_LAST_CHECKED',
      'ORDER_BY_MOST_RECENT',
    ] as const) {
      const allIds = await list({ orderBy })
      const paged: string[] = []
      let pageToken: string | undefined
      do {
        const page = await server.as(workspace, (ctx) =>
          listHosts(ctx, { orderBy, pageSize: 1, ...(pageToken && { pageToken }) }, describeTargets),
        )
        paged.push(...page.hosts.map((host) => host.address))
        pageToken = page.nextPageToken
      } while (pageToken)
      expect([orderBy, paged]).toEqual([orderBy, allIds])
    }
  })

  it('affect issue priority by their criticality', async () => {
    await scanned(...respondsOn(one, 80), findingAt(one))
    const id = await hostAt(one)
    const priority = async () =>
      (await server.as(workspace, (ctx) => listIssues(ctx, {}, describeTargets))).issues[0]?.priority ?? 0
    const before = await priority()
    const change = { id, host: { owner: ' Web team ', criticality: 'CRITICALITY_HIGH' as const, notes: 'x' } }
    const { host } = await server.as(workspace, async (ctx) => {
      const response = await updateHost(
        ctx,
        { ...change, updateMask: { paths: ['owner', 'criticality'] } },
        describeTargets,
      )
      await refreshPriorities(ctx, [id])
      return response
    })
    expect(host).toMatchObject({ owner: 'Web team', criticality: 'CRITICALITY_HIGH', notes: '' })
    expect(await priority()).toBeGreaterThan(before)
    await expect(
      server.as(workspace, (ctx) =>
        updateHost(ctx, { ...change, updateMask: { paths: ['address'] } }, describeTargets),
      ),
    ).rejects.toThrow("'address' can't be changed. Fields that can be changed: ")
  })

  it('can be merged and separated', async () => {
    await scanned(...respondsOn(one, 80), findingAt(one), ...respondsOn(two, 443), findingAt(two))
    const [first, second] = [await hostAt(one), await hostAt(two)]
    const merge = (id: string, sourceHostIds: string[]) =>
      server.as(workspace, (ctx) => mergeHosts(ctx, { id, sourceHostIds }, describeTargets))
    const { host } = await merge(first, [second])
    expect(host.services?.map((service) => [service.address, service.port])).toEqual([
      [one, 80],
      [two, 443],
    ])
    // It counts once, though it is at both addresses.
    expect(host.issueCount.high).toBe(1)
    expect(host.merged).toEqual([{ id: second, address: two, targetId }])
    expect(await list({})).toEqual([one])
    expect((await server.as(workspace, (ctx) => getHost(ctx, { id: second }, describeTargets))).host.id).toBe(first)
    const issues = await server.as(workspace, (ctx) =>
      listIssues(ctx, { filter: { affectedHostId: first } }, describeTargets),
    )
    expect(issues.issues[0]?.affectedHostCount).toBe(2)
    await expect(merge(first, [first])).rejects.toMatchObject({ code: 'invalid' })
    await expect(merge(second, [first])).rejects.toMatchObject({ code: 'precondition' })

    // A scan that detects only one of them leaves the other unchanged.
    await scanned(...respondsOn(one, 80), covered(one), ...respondsOn(two))
    expect(
      (await server.as(workspace, (ctx) => getHost(ctx, { id: first }, describeTargets))).host.issueCount.high,
    ).toBe(1)
    await server.as(workspace, (ctx) => splitHost(ctx, { id: first }, describeTargets))
    expect(await list({ orderBy: 'ORDER_BY_ADDRESS' })).toEqual([one, two])
  })

  it('have a history, newest first', async () => {
    await scanned(...respondsOn(one, 80, 443), findingAt(one))
    await scanned(...respondsOn(one, 80), { kind: 'closed', address: one, ports: [443] }, covered(one))
    const id = await hostAt(one)
    const timeline = (input = {}) => server.as(workspace, (ctx) => hostTimeline(ctx, { id, ...input }))
    const { events } = await timeline()
    const kinds = events.map((event) => [event.kind, event.issueStatus ?? event.name].join(' '))
    expect(kinds.slice(0, 2).toSorted()).toEqual(['KIND_ISSUE STATUS_RESOLVED', 'KIND_PORT_CLOSED 443/tcp'])
    expect(kinds.slice(2).toSorted()).toEqual([
      `KIND_FIRST_SEEN ${one}`,
      'KIND_ISSUE STATUS_OPEN',
      'KIND_PORT_OPENED 443/tcp',
      'KIND_PORT_OPENED 80/tcp',
    ])
    const first = await timeline({ pageSize: 4 })
    const rest = await timeline({ pageSize: 4, pageToken: first.nextPageToken })
    expect([...first.events, ...rest.events]).toEqual(events)
  })

  it("keep certificate fields without characters the database can't store", async () => {
    await scanned(...respondsOn(one, 443))
    const id = await hostAt(one)
    const { host } = await server.as(workspace, (ctx) => getHost(ctx, { id }, describeTargets))
    expect(host.services?.[0]?.certificate).toEqual({ ...certificate, subject: 'CN=ab' })
  })
})

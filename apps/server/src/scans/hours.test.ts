import type { AllowedHours } from '@glacis/contract/target'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAgent } from '#agents/index.ts'
import { getSubscription } from '#billing/index.ts'
import type { QueueName } from '#jobs.ts'
import {
  cancelScan,
  failStalled,
  getScan,
  listScanEvents,
  planScan,
  applyChangedHours,
  resumeDue,
  resumeScan,
  startScan,
} from '#scans/index.ts'
import { queueNextBatches } from '#scans/lifecycle.ts'
import { leaseBatch } from '#scans/claim.ts'
import { runBatch, type Scanning } from '#scans/run.ts'
import { changeTargets, createTarget, getTarget, updateTarget } from '#targets/index.ts'
import { person, sharedTestServer, type TestServer } from '#testing/test-server.ts'
import { scanningIn } from '#testing/scanning.ts'
import { sql } from 'kysely'

const server = await sharedTestServer()
let scanning: Scanning
let workspace: string
const signal = new AbortController().signal

beforeAll(async () => {
  scanning = scanningIn(server)
})
beforeEach(async () => {
  workspace = await server.createWorkspace()
})

/** Allowed hours around the current time, or as far from it as possible. */
function hours(kind: 'now' | 'later'): AllowedHours {
  const from = new Date(Date.now() + (kind === 'now' ? -6 : 6) * 3_600_000)
  const to = new Date(from.getTime() + 12 * 3_600_000)
  return { start: from.toISOString().slice(11, 16), end: to.toISOString().slice(11, 16), timeZone: 'UTC' }
}
const me: TestServer['as'] = (whose, work, at = {}) => server.as(whose, work, { actor: person, ...at })

async function target(allowedHours: AllowedHours | undefined, address = '127.62.1.1', exclusions: string[] = []) {
  const schedule = { period: 'PERIOD_DAILY' as const, ...(allowedHours && { allowedHours }) }
  return (await me(workspace, (ctx) => createTarget(ctx, { name: 'Web', address, schedule, tags: [], exclusions })))
    .target
}
async function startedScan(targetId: string, ignoresHours = false) {
  return (await me(workspace, (ctx) => startScan(ctx, server.jobs, targetId, 'TYPE_MANUAL', { ignoresHours }))).scan
}
const scanNow = async (id: string) => (await me(workspace, (ctx) => getScan(ctx, { id }))).scan
const log = async (id: string) =>
  (await me(workspace, (ctx) => listScanEvents(ctx, { id }))).events.map((event) => event.message)
const plan = (scanId: string) =>
  planScan(scanning, { data: { account: workspace, scanId }, signal, isLastAttempt: false })

async function queued(name: QueueName, scanId: string): Promise<number> {
  const { rows } = await sql<{ jobs: number }>`
    select count(*)::int as jobs from pgboss.job
    where name = ${name} and data ->> 'scanId' = ${scanId}`.execute(server.database.owner)
  return rows[0]?.jobs ?? 0
}
const set = (scanId: string, values: { ignores_hours?: boolean; resume_at?: Date; last_activity_at?: Date }) =>
  me(workspace, (ctx) => ctx.tx.updateTable('scan').set(values).where('id', '=', scanId).execute())

describe('outside the allowed hours', () => {
  it('a new scan waits without a job, with time and reason', async () => {
    const allowed = hours('later')
    const scan = await startedScan((await target(allowed)).id)
    expect(scan).toMatchObject({
      status: 'STATUS_CREATED',
      progress: {
        phase: 'PHASE_WAITING',
        failureReason: `Waiting for the allowed hours, ${allowed.start}–${allowed.end} UTC`,
      },
    })
    expect(scan.progress?.resumeTime?.slice(11, 16)).toBe(allowed.start)
    expect(await queued('scan-plan', scan.id)).toBe(0)
    expect((await log(scan.id)).join('\n')).toContain('Waiting for the allowed hours')
  })

  it('a confirmed override starts immediately', async () => {
    const scan = await startedScan((await target(hours('later'))).id, true)
    expect(scan.progress).toMatchObject({ failureReason: '' })
    expect(await queued('scan-plan', scan.id)).toBe(1)
  })

  it('a user can resume a waiting scan once', async () => {
    const { id } = await startedScan((await target(hours('later'))).id)
    const resume = () => me(workspace, (ctx) => resumeScan(ctx, server.jobs, { id }))
    expect((await resume()).scan.progress).toMatchObject({ failureReason: '' })
    expect(await queued('scan-plan', id)).toBe(1)
    await expect(resume()).rejects.toMatchObject({ code: 'precondition' })
    expect((await log(id)).at(-1)).toBe(`Resumed outside the allowed hours by ${person.name}`)
  })

  it('a waiting scan follows changed hours', async () => {
    const { id: targetId } = await target(hours('later'))
    const { id } = await startedScan(targetId)
    const change = (allowedHours?: AllowedHours) =>
      me(workspace, async (ctx) => {
        const schedule = { period: 'PERIOD_DAILY' as const, ...(allowedHours && { allowedHours }) }
        await updateTarget(ctx, { id: targetId, schedule, updateMask: { paths: ['schedule'] } })
        await applyChangedHours(ctx, server.jobs, targetId)
      })
    const other = { ...hours('later'), end: hours('now').start }
    await change(other)
    expect((await scanNow(id)).progress?.failureReason).toContain(other.end)
    expect(await queued('scan-plan', id)).toBe(0)
    await change()
    expect((await scanNow(id)).progress).not.toHaveProperty('resumeTime')
    expect(await queued('scan-plan', id)).toBe(1)
  })

  it("a waiting scan doesn't count as stalled, and costs nothing if canceled", async () => {
    const { id } = await startedScan((await target(hours('later'))).id)
    await set(id, { last_activity_at: new Date(0) })
    await failStalled(scanning)
    expect((await scanNow(id)).status).toBe('STATUS_CREATED')
    await me(workspace, (ctx) => cancelScan(ctx, { id }))
    expect((await scanNow(id)).progress).not.toHaveProperty('resumeTime')
    expect((await me(workspace, getSubscription)).subscription.quota.manualScans.used).toBe(0)
  })
})

describe('a running scan', () => {
  /** Starts a scan with two batches while the hours are ignored; they apply again afterward. */
  async function running(allowed: AllowedHours): Promise<string> {
    const { id } = await startedScan((await target(allowed, '127.62.2.1-127.62.2.100')).id, true)
    await plan(id)
    await set(id, { ignores_hours: false })
    return id
  }
  const batches = (scanId: string) =>
    me(workspace, (ctx) => ctx.tx.selectFrom('scan_batch').select('state').where('scan_id', '=', scanId).execute())

  it('pauses before the next batch when the hours end, and resumes when they start', async () => {
    const id = await running(hours('later'))
    for (const number of [0, 1])
      await runBatch(scanning, { data: { account: workspace, scanId: id, number }, signal, isLastAttempt: false })
    expect(await scanNow(id)).toMatchObject({ status: 'STATUS_RUNNING', progress: { hostsDone: 0 } })
    expect((await scanNow(id)).progress?.failureReason).toContain('Waiting for the allowed hours')
    expect(await batches(id)).toEqual([{ state: 'WAITING' }, { state: 'WAITING' }])
    const before = await queued('scan-batch', id)
    await resumeDue(scanning)
    expect(await queued('scan-batch', id)).toBe(before)

    await set(id, { resume_at: new Date(Date.now() - 1000), ignores_hours: true })
    await resumeDue(scanning)
    expect((await scanNow(id)).progress).toMatchObject({ failureReason: '' })
    expect(await queued('scan-batch', id)).toBe(before + 2)
    expect((await log(id)).at(-1)).toBe('The allowed hours started')
  })

  it('queues no batches after the hours have ended', async () => {
    const id = await running(hours('later'))
    await me(workspace, (ctx) =>
      ctx.tx.updateTable('scan_batch').set({ state: 'WAITING' }).where('scan_id', '=', id).execute(),
    )
    const before = await queued('scan-batch', id)
    await me(workspace, (ctx) => queueNextBatches(ctx, server.jobs, id))
    expect(await queued('scan-batch', id)).toBe(before)
    expect((await scanNow(id)).progress).toHaveProperty('resumeTime')
  })

  it('continues within the hours', async () => {
    const id = await running(hours('now'))
    await me(workspace, (ctx) =>
      ctx.tx.updateTable('scan_batch').set({ state: 'WAITING' }).where('scan_id', '=', id).execute(),
    )
    const before = await queued('scan-batch', id)
    await me(workspace, (ctx) => queueNextBatches(ctx, server.jobs, id))
    expect(await queued('scan-batch', id)).toBe(before + 2)
    expect((await scanNow(id)).progress).not.toHaveProperty('resumeTime')
  })
})

it('an agent gets no batch outside the hours, and the same one when they start', async () => {
  const { agent } = await me(workspace, (ctx) => createAgent(ctx, { agent: { name: 'inside' } }))
  const { id: targetId } = await target(hours('later'))
  await me(workspace, (ctx) =>
    updateTarget(ctx, { id: targetId, agent: { id: agent.id }, updateMask: { paths: ['agent'] } }),
  )
  const { id } = await startedScan(targetId, true)
  await plan(id)
  await set(id, { ignores_hours: false })
  const lease = () => me(workspace, (ctx) => leaseBatch(ctx, scanning, agent.id, 'digest'))
  expect(await lease()).toBeNull()
  expect((await scanNow(id)).progress).toHaveProperty('resumeTime')
  await me(workspace, (ctx) => resumeScan(ctx, server.jobs, { id }))
  expect(await lease()).toMatchObject({ scanId: id, hosts: [{ address: '127.62.1.1' }] })
})

describe('exclusions', () => {
  it('SEC-C3 are not counted or scanned, and logged once', async () => {
    const { id: targetId } = await target(undefined, '127.62.3.0/28', [
      '127.62.3.1-127.62.3.4',
      '127.62.3.9:22',
      '*:25',
    ])
    const { id } = await startedScan(targetId)
    await plan(id)
    const scan = await scanNow(id)
    expect(scan).toMatchObject({ progress: { hostsTotal: 10 }, hostCount: { excludedHosts: 4 } })
    const rows = await me(workspace, (ctx) =>
      ctx.tx.selectFrom('scan_batch').select('hosts').where('scan_id', '=', id).execute(),
    )
    expect(rows.flatMap((row) => row.hosts.map((host) => host.address)).toSorted()).toEqual(
      ['10', '11', '12', '13', '14', '5', '6', '7', '8', '9'].map((end) => `127.62.3.${end}`),
    )
    expect((await log(id)).filter((line) => line.includes('4 addresses are excluded'))).toHaveLength(1)
  })

  it('of all addresses fail the scan with a reason and refund it', async () => {
    const { id } = await startedScan((await target(undefined, '127.62.3.1', ['127.62.0.0/16'])).id)
    await plan(id)
    expect(await scanNow(id)).toMatchObject({
      status: 'STATUS_FAILED',
      progress: { failureReason: 'All addresses of the target are excluded. Change its exclusions' },
    })
    expect((await me(workspace, getSubscription)).subscription.quota.manualScans.used).toBe(0)
  })
})

it("a paused target can't be scanned", async () => {
  const { id } = await target(undefined)
  await me(workspace, (ctx) => changeTargets(ctx, { ids: [id], paused: true }))
  await expect(startedScan(id)).rejects.toMatchObject({ code: 'precondition' })
})

it('records since when a name has not been resolved', async () => {
  const { id: targetId } = await target(undefined, 'nowhere.invalid')
  const { id } = await startedScan(targetId)
  await plan(id)
  const found = async () => (await me(workspace, (ctx) => getTarget(ctx, { id: targetId }))).target
  expect(await found()).toMatchObject({ lastScan: { status: 'STATUS_FAILED' } })
  expect(await found()).toHaveProperty('unresolvedSinceTime')
})

describe('addresses that the installation may not scan', () => {
  const planIn = (networks: Scanning['networks'], scanId: string) =>
    planScan({ ...scanning, networks }, { data: { account: workspace, scanId }, signal, isLastAttempt: false })

  it('are skipped, and logged once', async () => {
    const { id } = await startedScan((await target(undefined, '127.62.3.0/29')).id)
    await planIn(['127.62.3.0/30'], id)
    expect(await scanNow(id)).toMatchObject({ progress: { hostsTotal: 3 } })
    expect(await log(id)).toContain("3 addresses were not scanned: GLACIS_SCAN_NETWORKS doesn't include them")
  })

  it('fail the scan if there are no others', async () => {
    const { id } = await startedScan((await target(undefined)).id)
    await planIn('public', id)
    const failureReason = '1 address was not scanned: GLACIS_SCAN_NETWORKS permits only public addresses'
    expect(await scanNow(id)).toMatchObject({ status: 'STATUS_FAILED', progress: { failureReason } })
  })
})

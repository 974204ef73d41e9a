import type { StatsPeriod } from '@glacis/contract/insights'
import type { VerificationFilter } from '@glacis/contract/issue'
import type { Observation } from '@glacis/contract/runner'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { issuesBySeverity, issuesByStatus } from '#stats/index.ts'
import { type House, openHouse } from '#testing/house.ts'
import { describeHosts, describeTargets, ingest, listIssues, reprioritise, startScan } from '#testing/scanned.ts'

let house: House
beforeAll(async () => void (house = await openHouse()))
afterAll(() => house.close())

const dayMs = 86_400_000
const address = '127.63.9.1'
let account: string
let target: string
let check: string
let number = 0
beforeEach(async () => {
  account = await house.account()
  check = `shown-${++number}`
  await house.knows({ key: check, name: check })
  target = await house.as(account, async (ctx) => {
    const row = { name: 'Web', address, kind: 'IPV4' as const, schedule_period: 'PERIOD_DAILY' as const }
    const times = { created_at: ctx.now, updated_at: ctx.now }
    const { id } = await ctx.tx
      .insertInto('target')
      .values({ account_id: account, id: sql`new_id()`, ...row, ...times })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  })
})

const place = { address, port: 80 }
const found = (quality: number, of = check): Observation => ({
  kind: 'finding',
  ...place,
  transport: 'tcp',
  check: of,
  threat: check,
  location: '80/',
  quality,
  evidence: 'proof',
  highlights: [],
})
const missed = (): Observation => ({ kind: 'coverage', ...place, checks: [check] })

/** A whole scan at a time of the past or of the future. */
async function scanned(now: Date, ...seen: Observation[]): Promise<void> {
  const there = { names: [], reached: true, reason: 'port 80 open', answersEverything: false }
  const listens = { transport: 'tcp', protocol: 'http', tls: false, banner: '' } as const
  const observations: Observation[] = [
    { kind: 'host', address, ...there },
    { kind: 'service', ...place, ...listens },
    ...seen,
  ]
  await house.as(
    account,
    async (ctx) => {
      const { scan } = await startScan(ctx, house.jobs, target)
      const batch = { scanId: scan.id, number: 0, hosts: [{ address, names: [] }] }
      const row = { account_id: account, scan_id: scan.id, number: 0, state: 'QUEUED' as const }
      await ctx.tx
        .insertInto('scan_batch')
        .values({ ...row, hosts: JSON.stringify(batch.hosts) })
        .execute()
      await ingest(ctx, house.jobs, { ...batch, observations, knowledge: {} })
    },
    { now },
  )
}

const week: { period: StatsPeriod } = { period: 'PERIOD_WEEK' }

it('closes a day by verification as its last point stood', async () => {
  const today = new Date('2026-10-05T12:00:00Z')
  const after = (days: number) => new Date(today.getTime() + days * dayMs)
  await scanned(today, found(70))
  await scanned(after(1), found(99))
  const open = (verification: VerificationFilter, now: Date) =>
    house.as(
      account,
      async (ctx) => (await issuesByStatus(ctx, { ...week, filter: { affectedTargetId: target, verification } })).open,
      { now },
    )
  const shown = [
    (await open('VERIFICATION_FILTER_VERIFIED', after(1.2))).at(-1),
    (await open('VERIFICATION_FILTER_UNVERIFIED', after(1.2))).at(-1),
  ]
  expect(shown).toEqual([1, 0])
  expect((await open('VERIFICATION_FILTER_VERIFIED', after(3))).slice(-4)).toEqual([0, 1, 1, 1])
  expect((await open('VERIFICATION_FILTER_UNVERIFIED', after(3))).slice(-4)).toEqual([1, 0, 0, 0])
})

/** Says of the weakness that it is as bad as this. */
async function rate(score: number, category: 'CATEGORY_CRITICAL' | 'CATEGORY_HIGH'): Promise<void> {
  await sql`update threat set score = ${score}, category = ${category} where key = ${check}`.execute(
    house.database.owner,
  )
  await reprioritise(house.database, { info() {}, warn() {}, error() {} }, 1)
}

it.each([
  ['at once', []],
  ['one by one', [0.5, 1.5, 2]],
])('counts an issue from the day on which it was rated anew by its new severity, days closed %s', async (_, looks) => {
  const today = new Date(new Date().setUTCHours(0, 20, 0, 0))
  const after = (days: number) => new Date(today.getTime() + days * dayMs)
  await scanned(after(-2), found(99))
  await rate(9.8, 'CATEGORY_CRITICAL')
  await scanned(after(1), missed())
  const hostId = await house.as(account, async ({ tx }) => {
    return (await tx.selectFrom('host').select('id').where('account_id', '=', account).executeTakeFirstOrThrow()).id
  })
  for (const filter of [{}, { affectedTargetId: target }, { affectedHostId: hostId }]) {
    const read = (days: number) =>
      house.as(account, (ctx) => issuesBySeverity(ctx, { ...week, filter }), { now: after(days) })
    for (const days of looks) await read(days)
    const { critical, high } = await read(3)
    expect({ critical, high }).toEqual({ critical: [0, 0, 0, 1, 0, 0, 0], high: [0, 1, 1, 0, 0, 0, 0] })
  }
})

it('counts what was rated anew before any day was closed by what it was then', async () => {
  const today = new Date()
  const after = (days: number) => new Date(today.getTime() + days * dayMs)
  await scanned(after(-3), found(99))
  await scanned(after(-2), missed())
  await rate(9.8, 'CATEGORY_CRITICAL')
  await rate(7.5, 'CATEGORY_HIGH')
  await rate(9.8, 'CATEGORY_CRITICAL')
  await scanned(after(1), found(99))
  for (const filter of [{}, { affectedTargetId: target }]) {
    const { critical, high } = await house.as(account, (ctx) => issuesBySeverity(ctx, { ...week, filter }), {
      now: after(2),
    })
    expect({ critical, high }).toEqual({ critical: [0, 0, 0, 0, 0, 1, 1], high: [0, 1, 0, 0, 0, 0, 0] })
  }
})

it('shows a new severity on the target and on the host as on the issue', async () => {
  await scanned(new Date(), found(99))
  await rate(9.8, 'CATEGORY_CRITICAL')
  const [targets, hosts, { issues }] = await house.as(account, async (ctx) => {
    const all = await ctx.tx.selectFrom('host').select('id').where('account_id', '=', account).execute()
    const ids = all.map((host) => host.id)
    return [
      await describeTargets(ctx, [target]),
      await describeHosts(ctx, ids, describeTargets),
      await listIssues(ctx, { filter: { severities: ['CATEGORY_CRITICAL'] } }, describeTargets),
    ] as const
  })
  const counted = { critical: 1, high: 0, medium: 0, low: 0 }
  expect(issues).toHaveLength(1)
  expect(targets.get(target)?.issueCount).toEqual(counted)
  expect([...hosts.values()].map((host) => host.issueCount)).toEqual([counted])
})

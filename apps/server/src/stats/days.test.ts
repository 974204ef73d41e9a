import type { IssueStatus, Verification } from '@glacis/contract/issue'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { closeEndedDays, issuesByStatus } from '#stats/index.ts'
import { closeDays } from '#stats/days.ts'
import { type House, openHouse } from '#testing/house.ts'

let house: House
let account: string
const targets = [newId(), newId()]
const hosts = Array.from({ length: 6 }, () => newId())
const silent = { info() {}, warn() {}, error() {} }

beforeAll(async () => {
  house = await openHouse()
  await house.knows(...Array.from({ length: 8 }, (_, number) => ({ key: `check-${number}` })))
})
afterAll(() => house.close())

const begin = new Date('2026-09-01T00:00:00Z')
beforeEach(async () => {
  account = await house.account()
  await house.as(account, async ({ tx }) => {
    const times = { created_at: begin, updated_at: begin, deleted_at: null, next_scan_at: null }
    const row = {
      account_id: account,
      name: 'T',
      address: '127.91.0.1',
      kind: 'IPV4',
      schedule_period: 'PERIOD_DAILY' as const,
    }
    for (const id of targets)
      await tx
        .insertInto('target')
        .values({ ...row, ...times, id })
        .execute()
    const seen = { first_seen_at: begin, last_seen_at: begin, last_checked_at: begin, updated_at: begin }
    for (const [number, id] of hosts.entries()) {
      const place = { target_id: targets[number % 2] ?? '', address: `127.91.0.${number}`, name: '' }
      await tx
        .insertInto('host')
        .values({ account_id: account, id, ...place, ...seen })
        .execute()
    }
  })
})

interface Move {
  readonly issue: string
  readonly host: number | null
  readonly status: IssueStatus
  readonly verification: Verification
  readonly at: Date
}

async function issues(): Promise<string[]> {
  return house.as(account, async ({ tx }) => {
    const threats = await tx.selectFrom('threat').selectAll().execute()
    const rows = threats.map((threat) => ({ id: newId(), threat }))
    const none = { ignored_at: null, resolved_at: null, first_seen_at: begin, last_seen_at: begin, updated_at: begin }
    for (const { id, threat } of rows) {
      const judged = {
        verification: 'VERIFICATION_VERIFIED' as const,
        quality: 99,
        priority: 1,
        score: 1,
        category: threat.category,
      }
      await tx
        .insertInto('issue')
        .values({ account_id: account, id, threat_id: threat.id, status: 'STATUS_OPEN', ...judged, ...none })
        .execute()
    }
    return rows.map((row) => row.id)
  })
}

async function happened(moves: readonly Move[]): Promise<void> {
  await house.as(account, async ({ tx }) => {
    await tx
      .insertInto('issue_event')
      .values(
        moves.map(({ issue, host, status, verification, at }) => ({
          account_id: account,
          id: newId(),
          issue_id: issue,
          host_id: host === null ? null : (hosts[host] ?? null),
          target_id: host === null ? null : (targets[host % 2] ?? null),
          actor: 'scan',
          scan_id: null,
          status,
          verification,
          at,
        })),
      )
      .execute()
  })
}

const words: readonly IssueStatus[] = ['STATUS_REGRESSION', 'STATUS_OPEN', 'STATUS_IGNORED', 'STATUS_RESOLVED']

/** A history of forty days that a counter of moves makes up. */
function madeUp(ids: readonly string[]): Move[] {
  let seed = 42
  const random = (below: number) => (seed = (seed * 16807) % 2147483647) % below
  return Array.from({ length: 300 }, () => ({
    issue: ids[random(ids.length)] ?? '',
    host: random(hosts.length),
    status: words[random(4)] ?? 'STATUS_OPEN',
    verification: random(3) === 0 ? ('VERIFICATION_UNVERIFIED' as const) : ('VERIFICATION_VERIFIED' as const),
    at: new Date(begin.getTime() + random(40 * 86_400) * 1000 + random(1000)),
  })).toSorted((a, b) => a.at.getTime() - b.at.getTime())
}

/** The same by replaying every move until the end of a day, host by host. */
function replayed(moves: readonly Move[], end: Date, verification: Verification | null, target: number): number[] {
  const last = new Map<string, Move>()
  for (const move of moves)
    if (move.at <= end && (move.host ?? 0) % 2 === target) last.set(`${move.issue} ${move.host}`, move)
  const worst = new Map<string, number>()
  for (const move of last.values()) {
    if (verification && move.verification !== verification) continue
    worst.set(move.issue, Math.min(worst.get(move.issue) ?? 9, words.indexOf(move.status)))
  }
  return words.map((_, rank) => [...worst.values()].filter((each) => each === rank).length)
}

it('closes each day as a replay of its history has it, through a target and by verification', async () => {
  const moves = madeUp(await issues())
  await happened(moves)
  const now = new Date('2026-10-11T12:00:00Z')
  for (const [word, verification] of [
    ['VERIFICATION_FILTER_ALL', null],
    ['VERIFICATION_FILTER_VERIFIED', 'VERIFICATION_VERIFIED'],
    ['VERIFICATION_FILTER_UNVERIFIED', 'VERIFICATION_UNVERIFIED'],
  ] as const) {
    const filter = { affectedTargetId: targets[1], verification: word }
    const series = await house.as(account, (ctx) => issuesByStatus(ctx, { period: 'PERIOD_MONTH', filter }), { now })
    const shown = series.timestamps.map((_, i) => [
      series.regressive[i],
      series.open[i],
      series.ignored[i],
      series.resolved[i],
    ])
    const expected = series.timestamps.map((end) => replayed(moves, new Date(end), verification, 1))
    expect(shown.slice(0, -1)).toEqual(expected.slice(0, -1))
  }
})

it('gives the same whether days are closed one by one or all at once', async () => {
  const ids = await issues()
  const moves = madeUp(ids)
  await happened(moves)
  const read = () =>
    house.database.owner
      .selectFrom('stats_day')
      .select(['target_id', 'day', 'counts'])
      .where('account_id', '=', account)
      .orderBy('target_id')
      .orderBy('day')
      .execute()
  for (let day = 1; day <= 41; day++) {
    await house.as(account, closeDays, { now: new Date(begin.getTime() + day * 86_400_000 + 3_600_000) })
  }
  const oneByOne = await read()
  await house.database.owner.deleteFrom('stats_day').where('account_id', '=', account).execute()
  await house.as(account, closeDays, { now: new Date(begin.getTime() + 41 * 86_400_000 + 3_600_000) })
  expect(await read()).toEqual(oneByOne)
  expect(oneByOne.length).toBeGreaterThan(60)
})

it('never writes a closed day again, even when its history changes', async () => {
  const [issue = ''] = await issues()
  const move = { issue, host: null, status: 'STATUS_OPEN' as const, verification: 'VERIFICATION_VERIFIED' as const }
  await happened([{ ...move, at: new Date('2026-10-01T10:00:00Z') }])
  const now = new Date('2026-10-05T12:00:00Z')
  const open = async () =>
    (await house.as(account, (ctx) => issuesByStatus(ctx, { period: 'PERIOD_WEEK' }), { now })).open.slice(0, -1)
  expect(await open()).toEqual([0, 0, 1, 1, 1, 1])
  await happened([{ ...move, status: 'STATUS_RESOLVED', at: new Date('2026-10-02T10:00:00Z') }])
  expect(await open()).toEqual([0, 0, 1, 1, 1, 1])
})

it('ends a day where the account is, not in Greenwich', async () => {
  await house.database.owner
    .updateTable('account')
    .set({ time_zone: 'Europe/Zurich' })
    .where('id', '=', account)
    .execute()
  const [issue = ''] = await issues()
  // Half past midnight in Zurich on 2 October, summer time.
  const move = { issue, host: null, status: 'STATUS_OPEN' as const, verification: 'VERIFICATION_VERIFIED' as const }
  await happened([{ ...move, at: new Date('2026-10-01T22:30:00Z') }])
  const series = await house.as(account, (ctx) => issuesByStatus(ctx, { period: 'PERIOD_WEEK' }), {
    now: new Date('2026-10-04T12:00:00Z'),
  })
  expect(series.timestamps.slice(-4, -1)).toEqual([
    '2026-10-01T21:59:59.999Z',
    '2026-10-02T21:59:59.999Z',
    '2026-10-03T21:59:59.999Z',
  ])
  expect(series.open.slice(-4, -1)).toEqual([0, 1, 1])
})

it('waits until everything of a day is committed, and shows it meanwhile', async () => {
  const [issue = ''] = await issues()
  const move = { issue, host: null, status: 'STATUS_OPEN' as const, verification: 'VERIFICATION_VERIFIED' as const }
  await happened([{ ...move, at: new Date('2026-10-03T23:59:59Z') }])
  const now = new Date('2026-10-04T00:05:00Z')
  expect(await house.as(account, closeDays, { now })).toBe(0)
  const series = await house.as(account, (ctx) => issuesByStatus(ctx, { period: 'PERIOD_WEEK' }), { now })
  expect(series.open.at(-2)).toBe(1)
  expect(await house.as(account, closeDays, { now: new Date('2026-10-04T00:11:00Z') })).toBe(1)
})

it('closes days again that a clock ahead of time had closed before they ended', async () => {
  const [issue = ''] = await issues()
  const today = new Date()
  const later = (days: number) => new Date(today.getTime() + days * 86_400_000)
  const move = { issue, host: null, status: 'STATUS_OPEN' as const, verification: 'VERIFICATION_VERIFIED' as const }
  await happened([{ ...move, at: later(-5) }])
  await house.as(account, closeDays, { now: later(2) })
  await happened([{ ...move, status: 'STATUS_RESOLVED', at: today }])
  await closeEndedDays({ database: house.database, log: silent })
  const { open } = await house.as(account, (ctx) => issuesByStatus(ctx, { period: 'PERIOD_WEEK' }), { now: later(4) })
  expect(open.slice(0, -1)).toEqual([1, 1, 0, 0, 0, 0])
})

it('closes the days of every account that has some', async () => {
  const [issue = ''] = await issues()
  await happened([{ issue, host: null, status: 'STATUS_OPEN', verification: 'VERIFICATION_VERIFIED', at: begin }])
  await closeEndedDays({ database: house.database, log: silent })
  const { day } = await house.database.owner
    .selectFrom('stats_day')
    .select(({ fn }) => fn.max('day').as('day'))
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow()
  expect(day).not.toBeNull()
})

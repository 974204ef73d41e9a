import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  resolveIssuesOfTargets,
  getIssue,
  reopenExpired,
  setHostStatus,
  setIssueStatus,
  setStatusOfMany,
} from '#issues/index.ts'
import { type House, openHouse, person } from '#testing/house.ts'
import { deleteTargets, describeTargets, type Seeded, seedIssues } from '#testing/issues.ts'
import { sql } from 'kysely'

let house: House
let account: string
let seeded: Seeded
const now = new Date('2026-11-20T08:00:00Z')
const later = (days: number) => new Date(now.getTime() + days * 86_400_000)
const nora = { now, actor: person }

beforeAll(async () => void (house = await openHouse()))
afterAll(() => house.close())
beforeEach(async () => {
  account = await house.account()
  seeded = await seedIssues(house, account, { issues: 2, hosts: 2, at: later(-10) })
})

const first = () => seeded.issueIds[0] ?? ''
const issue = () =>
  house.as(account, async (ctx) => (await getIssue(ctx, { id: first() }, describeTargets)).issue, nora)
const set = (status: 'STATUS_OPEN' | 'STATUS_IGNORED') =>
  house.as(account, (ctx) => setIssueStatus(ctx, { id: first(), status }, describeTargets), nora)
const deleted = (id: string) =>
  house.as(account, async (ctx) => {
    await deleteTargets(ctx, [id])
    await resolveIssuesOfTargets(ctx, [id])
  })
const standing = async () => (await issue()).affectedHosts.map((one) => `${one.host.address} ${one.status}`).toSorted()

/** The second host is of another target, which is deleted. */
async function deleteOne(): Promise<void> {
  const { owner } = house.database
  const gone = await sql<{ id: string }>`
    insert into target (account_id, id, name, address, kind, schedule_period, created_at, updated_at)
    select account_id, new_id(), 'Gone', '127.63.0.1', 'HOST', schedule_period, created_at, updated_at
    from target where id = ${seeded.targetId}
    returning id`.execute(owner)
  const id = gone.rows[0]?.id ?? ''
  await sql`update host set target_id = ${id} where id = ${seeded.hostIds[1]}`.execute(owner)
  await sql`update occurrence set target_id = ${id} where host_id = ${seeded.hostIds[1]}`.execute(owner)
  await deleted(id)
}

it('reopens an issue on existing targets only, not on deleted ones', async () => {
  await deleteOne()
  await set('STATUS_IGNORED')
  expect(await standing()).toEqual(['127.63.0.0 STATUS_IGNORED', '127.63.0.1 STATUS_RESOLVED'])
  await house.as(account, reopenExpired, { now: later(400) })
  expect(await standing()).toEqual(['127.63.0.0 STATUS_OPEN', '127.63.0.1 STATUS_RESOLVED'])
  const onHost = { id: first(), hostId: seeded.hostIds[1] ?? '', status: 'STATUS_OPEN' } as const
  const refused = house.as(account, (ctx) => setHostStatus(ctx, onHost, describeTargets), nora)
  await expect(refused).rejects.toMatchObject({ code: 'conflict' })
})

it('refuses to reopen issues that only deleted targets have, individually and in batches', async () => {
  await deleted(seeded.targetId)
  await expect(set('STATUS_OPEN')).rejects.toThrow('All targets of this issue were deleted, so it stays resolved')
  const together = { filter: {}, status: 'STATUS_IGNORED' } as const
  const { updatedCount, skipped } = await house.as(account, (ctx) => setStatusOfMany(ctx, together), nora)
  expect([updatedCount, ...skipped.map((one) => one.message)]).toEqual([
    0,
    'All targets of this issue were deleted, so it stays resolved',
    'All targets of this issue were deleted, so it stays resolved',
  ])
  expect((await issue()).status).toBe('STATUS_RESOLVED')
})

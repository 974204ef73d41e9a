import type { Target } from '@glacis/contract/target'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Ctx } from '#ctx.ts'
import { createPlaces, listIssues, setIssueStatus } from '#issues/index.ts'
import { settle } from '#issues/settle.ts'
import { type House, openHouse } from '#testing/house.ts'
import { seedIssues } from '#testing/issues.ts'
import { statementsOf } from '#testing/statements.ts'

let house: House
beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house.close())

const targets = async (_: Ctx, ids: readonly string[]) => new Map(ids.map((id) => [id, { id } as Target]))

/** An account with lists that keep what they have told, and how often they ask for it. */
async function reader() {
  const account = await house.account()
  const seeded = await seedIssues(house, account, { issues: 4, hosts: 3, at: new Date('2026-11-01T00:00:00Z') })
  const places = createPlaces()
  const fresh = async () => house.as(account, (ctx) => listIssues(ctx, {}, targets))
  const kept = async () => house.as(account, (ctx) => listIssues(ctx, {}, targets, places))
  const asked = async () => {
    const sent = await statementsOf(kept)
    return sent.filter(({ text }) => /\b(occurrence|issue_event)\b/.test(text)).length
  }
  return { account, ...seeded, fresh, kept, asked }
}

it('asks for the places of an issue again only when it has changed', async () => {
  const { account, issueIds, fresh, kept, asked } = await reader()
  expect(await asked()).toBe(2)
  expect(await asked()).toBe(0)
  expect(await kept()).toEqual(await fresh())
  const [id = ''] = issueIds
  await house.as(account, (ctx) => setIssueStatus(ctx, { id, status: 'STATUS_RESOLVED' }, targets))
  expect(await asked()).toBe(2)
  expect(await kept()).toEqual(await fresh())
  expect((await kept()).issues.find((one) => one.id === id)).toMatchObject({
    affectedHosts: [{ status: 'STATUS_RESOLVED' }, {}, {}],
    history: [{ status: 'STATUS_OPEN' }, { status: 'STATUS_RESOLVED' }],
  })
})

it('tells what a scan could not look at, though the issue stands as it stood', async () => {
  const { account, hostIds, fresh, kept } = await reader()
  await kept()
  const nobody = { reached: new Set<string>(), covered: new Set<string>(), closed: new Set<string>(), read: new Map() }
  await house.as(account, (ctx) => settle(ctx, [], { ...nobody, asked: new Set(hostIds) }, null))
  const { issues } = await kept()
  expect(issues).toHaveLength(4)
  expect(issues.every((one) => one.affectedHosts.every((place) => place.notCheckedSinceTime))).toBe(true)
  expect(issues).toEqual((await fresh()).issues)
})

it('keeps apart what is asked of a host and what is asked of all', async () => {
  const { account, hostIds, kept } = await reader()
  await kept()
  const places = createPlaces()
  const of = async (hostId?: string) =>
    house.as(account, (ctx) => listIssues(ctx, { filter: { affectedHostId: hostId } }, targets, places))
  for (const hostId of [undefined, ...hostIds, undefined]) {
    const { issues } = await of(hostId)
    expect(issues).toHaveLength(4)
    if (hostId) expect(issues.map((one) => one.affectedHosts[0]?.host.id)).toEqual([hostId, hostId, hostId, hostId])
  }
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { rollUp } from '#issues/rollup.ts'
import { type House, openHouse } from '#testing/house.ts'
import { seedIssues } from '#testing/issues.ts'

let house: House
beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house.close())

const at = new Date('2026-11-10T08:00:00Z')
type Host = readonly [address: string, criticality: 'LOW' | 'NORMAL' | 'HIGH', status: 'OPEN' | 'RESOLVED']

/** Two hosts, one issue on both; answers what the issue takes over from them. */
async function standOn(hosts: readonly Host[]) {
  const account = await house.account()
  const { issueIds, hostIds } = await seedIssues(house, account, { issues: 1, hosts: hosts.length, at })
  const { owner } = house.database
  for (const [index, [address, criticality, status]] of hosts.entries()) {
    const id = hostIds[index] ?? ''
    await owner
      .updateTable('host')
      .set({ address, criticality: `CRITICALITY_${criticality}` })
      .where('id', '=', id)
      .execute()
    await owner
      .updateTable('occurrence')
      .set({ status: `STATUS_${status}` })
      .where('host_id', '=', id)
      .execute()
  }
  await house.as(account, (ctx) => rollUp(ctx, issueIds, { reason: '', scanId: null }))
  return owner
    .selectFrom('issue')
    .select(['is_reachable', 'weight', 'status', 'host_count'])
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow()
}

const [inner, outer] = ['10.1.2.3', '203.0.113.7']
it.each<[string, Host[], Awaited<ReturnType<typeof standOn>>]>([
  [
    'inside alone is not reachable, and takes the weight of the host that matters most',
    [
      [inner, 'LOW', 'OPEN'],
      ['fd00::7', 'HIGH', 'OPEN'],
    ],
    { is_reachable: false, weight: 2, status: 'STATUS_OPEN', host_count: 2 },
  ],
  [
    'outside on one host is reachable, and where it is resolved a host weighs nothing',
    [
      [inner, 'LOW', 'OPEN'],
      [outer, 'HIGH', 'RESOLVED'],
    ],
    { is_reachable: true, weight: 0, status: 'STATUS_OPEN', host_count: 2 },
  ],
  [
    'resolved everywhere weighs what its hosts do, those of no note among them',
    [
      [outer, 'LOW', 'RESOLVED'],
      [inner, 'NORMAL', 'RESOLVED'],
    ],
    { is_reachable: true, weight: 1, status: 'STATUS_RESOLVED', host_count: 2 },
  ],
])('an issue that is %s', async (_, hosts, expected) => {
  expect(await standOn(hosts)).toEqual(expected)
})

import { expect, it } from 'vitest'
import { changeSubscription, previewSubscription } from '#billing/index.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()

/** Two thirds of the month remain. */
const now = new Date('2026-11-11T00:00:00Z')
const [free, monthly, yearly] = [
  { planId: 'free', numTargets: 25, period: 'PERIOD_UNSPECIFIED' },
  { planId: 'team', numTargets: 160, period: 'PERIOD_MONTHLY' },
  { planId: 'team', numTargets: 160, period: 'PERIOD_YEARLY' },
] as const

it.each([
  { from: free, to: monthly, dueToday: 106, nextAmount: 159 },
  { from: free, to: yearly, dueToday: 88.33, nextAmount: 1590 },
  { from: yearly, to: monthly, dueToday: 17.67, nextAmount: 159 },
  { from: monthly, to: yearly, dueToday: 0, nextAmount: 1590 },
  { from: monthly, to: free, dueToday: 0, nextAmount: 0 },
])('charges only for the rest of the month: $from.period to $to.period', async ({ from, to, ...due }) => {
  const workspace = await server.createWorkspace()
  await server.as(workspace, (ctx) => changeSubscription(ctx, from), { now })
  const preview = await server.as(workspace, (ctx) => previewSubscription(ctx, to), { now })
  expect(preview).toEqual({ ...due, currency: 'CHF', overQuota: { targets: 0 } })
})

it('rejects a change of the subscription while billing is off', async () => {
  const workspace = await server.createWorkspace()
  const change = server.as(workspace, (ctx) => changeSubscription({ ...ctx, isUnlimited: true }, monthly))
  await expect(change).rejects.toMatchObject({
    code: 'precondition',
    message: 'Billing is off on this installation',
  })
})

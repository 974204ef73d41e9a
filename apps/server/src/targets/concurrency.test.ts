/** Tests of concurrent changes to targets and tags. */
import type { InputOf } from '@glacis/contract/endpoint'
import { createTarget as createCall, type Target, TargetCreate } from '@glacis/contract/target'
import { beforeEach, expect, it } from 'vitest'
import { changeSubscription, getSubscription } from '#billing/index.ts'
import type { Ctx } from '#ctx.ts'
import {
  createTag,
  createTarget,
  deleteTag,
  deleteTargets,
  getTarget,
  updateTag,
  updateTarget,
} from '#targets/index.ts'
import { person, sharedTestServer, type TestServer } from '#testing/test-server.ts'
import { untilLockWait } from '#testing/concurrency.ts'

const server = await sharedTestServer()
let workspace: string
const now = new Date('2026-11-02T08:00:00Z')
beforeEach(async () => {
  workspace = await server.createWorkspace()
})

type Input = InputOf<typeof createCall>
const plain: Input = { name: 'Web', address: '127.62.0.0/24', schedule: { period: 'PERIOD_WEEKLY' }, tags: [] }
const me: TestServer['as'] = (owner, work, at = {}) => server.as(owner, work, { now, actor: person, ...at })
async function createTestTarget(): Promise<Target> {
  return (await me(workspace, (ctx) => createTarget(ctx, TargetCreate.parse(plain)))).target
}

/** Starts `later` before `first` is committed. */
async function runOverlapping<T>(first: (ctx: Ctx) => Promise<unknown>, later: (ctx: Ctx) => Promise<T>): Promise<T> {
  const { promise: firstDone, resolve: markFirstDone } = Promise.withResolvers<void>()
  const outcome = firstDone.then(() => me(workspace, later))
  const finished = outcome.catch(() => undefined)
  await me(workspace, async (ctx) => {
    await first(ctx)
    markFirstDone()
    await untilLockWait(server)
  })
  await finished
  return outcome
}

it('concurrent updates change only their own fields', async () => {
  const { id } = await createTestTarget()
  const hours = { start: '22:00', end: '06:00', timeZone: 'UTC' }
  await runOverlapping(
    (ctx) =>
      updateTarget(ctx, {
        id,
        schedule: { period: 'PERIOD_WEEKLY', allowedHours: hours },
        updateMask: { paths: ['schedule.allowedHours'] },
      }),
    (ctx) =>
      updateTarget(ctx, {
        id,
        schedule: { period: 'PERIOD_DAILY' },
        updateMask: { paths: ['schedule.period'] },
      }),
  )
  const { target } = await me(workspace, (ctx) => getTarget(ctx, { id }))
  expect(target.schedule).toEqual({ period: 'PERIOD_DAILY', allowedHours: hours })
})

it('a target paused during a schedule change stays paused', async () => {
  const { id } = await createTestTarget()
  await runOverlapping(
    (ctx) => updateTarget(ctx, { id, paused: true, updateMask: { paths: ['paused'] } }),
    (ctx) =>
      updateTarget(ctx, { id, schedule: { period: 'PERIOD_DAILY' }, updateMask: { paths: ['schedule.period'] } }),
  )
  const { target } = await me(workspace, (ctx) => getTarget(ctx, { id }))
  expect(target).toHaveProperty('pauseTime')
  expect(target).not.toHaveProperty('nextScanTime')
})

it("a target being deleted can't be changed", async () => {
  const { id } = await createTestTarget()
  const change = runOverlapping(
    (ctx) => deleteTargets(ctx, [id]),
    (ctx) => updateTarget(ctx, { id, name: 'Other', updateMask: { paths: ['name'] } }),
  )
  await expect(change).rejects.toMatchObject({ code: 'not_found' })
})

it('a smaller plan is rejected while a target that exceeds it is being added', async () => {
  const change = (planId: 'free' | 'starter') => (ctx: Ctx) =>
    changeSubscription(ctx, { planId, numTargets: 25, period: 'PERIOD_MONTHLY' })
  await me(workspace, change('starter'))
  for (let number = 0; number < 25; number++) await createTestTarget()
  const smaller = runOverlapping((ctx) => createTarget(ctx, TargetCreate.parse(plain)), change('free'))
  await expect(smaller).rejects.toMatchObject({ code: 'precondition' })
  const { quota } = (await me(workspace, getSubscription)).subscription
  expect(quota.targets.used).toBeLessThanOrEqual(quota.targets.total)
})

it("a tag being deleted can't be assigned", async () => {
  const { tag } = await me(workspace, (ctx) => createTag(ctx, { tag: { name: 'late', color: 1 } }))
  const change = runOverlapping(
    (ctx) => deleteTag(ctx, { id: tag.id }),
    (ctx) => createTarget(ctx, TargetCreate.parse({ ...plain, tags: [tag] })),
  )
  await expect(change).rejects.toMatchObject({ code: 'invalid' })
})

it('of two tags renamed to the same name concurrently, the later is rejected', async () => {
  const [first, second] = await Promise.all(
    ['one', 'two'].map(async (name) => (await me(workspace, (ctx) => createTag(ctx, { tag: { name, color: 1 } }))).tag),
  )
  const rename = (ctx: Ctx, id = '') => updateTag(ctx, { id, tag: { name: 'same' }, updateMask: { paths: ['name'] } })
  const change = runOverlapping(
    (ctx) => rename(ctx, first?.id),
    (ctx) => rename(ctx, second?.id),
  )
  await expect(change).rejects.toMatchObject({ code: 'conflict' })
})

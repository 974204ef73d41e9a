import type { InputOf } from '@glacis/contract/endpoint'
import { createTarget as createCall, type Target, TargetCreate } from '@glacis/contract/target'
import { beforeEach, describe, expect, it } from 'vitest'
import { getSubscription } from '#billing/index.ts'
import { newId } from '#database/index.ts'
import {
  changeTargets,
  createTag,
  createTarget,
  deleteTag,
  deleteTargets,
  getTarget,
  listTargets,
  scheduleNextScan,
  updateTag,
  updateTarget,
} from '#targets/index.ts'
import { person, sharedTestServer, type TestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()
let workspace: string
const now = new Date('2026-11-02T08:00:00Z')
beforeEach(async () => {
  workspace = await server.createWorkspace()
})

type Input = InputOf<typeof createCall>
const plain: Input = { name: 'Web', address: '127.62.0.0/24', schedule: { period: 'PERIOD_WEEKLY' }, tags: [] }

const me: TestServer['as'] = (whose, work, at = {}) => server.as(whose, work, { now, actor: person, ...at })
async function createTestTarget(input: Partial<Input> = {}): Promise<Target> {
  const { target } = await me(workspace, (ctx) => createTarget(ctx, TargetCreate.parse({ ...plain, ...input })))
  return target
}
/** Creates a scan of the target with this status. */
async function scanned(targetId: string, status: 'STATUS_COMPLETED' | 'STATUS_FAILED'): Promise<void> {
  await me(workspace, async (ctx) => {
    const times = { created_at: now, started_at: now, completed_at: now, last_activity_at: now, updated_at: now }
    await ctx.tx
      .insertInto('scan')
      .values({
        account_id: workspace,
        id: newId(),
        target_id: targetId,
        type: 'TYPE_MANUAL',
        status,
        phase: 'PHASE_DONE',
        started_by: person.name,
        ...times,
      })
      .execute()
    const target = await ctx.tx.selectFrom('target').selectAll().where('id', '=', targetId).executeTakeFirstOrThrow()
    await scheduleNextScan(ctx, target)
  })
}
async function listed(input: Parameters<typeof listTargets>[1] = {}, at = now): Promise<string[]> {
  const { targets } = await me(workspace, (ctx) => listTargets(ctx, input), { now: at })
  return targets.map((target) => target.name)
}

describe('a target', () => {
  it('stores its scan settings in canonical form', async () => {
    const target = await createTestTarget({
      schedule: {
        period: 'PERIOD_DAILY',
        allowedHours: { start: '22:00', end: '06:00', days: [5, 1, 5], timeZone: 'Europe/Zurich' },
      },
      exclusions: ['127.62.0.9', '127.62.0.9', '127.62.0.16-20', '*:9100'],
      profile: 'standard',
      ports: '443, 80 8000-8002',
      ratePerHost: 20,
    })
    expect(target).toMatchObject({
      schedule: { allowedHours: { start: '22:00', end: '06:00', days: [1, 5], timeZone: 'Europe/Zurich' } },
      exclusions: ['127.62.0.9', '127.62.0.16-127.62.0.20', '*:9100'],
      profile: 'standard',
      ports: '80,443,8000-8002',
      ratePerHost: 20,
    })
  })

  it.each([
    [{ exclusions: ['127.62.0.1', 'example.ch'] }, 'exclusions.1'],
    [{ ports: '80,http' }, 'ports'],
    [{ address: 'https://127.62.0.1/', ports: '80' }, 'ports'],
    [
      {
        schedule: {
          period: 'PERIOD_DAILY' as const,
          allowedHours: { start: '22:00', end: '06:00', timeZone: 'Mars/Olympus' },
        },
      },
      'schedule.allowedHours.timeZone',
    ],
  ])('is rejected with %j and the field', async (input, field) => {
    await expect(createTestTarget(input)).rejects.toMatchObject({ code: 'invalid', violations: [{ field }] })
  })

  it('records in the audit log who confirmed the authorization to scan', async () => {
    const { id } = await createTestTarget({ isPermitted: true })
    const event = await me(workspace, (ctx) =>
      ctx.tx.selectFrom('audit_event').selectAll().where('resource_id', '=', id).executeTakeFirstOrThrow(),
    )
    expect(event).toMatchObject({ actor_name: person.name, at: now, detail: { isPermitted: true } })
  })
})

describe('a change', () => {
  const change = async (id: string, paths: string[], body: object) =>
    (await me(workspace, (ctx) => updateTarget(ctx, { id, ...body, updateMask: { paths } }))).target

  it('changes only the fields in updateMask', async () => {
    const before = await createTestTarget({ exclusions: ['127.62.0.9'], profile: 'deep' })
    const body = { profile: 'gentle', exclusions: [], name: 'Other', ports: '80' }
    expect(await change(before.id, ['profile'], body)).toEqual({ ...before, profile: 'gentle' })
    expect(await change(before.id, ['exclusions', 'ports'], body)).toMatchObject({
      name: 'Web',
      exclusions: [],
      ports: '80',
    })
  })

  const zurich = { start: '22:00', end: '06:00', timeZone: 'Europe/Zurich', days: [1, 2, 3] }
  it.each([
    ['paused', { paused: false }],
    ['schedule', { schedule: { period: 'PERIOD_WEEKLY' as const, allowedHours: zurich } }],
    ['schedule.period', { schedule: { period: 'PERIOD_WEEKLY' as const } }],
  ])("doesn't postpone the scan if %s is unchanged", async (path, body) => {
    const { id } = await createTestTarget({ schedule: { period: 'PERIOD_WEEKLY', allowedHours: zurich } })
    const dueAt = async () =>
      (
        await me(workspace, ({ tx }) => tx.selectFrom('target').select('next_scan_at').where('id', '=', id).execute())
      )[0]
    const before = await dueAt()
    const later = new Date(now.getTime() + 5 * 86_400_000)
    await me(workspace, (ctx) => updateTarget(ctx, { id, ...body, updateMask: { paths: [path] } }), { now: later })
    expect(await dueAt()).toEqual(before)
  })

  it.each([['address'], ['schedule.minute'], ['Name'], ['']])('of %j is rejected with the field', async (path) => {
    const { id } = await createTestTarget()
    await expect(change(id, ['name', path], { name: 'x' })).rejects.toThrow(`'${path}' can't be changed`)
  })

  it('without a value is rejected', async () => {
    const { id } = await createTestTarget()
    await expect(change(id, ['ports'], { name: 'x' })).rejects.toMatchObject({ violations: [{ field: 'ports' }] })
  })

  it('removes the rate with null, and allowed hours with a schedule without them', async () => {
    const hours = { start: '22:00', end: '06:00', timeZone: 'UTC' }
    const { id } = await createTestTarget({ ratePerHost: 5, schedule: { period: 'PERIOD_DAILY', allowedHours: hours } })
    expect(await change(id, ['ratePerHost'], { ratePerHost: null })).not.toHaveProperty('ratePerHost')
    const weekly = await change(id, ['schedule.period'], { schedule: { period: 'PERIOD_WEEKLY' } })
    expect(weekly.schedule).toEqual({ period: 'PERIOD_WEEKLY', allowedHours: hours })
    expect((await change(id, ['schedule'], { schedule: { period: 'PERIOD_WEEKLY' } })).schedule).toEqual({
      period: 'PERIOD_WEEKLY',
    })
  })
})

describe('a paused target', () => {
  const pause = (id: string, paused: boolean) =>
    me(workspace, (ctx) => updateTarget(ctx, { id, paused, updateMask: { paths: ['paused'] } }))
  const used = async () => (await me(workspace, getSubscription)).subscription.quota.targets

  it("doesn't count toward the plan and isn't due until it is resumed", async () => {
    const { id } = await createTestTarget()
    expect((await used()).used).toBe(1)
    const { target } = await pause(id, true)
    expect(target).toMatchObject({ pauseTime: now.toISOString() })
    expect(target).not.toHaveProperty('nextScanTime')
    expect((await used()).used).toBe(0)
    expect((await pause(id, false)).target).toHaveProperty('nextScanTime')
    expect((await used()).used).toBe(1)
  })

  it('can only be resumed if the plan has a free slot', async () => {
    const { id } = await createTestTarget()
    await pause(id, true)
    const { total } = await used()
    for (let number = 0; number < total; number++) await createTestTarget()
    await expect(pause(id, false)).rejects.toMatchObject({ code: 'quota_exceeded' })
    const batch = await me(workspace, (ctx) => changeTargets(ctx, { ids: [id], paused: false }))
    expect(batch).toMatchObject({ updatedCount: 0, skipped: [{ id, code: 8 }] })
  })
})

it('allows three addresses per slot and month', async () => {
  const { total } = (await me(workspace, getSubscription)).subscription.quota.targets
  for (let number = 0; number < total * 3; number++) {
    const { id } = await createTestTarget({ address: `127.62.${number}.1` })
    await me(workspace, (ctx) => deleteTargets(ctx, [id]))
  }
  await expect(createTestTarget({ address: '127.62.250.1' })).rejects.toMatchObject({ quota: { subject: 'addresses' } })
  // Addresses used earlier in the month don't count again.
  await expect(createTestTarget({ address: '127.62.0.1' })).resolves.toBeDefined()
})

describe('the list', () => {
  it('is sorted and paged', async () => {
    const ids: string[] = []
    for (const name of ['Ölberg', 'Aarau', 'Pfäffikon']) ids.push((await createTestTarget({ name })).id)
    await scanned(ids[0] ?? '', 'STATUS_COMPLETED')
    const orders = {
      ORDER_BY_MOST_RECENT: ['Pfäffikon', 'Aarau', 'Ölberg'],
      ORDER_BY_NAME: ['Aarau', 'Ölberg', 'Pfäffikon'],
      ORDER_BY_LAST_SCAN: ['Ölberg', 'Aarau', 'Pfäffikon'],
    } as const
    for (const [orderBy, names] of Object.entries(orders) as [keyof typeof orders, readonly string[]][]) {
      expect(await listed({ orderBy })).toEqual(names)
      const paged: string[] = []
      let pageToken: string | undefined
      do {
        const page = await me(workspace, (ctx) =>
          listTargets(ctx, { orderBy, pageSize: 1, ...(pageToken && { pageToken }) }),
        )
        paged.push(...page.targets.map((target) => target.name))
        pageToken = page.nextPageToken
      } while (pageToken)
      expect([orderBy, paged]).toEqual([orderBy, names])
    }
  })

  it('shows targets that are unscheduled, overdue, failed, or paused', async () => {
    const scan = async (name: string, status: 'STATUS_COMPLETED' | 'STATUS_FAILED') => {
      const { id } = await createTestTarget({ name })
      await scanned(id, status)
      return id
    }
    await createTestTarget({ name: 'new' })
    await scan('done', 'STATUS_COMPLETED')
    await scan('broken', 'STATUS_FAILED')
    const { id } = await createTestTarget({ name: 'resting' })
    await me(workspace, (ctx) => changeTargets(ctx, { ids: [id], paused: true }))
    const later = new Date('2026-11-12T08:00:00Z')
    const named = async (...states: ('STATE_NEVER_SCANNED' | 'STATE_OVERDUE' | 'STATE_FAILED' | 'STATE_PAUSED')[]) =>
      (await listed({ filter: { states }, orderBy: 'ORDER_BY_NAME' }, later)).join()
    expect(await named('STATE_NEVER_SCANNED')).toBe('new,resting')
    expect(await named('STATE_FAILED')).toBe('broken')
    expect(await named('STATE_PAUSED')).toBe('resting')
    expect(await named('STATE_OVERDUE')).toBe('broken,done,new')
    expect(await listed({ filter: { states: ['STATE_OVERDUE'] } })).toEqual([])
    expect(await named('STATE_FAILED', 'STATE_PAUSED')).toBe('broken,resting')
  })
})

describe('batch changes', () => {
  it('add and remove tags and keep the others', async () => {
    const [a, b, c] = await Promise.all(
      ['a', 'b', 'c'].map(
        async (name) => (await me(workspace, (ctx) => createTag(ctx, { tag: { name, color: 1 } }))).tag,
      ),
    )
    if (!a || !b || !c) throw new Error('three tags exist')
    const first = await createTestTarget({ tags: [a, b] })
    const second = await createTestTarget({ tags: [b] })
    const outcome = await me(workspace, (ctx) =>
      changeTargets(ctx, { ids: [first.id, second.id, a.id], addTags: [c], removeTags: [b], period: 'PERIOD_DAILY' }),
    )
    expect(outcome).toMatchObject({ updatedCount: 2, skipped: [{ id: a.id, code: 5 }] })
    const after = await Promise.all(
      [first, second].map(async ({ id }) => (await me(workspace, (ctx) => getTarget(ctx, { id }))).target),
    )
    expect(after.map((target) => target.tags.map((tag) => tag.name).join())).toEqual(['a,c', 'c'])
    expect(after.map((target) => target.schedule.period)).toEqual(['PERIOD_DAILY', 'PERIOD_DAILY'])
    await expect(
      me(workspace, (ctx) => changeTargets(ctx, { ids: [first.id], addTags: [{ id: first.id }] })),
    ).rejects.toMatchObject({
      code: 'invalid',
    })
  })

  it("don't affect other workspaces", async () => {
    const { id } = await createTestTarget()
    const otherAccount = await server.createWorkspace()
    const [changed, deleted] = [
      await me(otherAccount, (ctx) => changeTargets(ctx, { ids: [id], period: 'PERIOD_DAILY' })),
      await me(otherAccount, (ctx) => deleteTargets(ctx, [id])),
    ]
    expect(changed).toMatchObject({ updatedCount: 0, skipped: [{ id, code: 5 }] })
    expect(deleted).toMatchObject({ deleted: [], skipped: [{ id, code: 5 }] })
    expect((await me(workspace, (ctx) => getTarget(ctx, { id }))).target.schedule.period).toBe('PERIOD_WEEKLY')
  })
})

describe('a tag', () => {
  const tagged = async (name: string) => (await me(workspace, (ctx) => createTag(ctx, { tag: { name, color: 1 } }))).tag

  it('can be renamed everywhere, but not to an existing name', async () => {
    const [tag] = [await tagged('old'), await tagged('taken')]
    const { id } = await createTestTarget({ tags: [tag] })
    const rename = (name: string) =>
      me(workspace, (ctx) => updateTag(ctx, { id: tag.id, tag: { name, color: 9 }, updateMask: { paths: ['name'] } }))
    await expect(rename('TAKEN')).rejects.toMatchObject({ code: 'conflict' })
    await rename('OLD')
    expect((await me(workspace, (ctx) => getTarget(ctx, { id }))).target.tags).toEqual([{ ...tag, name: 'OLD' }])
  })

  it.each(['ΣΟΦΟΣ', 'İzmir', 'Straße'])('can be named %s, and the name is unique', async (name) => {
    const tag = await tagged(name)
    expect(tag.name).toBe(name)
    expect((await tagged(name)).id).toBe(tag.id)
    const { id } = await tagged('plain')
    const rename = (to: string) =>
      me(workspace, (ctx) => updateTag(ctx, { id, tag: { name: to }, updateMask: { paths: ['name'] } }))
    await expect(rename(name)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('is removed from all targets when it is deleted', async () => {
    const tag = await tagged('gone')
    const { id } = await createTestTarget({ tags: [tag] })
    await me(workspace, (ctx) => deleteTag(ctx, { id: tag.id }))
    expect((await me(workspace, (ctx) => getTarget(ctx, { id }))).target.tags).toEqual([])
    await expect(me(workspace, (ctx) => deleteTag(ctx, { id: tag.id }))).rejects.toMatchObject({ code: 'not_found' })
  })
})

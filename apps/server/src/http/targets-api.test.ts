import type { Subscription } from '@glacis/contract/subscription'
import { afterAll, describe, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { openTestUsers } from '#testing/test-users.ts'

const users = await openTestUsers()
afterAll(() => users.close())

describe('targets', () => {
  it('treats a question mark in a filter as text and keeps the rest of the query', async () => {
    await users.target('quinn', 'What?')
    await users.target('quinn', 'What else', '127.90.1.2')
    const search = async (query: string) => {
      const response = await users.request({ url: `/v1/targets?filter.query=${query}` }, 'quinn')
      return response.json<{ targets: unknown[] }>().targets.length
    }
    expect(await search('What?')).toBe(1)
    expect(await search('What?&filter.periods=PERIOD_WEEKLY')).toBe(0)
  })

  it.each([
    [{ name: '', address: '127.90.1.1' }, 'name'],
    [{ name: 'x'.repeat(129), address: '127.90.1.1' }, 'name'],
    [{ name: '   ', address: '127.90.1.1' }, 'name'],
    [{ name: 'a\0b', address: '127.90.1.1' }, 'name'],
    [{ name: 'a\u202Eb', address: '127.90.1.1' }, 'name'],
    [{ name: 'a\uD800', address: '127.90.1.1' }, 'name'],
    [{ name: 'a', address: '' }, 'address'],
    [{ name: 'a', address: 'foo bar' }, 'address'],
    [{ name: 'a', address: '127.90.1.1', nonsense: 1 }, 'nonsense'],
    [{ name: 'a', address: '127.90.1.1', schedule: { period: 'PERIOD_HOURLY' } }, 'schedule.period'],
    [{ name: 'a', address: '127.90.1.1', tags: [{ id: newId() }] }, 'tags'],
    [{ name: 'a', address: '127.90.1.1', agent: { id: newId() } }, 'agent.id'],
  ])('rejects %j with the field %s', async (payload, field) => {
    const response = await users.request({
      method: 'POST',
      url: '/v1/targets',
      payload: { schedule: { period: 'PERIOD_DAILY' }, tags: [], ...payload },
    })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ code: 3, details: [{ fieldViolations: [{ field }] }] })
  })

  it.each([1, 128])('accepts a name of %i characters', async (length) => {
    expect(await users.target('anna', 'x'.repeat(length))).toMatchObject({ name: 'x'.repeat(length) })
  })

  it.each([
    ['example.CH', 'example.ch'],
    ['127.90.1.0/24', '127.90.1.0/24'],
    ['::1', '::1'],
    ['127.90.1.1-127.90.1.9', '127.90.1.1-127.90.1.9'],
    ['https://example.ch:8443/app', 'https://example.ch:8443/app'],
  ])('stores %s as %s', async (address, stored) => {
    expect(await users.target('anna', 'a', address)).toMatchObject({ address: stored })
  })

  it("accepts a body wrapped in the resource's name", async () => {
    const wrapped = { target: { name: 'w', address: '127.90.1.1', schedule: { period: 'PERIOD_DAILY' } } }
    expect((await users.request({ method: 'POST', url: '/v1/targets', payload: wrapped })).statusCode).toBe(200)
  })

  it("accepts an update wrapped in the resource's name, with the update mask next to it", async () => {
    const { id } = await users.target('anna', 'before')
    const update = (payload: object) => users.request({ method: 'PATCH', url: `/v1/targets/${id}`, payload })
    const updateMask = { paths: ['name'] }
    expect((await update({ target: { name: 'after' }, updateMask })).json()).toMatchObject({
      target: { name: 'after' },
    })
    const mixed = await update({ target: { name: 'other' }, name: 'other', updateMask })
    expect(mixed.json()).toMatchObject({ code: 3, message: expect.stringContaining('target') })
  })

  it('cancels the scan of a target that is paused, individually or in a batch', async () => {
    const active = async (id: string) => {
      const started = await users.request({ method: 'POST', url: '/v1/scans', payload: { targetId: id } }, 'pia')
      return started.json<{ scan: { id: string } }>().scan.id
    }
    const [first, second] = [await users.target('pia'), await users.target('pia')]
    const ids = [await active(first.id), await active(second.id)]
    const pause = { paused: true, updateMask: { paths: ['paused'] } }
    const response = await users.request({ method: 'PATCH', url: `/v1/targets/${first.id}`, payload: pause }, 'pia')
    expect(response.json()).toMatchObject({ target: { lastScan: { status: 'STATUS_CANCELLED' } } })
    await users.request(
      { method: 'POST', url: '/v1/targets/batch/update', payload: { ids: [second.id], paused: true } },
      'pia',
    )
    for (const id of ids) {
      const scan = await users.request({ method: 'GET', url: `/v1/scans/${id}` }, 'pia')
      expect(scan.json()).toMatchObject({ scan: { progress: { failureReason: 'The target was paused' } } })
    }
  })

  it('deletes a target once, cancels its scan, and responds with 404 afterward', async () => {
    const { id } = await users.target('anna')
    const started = await users.request({ method: 'POST', url: '/v1/scans', payload: { targetId: id } })
    expect((await users.request({ method: 'DELETE', url: `/v1/targets/${id}` })).json()).toEqual({})
    const scan = await users.request({
      method: 'GET',
      url: `/v1/scans/${started.json<{ scan: { id: string } }>().scan.id}`,
    })
    expect(scan.json()).toMatchObject({ scan: { status: 'STATUS_CANCELLED' } })
    expect((await users.request({ method: 'DELETE', url: `/v1/targets/${id}` })).statusCode).toBe(404)
  })
})

describe('scans', () => {
  it('run one at a time per target; the conflict contains the active scan', async () => {
    const { id } = await users.target('anna')
    const first = await users.request({ method: 'POST', url: '/v1/scans', payload: { targetId: id } })
    expect(first.json()).toMatchObject({ scan: { status: 'STATUS_CREATED', type: 'TYPE_MANUAL' } })
    const scanId = first.json<{ scan: { id: string } }>().scan.id
    const second = await users.request({ method: 'POST', url: '/v1/scans', payload: { targetId: id } })
    expect(second.statusCode).toBe(409)
    expect(second.json()).toMatchObject({ code: 10, details: [{ metadata: { scanId } }] })
    const canceled = await users.request({ method: 'POST', url: `/v1/scans/${scanId}/cancel`, payload: {} })
    expect(canceled.json()).toMatchObject({ scan: { status: 'STATUS_CANCELLED' } })
    expect((await users.request({ method: 'POST', url: '/v1/scans', payload: { targetId: id } })).statusCode).toBe(200)
  })
})

describe('plans', () => {
  const change = (planId: string, numTargets = 1, person = 'carl') =>
    users.request(
      { method: 'PUT', url: '/v1/billing/subscription', payload: { planId, numTargets, period: 'PERIOD_MONTHLY' } },
      person,
    )

  it("limit the number of targets, and can't be reduced below the existing ones", async () => {
    const subscription = async () =>
      (await users.request({ method: 'GET', url: '/v1/billing/subscription' }, 'carl')).json<{
        subscription: Subscription
      }>().subscription
    const { total } = (await subscription()).quota.targets
    for (let number = 0; number < total; number++) await users.target('carl', `Target ${number}`)
    const further = { name: 'd', address: '127.90.1.1', schedule: { period: 'PERIOD_DAILY' } }
    const rejected = await users.request({ method: 'POST', url: '/v1/targets', payload: further }, 'carl')
    expect(rejected.statusCode).toBe(429)
    expect(rejected.json()).toMatchObject({
      code: 8,
      details: [{ violations: [{ subject: 'targets', description: `${total} of ${total}` }] }],
    })
    expect((await change('team', 150)).json()).toEqual({ redirectUrl: '' })
    expect((await users.request({ method: 'POST', url: '/v1/targets', payload: further }, 'carl')).statusCode).toBe(200)
    expect((await change('free')).statusCode).toBe(400)
    expect(await subscription()).toMatchObject({
      plan: { id: 'team' },
      period: 'PERIOD_MONTHLY',
      quota: { targets: { total: 150, used: total + 1 } },
    })
  })

  it.each([
    ['team', 0],
    ['team', -1],
    ['starter', 101],
    ['gold', 5],
  ] as const)('reject %s with %i targets', async (plan, targets) => {
    expect((await change(plan, targets, 'dora')).statusCode).toBe(400)
  })

  it('refund a scan that was canceled before it started', async () => {
    const { id } = await users.target('emil')
    const used: number[] = []
    for (let round = 0; round < 6; round++) {
      const started = await users.request({ method: 'POST', url: '/v1/scans', payload: { targetId: id } }, 'emil')
      used.push(started.statusCode)
      await users.request(
        { method: 'POST', url: `/v1/scans/${started.json<{ scan: { id: string } }>().scan.id}/cancel`, payload: {} },
        'emil',
      )
    }
    expect(used).toEqual([200, 200, 200, 200, 200, 200])
  })
})

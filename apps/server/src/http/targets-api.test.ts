import type { Subscription } from '@glacis/contract/account'
import { afterAll, describe, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { openAsking } from '#testing/asking.ts'

const asking = await openAsking()
afterAll(() => asking.close())

describe('targets', () => {
  it('takes a question mark in a filter for text, and forgets nothing that follows it', async () => {
    await asking.target('quinn', 'What?')
    await asking.target('quinn', 'What else', '127.90.1.2')
    const found = async (query: string) => {
      const answer = await asking.ask({ url: `/v1/targets?filter.query=${query}` }, 'quinn')
      return answer.json<{ targets: unknown[] }>().targets.length
    }
    expect(await found('What?')).toBe(1)
    expect(await found('What?&filter.periods=PERIOD_WEEKLY')).toBe(0)
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
  ])('refuses %j and names %s', async (payload, field) => {
    const answer = await asking.ask({
      method: 'POST',
      url: '/v1/targets',
      payload: { schedule: { period: 'PERIOD_DAILY' }, tags: [], ...payload },
    })
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ code: 3, details: [{ fieldViolations: [{ field }] }] })
  })

  it.each([1, 128])('takes a name of %i characters', async (length) => {
    expect(await asking.target('anna', 'x'.repeat(length))).toMatchObject({ name: 'x'.repeat(length) })
  })

  it.each([
    ['example.CH', 'example.ch'],
    ['127.90.1.0/24', '127.90.1.0/24'],
    ['::1', '::1'],
    ['127.90.1.1-127.90.1.9', '127.90.1.1-127.90.1.9'],
    ['https://example.ch:8443/app', 'https://example.ch:8443/app'],
  ])('stores %s as %s', async (address, stored) => {
    expect(await asking.target('anna', 'a', address)).toMatchObject({ address: stored })
  })

  it('takes the members wrapped in their name too', async () => {
    const wrapped = { target: { name: 'w', address: '127.90.1.1', schedule: { period: 'PERIOD_DAILY' } } }
    expect((await asking.ask({ method: 'POST', url: '/v1/targets', payload: wrapped })).statusCode).toBe(200)
  })

  it('changes what the mask names and nothing else', async () => {
    const { id } = await asking.target('anna')
    const payload = { name: 'New', schedule: { period: 'PERIOD_MONTHLY' }, tags: [], updateMask: { paths: ['name'] } }
    const answer = await asking.ask({ method: 'PATCH', url: `/v1/targets/${id}`, payload })
    expect(answer.json()).toMatchObject({ target: { name: 'New', schedule: { period: 'PERIOD_DAILY' } } })
    const unknown = await asking.ask({
      method: 'PATCH',
      url: `/v1/targets/${id}`,
      payload: { ...payload, updateMask: { paths: ['address'] } },
    })
    expect(unknown.statusCode).toBe(400)
  })

  it('stops the scan of a target that is paused, alone or among many', async () => {
    const active = async (id: string) => {
      const started = await asking.ask({ method: 'POST', url: '/v1/scans', payload: { targetId: id } }, 'pia')
      return started.json<{ scan: { id: string } }>().scan.id
    }
    const [one, two] = [await asking.target('pia'), await asking.target('pia')]
    const ids = [await active(one.id), await active(two.id)]
    const pause = { paused: true, updateMask: { paths: ['paused'] } }
    const answer = await asking.ask({ method: 'PATCH', url: `/v1/targets/${one.id}`, payload: pause }, 'pia')
    expect(answer.json()).toMatchObject({ target: { lastScan: { status: 'STATUS_CANCELLED' } } })
    await asking.ask(
      { method: 'POST', url: '/v1/targets/batch/update', payload: { ids: [two.id], paused: true } },
      'pia',
    )
    for (const id of ids) {
      const scan = await asking.ask({ method: 'GET', url: `/v1/scans/${id}` }, 'pia')
      expect(scan.json()).toMatchObject({ scan: { progress: { failureReason: 'The target was paused' } } })
    }
  })

  it('deletes once, cancels the scan that runs, and answers 404 afterwards', async () => {
    const { id } = await asking.target('anna')
    const started = await asking.ask({ method: 'POST', url: '/v1/scans', payload: { targetId: id } })
    expect((await asking.ask({ method: 'DELETE', url: `/v1/targets/${id}` })).json()).toEqual({})
    const scan = await asking.ask({
      method: 'GET',
      url: `/v1/scans/${started.json<{ scan: { id: string } }>().scan.id}`,
    })
    expect(scan.json()).toMatchObject({ scan: { status: 'STATUS_CANCELLED' } })
    expect((await asking.ask({ method: 'DELETE', url: `/v1/targets/${id}` })).statusCode).toBe(404)
  })

  it('pages through a list without gaps or repeats, and refuses a token of another question', async () => {
    const made = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => asking.target('pager', name)))
    const seen: string[] = []
    let pageToken = ''
    do {
      const answer = await asking.ask(
        { method: 'GET', url: `/v1/targets?pageSize=2${pageToken && `&pageToken=${pageToken}`}` },
        'pager',
      )
      const body = answer.json<{ targets: { id: string }[]; nextPageToken: string }>()
      seen.push(...body.targets.map((one) => one.id))
      pageToken = body.nextPageToken
    } while (pageToken && seen.length < 20)
    expect(seen.toSorted()).toEqual(made.map((one) => one.id).toSorted())
    const first = await asking.ask({ method: 'GET', url: '/v1/targets?pageSize=2' }, 'pager')
    const { nextPageToken } = first.json<{ nextPageToken: string }>()
    const other = await asking.ask(
      { method: 'GET', url: `/v1/targets?pageSize=2&filter.query=a&pageToken=${nextPageToken}` },
      'pager',
    )
    expect(other.statusCode).toBe(400)
  })
})

describe('scans', () => {
  it('runs one per target at a time and names the one that stands in the way', async () => {
    const { id } = await asking.target('anna')
    const first = await asking.ask({ method: 'POST', url: '/v1/scans', payload: { targetId: id } })
    expect(first.json()).toMatchObject({ scan: { status: 'STATUS_CREATED', type: 'TYPE_MANUAL' } })
    const scanId = first.json<{ scan: { id: string } }>().scan.id
    const second = await asking.ask({ method: 'POST', url: '/v1/scans', payload: { targetId: id } })
    expect(second.statusCode).toBe(409)
    expect(second.json()).toMatchObject({ code: 10, details: [{ metadata: { scanId } }] })
    const cancelled = await asking.ask({ method: 'POST', url: `/v1/scans/${scanId}/cancel`, payload: {} })
    expect(cancelled.json()).toMatchObject({ scan: { status: 'STATUS_CANCELLED' } })
    expect((await asking.ask({ method: 'POST', url: '/v1/scans', payload: { targetId: id } })).statusCode).toBe(200)
  })
})

describe('plans', () => {
  const change = (planId: string, numTargets = 1, person = 'carl') =>
    asking.ask(
      { method: 'PUT', url: '/v1/billing/subscription', payload: { planId, numTargets, period: 'PERIOD_MONTHLY' } },
      person,
    )

  it('holds as many targets as the plan says, more after a change, and never fewer than exist', async () => {
    const subscription = async () =>
      (await asking.ask({ method: 'GET', url: '/v1/billing/subscription' }, 'carl')).json<{
        subscription: Subscription
      }>().subscription
    const { total } = (await subscription()).quota.targets
    for (let number = 0; number < total; number++) await asking.target('carl', `Target ${number}`)
    const further = { name: 'd', address: '127.90.1.1', schedule: { period: 'PERIOD_DAILY' } }
    const refused = await asking.ask({ method: 'POST', url: '/v1/targets', payload: further }, 'carl')
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({
      code: 8,
      details: [{ violations: [{ subject: 'targets', description: `${total} of ${total}` }] }],
    })
    expect((await change('team', 150)).json()).toEqual({ redirectUrl: '' })
    expect((await asking.ask({ method: 'POST', url: '/v1/targets', payload: further }, 'carl')).statusCode).toBe(200)
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
  ] as const)('refuses %s with %i targets', async (plan, targets) => {
    expect((await change(plan, targets, 'dora')).statusCode).toBe(400)
  })

  it('counts a scan that was cancelled before it looked at anything back', async () => {
    const { id } = await asking.target('emil')
    const used: number[] = []
    for (let round = 0; round < 6; round++) {
      const started = await asking.ask({ method: 'POST', url: '/v1/scans', payload: { targetId: id } }, 'emil')
      used.push(started.statusCode)
      await asking.ask(
        { method: 'POST', url: `/v1/scans/${started.json<{ scan: { id: string } }>().scan.id}/cancel`, payload: {} },
        'emil',
      )
    }
    expect(used).toEqual([200, 200, 200, 200, 200, 200])
  })
})

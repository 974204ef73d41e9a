import { hasQuery, pathParameters, type Endpoint } from '@glacis/contract/endpoint'
import type { Subscription } from '@glacis/contract/account'
import { speakOwnMessages } from '@glacis/contract/validation-messages'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { type House, openHouse } from '#testing/house.ts'
import { sql } from 'kysely'

let house: House
let api: TestApi
let app: FastifyInstance
let endpoints: readonly Endpoint[]
const origin = 'http://localhost:3000'

beforeAll(async () => {
  speakOwnMessages()
  house = await openHouse()
  api = await openTestApi(house, origin)
  ;({ app, endpoints } = api)
  await app.ready()
})
afterAll(async () => {
  await api.close()
  await house.close()
})

const ask = (options: InjectOptions, person: string | null = 'anna') =>
  app.inject({ ...options, headers: { origin, ...(person && { 'x-person': person }), ...options.headers } })

async function target(person: string, name = 'Web', address = '127.90.1.1') {
  const answer = await ask(
    { method: 'POST', url: '/v1/targets', payload: { name, address, schedule: { period: 'PERIOD_DAILY' }, tags: [] } },
    person,
  )
  expect(answer.statusCode).toBe(200)
  return answer.json<{ target: { id: string } }>().target
}

describe('targets', () => {
  it('takes a question mark in a filter for text, and forgets nothing that follows it', async () => {
    await target('quinn', 'What?')
    await target('quinn', 'What else', '127.90.1.2')
    const found = async (query: string) =>
      (await ask({ url: `/v1/targets?filter.query=${query}` }, 'quinn')).json<{ targets: unknown[] }>().targets.length
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
    const answer = await ask({
      method: 'POST',
      url: '/v1/targets',
      payload: { schedule: { period: 'PERIOD_DAILY' }, tags: [], ...payload },
    })
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ code: 3, details: [{ fieldViolations: [{ field }] }] })
  })

  it.each([1, 128])('takes a name of %i characters', async (length) => {
    expect(await target('anna', 'x'.repeat(length))).toMatchObject({ name: 'x'.repeat(length) })
  })

  it.each([
    ['example.CH', 'example.ch'],
    ['127.90.1.0/24', '127.90.1.0/24'],
    ['::1', '::1'],
    ['127.90.1.1-127.90.1.9', '127.90.1.1-127.90.1.9'],
    ['https://example.ch:8443/app', 'https://example.ch:8443/app'],
  ])('stores %s as %s', async (address, stored) => {
    expect(await target('anna', 'a', address)).toMatchObject({ address: stored })
  })

  it('takes the members wrapped in their name too', async () => {
    const wrapped = { target: { name: 'w', address: '127.90.1.1', schedule: { period: 'PERIOD_DAILY' } } }
    expect((await ask({ method: 'POST', url: '/v1/targets', payload: wrapped })).statusCode).toBe(200)
  })

  it('changes what the mask names and nothing else', async () => {
    const { id } = await target('anna')
    const payload = { name: 'New', schedule: { period: 'PERIOD_MONTHLY' }, tags: [], updateMask: { paths: ['name'] } }
    const answer = await ask({ method: 'PATCH', url: `/v1/targets/${id}`, payload })
    expect(answer.json()).toMatchObject({ target: { name: 'New', schedule: { period: 'PERIOD_DAILY' } } })
    const unknown = await ask({
      method: 'PATCH',
      url: `/v1/targets/${id}`,
      payload: { ...payload, updateMask: { paths: ['address'] } },
    })
    expect(unknown.statusCode).toBe(400)
  })

  it('stops the scan of a target that is paused, alone or among many', async () => {
    const active = async (id: string) => {
      const started = await ask({ method: 'POST', url: '/v1/scans', payload: { targetId: id } }, 'pia')
      return started.json<{ scan: { id: string } }>().scan.id
    }
    const [one, two] = [await target('pia'), await target('pia')]
    const ids = [await active(one.id), await active(two.id)]
    const pause = { paused: true, updateMask: { paths: ['paused'] } }
    const answer = await ask({ method: 'PATCH', url: `/v1/targets/${one.id}`, payload: pause }, 'pia')
    expect(answer.json()).toMatchObject({ target: { lastScan: { status: 'STATUS_CANCELLED' } } })
    await ask({ method: 'POST', url: '/v1/targets/batch/update', payload: { ids: [two.id], paused: true } }, 'pia')
    for (const id of ids) {
      const scan = await ask({ method: 'GET', url: `/v1/scans/${id}` }, 'pia')
      expect(scan.json()).toMatchObject({ scan: { progress: { failureReason: 'The target was paused' } } })
    }
  })

  it('deletes once, cancels the scan that runs, and answers 404 afterwards', async () => {
    const { id } = await target('anna')
    const started = await ask({ method: 'POST', url: '/v1/scans', payload: { targetId: id } })
    expect((await ask({ method: 'DELETE', url: `/v1/targets/${id}` })).json()).toEqual({})
    const scan = await ask({ method: 'GET', url: `/v1/scans/${started.json<{ scan: { id: string } }>().scan.id}` })
    expect(scan.json()).toMatchObject({ scan: { status: 'STATUS_CANCELLED' } })
    expect((await ask({ method: 'DELETE', url: `/v1/targets/${id}` })).statusCode).toBe(404)
  })

  it('pages through a list without gaps or repeats, and refuses a token of another question', async () => {
    const made = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => target('pager', name)))
    const seen: string[] = []
    let pageToken = ''
    do {
      const answer = await ask(
        { method: 'GET', url: `/v1/targets?pageSize=2${pageToken && `&pageToken=${pageToken}`}` },
        'pager',
      )
      const body = answer.json<{ targets: { id: string }[]; nextPageToken: string }>()
      seen.push(...body.targets.map((one) => one.id))
      pageToken = body.nextPageToken
    } while (pageToken && seen.length < 20)
    expect(seen.toSorted()).toEqual(made.map((one) => one.id).toSorted())
    const first = await ask({ method: 'GET', url: '/v1/targets?pageSize=2' }, 'pager')
    const { nextPageToken } = first.json<{ nextPageToken: string }>()
    const other = await ask(
      { method: 'GET', url: `/v1/targets?pageSize=2&filter.query=a&pageToken=${nextPageToken}` },
      'pager',
    )
    expect(other.statusCode).toBe(400)
  })
})

describe('a request with an Idempotency-Key', () => {
  const payload = { name: 'Once', address: '127.90.3.1', schedule: { period: 'PERIOD_DAILY' }, tags: [] }
  const post = (key: string, body: object = payload, url = '/v1/targets', who = 'ida') =>
    ask({ method: 'POST', url, payload: body, headers: { 'idempotency-key': key } }, who)
  const names = async (who = 'ida') =>
    (await ask({ method: 'GET', url: '/v1/targets?pageSize=500' }, who)).json<{ targets: object[] }>().targets.length

  it('is done once, also when both come at the same time, and answers the same', async () => {
    const before = await names()
    const answers = await Promise.all([post('a'), post('a')])
    const later = await post('a')
    expect(answers.map((answer) => answer.statusCode)).toEqual([200, 200])
    expect(new Set([...answers, later].map((answer) => answer.json<{ target: { id: string } }>().target.id)).size).toBe(
      1,
    )
    expect(await names()).toBe(before + 1)
  })

  it('refuses the key for another body, another call and a key that is none', async () => {
    const { id } = (await post('b')).json<{ target: { id: string } }>().target
    const others = [await post('b', { ...payload, name: 'Other' }), await post('b', { targetId: id }, '/v1/scans')]
    expect(others.map((answer) => [answer.statusCode, answer.json<{ code: number }>().code])).toEqual([
      [409, 10],
      [409, 10],
    ])
    expect((await post('x'.repeat(256))).statusCode).toBe(400)
  })

  it('gives the scan that it started, and no refusal because that is active', async () => {
    const { id } = (await post('c')).json<{ target: { id: string } }>().target
    const [first, again] = [
      await post('d', { targetId: id }, '/v1/scans'),
      await post('d', { targetId: id }, '/v1/scans'),
    ]
    expect(again.json()).toEqual(first.json())
    expect((await post('e', { targetId: id }, '/v1/scans')).statusCode).toBe(409)
  })

  it('may be sent again after a refusal, and means nothing in another account', async () => {
    expect((await post('f', { ...payload, address: 'foo bar' })).statusCode).toBe(400)
    expect((await post('f')).statusCode).toBe(200)
    expect((await post('f', { ...payload, name: 'Mine' }, '/v1/targets', 'jan')).statusCode).toBe(200)
  })
})

describe('plans', () => {
  const change = (planId: string, numTargets = 1, person = 'carl') =>
    ask(
      { method: 'PUT', url: '/v1/billing/subscription', payload: { planId, numTargets, period: 'PERIOD_MONTHLY' } },
      person,
    )

  it('holds as many targets as the plan says, more after a change, and never fewer than exist', async () => {
    const subscription = async () =>
      (await ask({ method: 'GET', url: '/v1/billing/subscription' }, 'carl')).json<{ subscription: Subscription }>()
        .subscription
    const { total } = (await subscription()).quota.targets
    for (let number = 0; number < total; number++) await target('carl', `Target ${number}`)
    const further = { name: 'd', address: '127.90.1.1', schedule: { period: 'PERIOD_DAILY' } }
    const refused = await ask({ method: 'POST', url: '/v1/targets', payload: further }, 'carl')
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({
      code: 8,
      details: [{ violations: [{ subject: 'targets', description: `${total} of ${total}` }] }],
    })
    expect((await change('team', 150)).json()).toEqual({ redirectUrl: '' })
    expect((await ask({ method: 'POST', url: '/v1/targets', payload: further }, 'carl')).statusCode).toBe(200)
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
    const { id } = await target('emil')
    const used: number[] = []
    for (let round = 0; round < 6; round++) {
      const started = await ask({ method: 'POST', url: '/v1/scans', payload: { targetId: id } }, 'emil')
      used.push(started.statusCode)
      await ask(
        { method: 'POST', url: `/v1/scans/${started.json<{ scan: { id: string } }>().scan.id}/cancel`, payload: {} },
        'emil',
      )
    }
    expect(used).toEqual([200, 200, 200, 200, 200, 200])
  })
})

describe('scans', () => {
  it('runs one per target at a time and names the one that stands in the way', async () => {
    const { id } = await target('anna')
    const first = await ask({ method: 'POST', url: '/v1/scans', payload: { targetId: id } })
    expect(first.json()).toMatchObject({ scan: { status: 'STATUS_CREATED', type: 'TYPE_MANUAL' } })
    const scanId = first.json<{ scan: { id: string } }>().scan.id
    const second = await ask({ method: 'POST', url: '/v1/scans', payload: { targetId: id } })
    expect(second.statusCode).toBe(409)
    expect(second.json()).toMatchObject({ code: 10, details: [{ metadata: { scanId } }] })
    const cancelled = await ask({ method: 'POST', url: `/v1/scans/${scanId}/cancel`, payload: {} })
    expect(cancelled.json()).toMatchObject({ scan: { status: 'STATUS_CANCELLED' } })
    expect((await ask({ method: 'POST', url: '/v1/scans', payload: { targetId: id } })).statusCode).toBe(200)
  })
})

describe('the door', () => {
  it('accepts changes from our own pages only', async () => {
    const payload = { addresses: ['127.0.0.1'] }
    const foreign = await ask({
      method: 'POST',
      url: '/v1/targets/parse',
      payload,
      headers: { origin: 'https://evil.example' },
    })
    expect(foreign.statusCode).toBe(403)
    expect((await ask({ method: 'POST', url: '/v1/targets/parse', payload })).statusCode).toBe(200)
  })

  it.each([
    '/v1/targets?nonsense=1',
    '/v1/issues?filter.nonsense=1',
    '/v1/issues?pageSize=0',
    '/v1/issues?pageSize=501',
    '/v1/issues?pageToken=%00',
    '/v1/issues?filter.query=%00',
    '/v1/products?filter.vendor=%00',
  ])('answers %s with 400 and where it is wrong', async (url) => {
    const answer = await ask({ method: 'GET', url })
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ code: 3, details: [{ fieldViolations: [{}] }] })
  })

  it('says what is wrong in the words of the product', async () => {
    const answer = await ask({ method: 'POST', url: '/v1/targets', payload: { name: '', schedule: { period: 'X' } } })
    const told = answer.json<{ details: [{ fieldViolations: { field: string; description: string }[] }] }>()
    expect(Object.fromEntries(told.details[0].fieldViolations.map((one) => [one.field, one.description]))).toEqual({
      name: 'String must contain at least 1 character(s)',
      address: 'Required',
      'schedule.period': "Invalid enum value. Expected 'PERIOD_DAILY' | 'PERIOD_WEEKLY' | 'PERIOD_MONTHLY'",
    })
  })

  it('answers a body that is no JSON with 400', async () => {
    const answer = await ask({
      method: 'POST',
      url: '/v1/targets',
      payload: '{',
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.statusCode).toBe(400)
  })
})

/** Ids of things of anna's, for bert to try. */
async function thingsOfAnna(): Promise<Record<string, string>> {
  const { id } = await target('anna', 'Walk', '127.90.2.2')
  const started = await ask({ method: 'POST', url: '/v1/scans', payload: { targetId: id } })
  const scans = started.json<{ scan: { id: string } }>().scan.id
  const agent = await ask({ method: 'POST', url: '/v1/agents', payload: { agent: { name: 'Walk' } } })
  const agents = agent.json<{ agent: { id: string } }>().agent.id
  return { targets: id, agents, scans, hosts: newId(), products: newId(), issues: newId() }
}

function sampleOf(endpoint: Endpoint, id: string): InjectOptions {
  const url = endpoint.path.replaceAll(/:\w+/g, id) + (endpoint.path === '/v1/software' ? '?query=apache' : '')
  const bodies: Record<string, object> = {
    'PATCH /v1/targets/:id': { name: 'x', updateMask: { paths: ['name'] } },
    'PUT /v1/issues/:id/status': { status: 'STATUS_RESOLVED' },
    'PUT /v1/issues/:id/affected-hosts/:hostId/status': { status: 'STATUS_RESOLVED' },
    'POST /v1/issues/batch/status': { ids: [id], status: 'STATUS_RESOLVED' },
    'PATCH /v1/issues/:id': { issue: { dueTime: null }, updateMask: { paths: ['dueTime'] } },
    'POST /v1/issues/:id/comments': { text: 'x' },
    'POST /v1/views': { view: { name: 'x', page: '/risks/verified', query: '' } },
    'PATCH /v1/views/:id': { view: { name: 'x' }, updateMask: { paths: ['name'] } },
    'POST /v1/targets': { name: 'x', address: '127.90.1.1', schedule: { period: 'PERIOD_DAILY' } },
    'POST /v1/targets/parse': { addresses: ['127.0.0.1'] },
    'POST /v1/scans': { targetId: id },
    'PUT /v1/billing/subscription': { planId: 'team', numTargets: 15, period: 'PERIOD_MONTHLY' },
    'POST /v1/notification-channels': { channel: { kind: 'KIND_EMAIL' } },
    'POST /v1/notification-channels/preview': { rule: { events: ['EVENT_ISSUE_OPENED'], minSeverity: 0 } },
    'PATCH /v1/notification-channels/:id': { channel: { isEnabled: false }, updateMask: { paths: ['isEnabled'] } },
    'POST /v1/api-tokens': { apiToken: { name: 'x', scopes: ['SCOPE_READ'] } },
    'POST /v1/agents': { agent: { name: 'x' } },
    'PATCH /v1/agents/:id': { agent: { name: 'x' }, updateMask: { paths: ['name'] } },
    'POST /v1/tags': { tag: { name: 'x', color: 1 } },
    'POST /v1/products': { name: 'x', wfn: { vendor: 'x', product: 'x' } },
    'PATCH /v1/products/:id': {
      product: { minNotificationSeverity: 5 },
      updateMask: { paths: ['minNotificationSeverity'] },
    },
    'PATCH /v1/tags/:id': { tag: { color: 1 }, updateMask: { paths: ['color'] } },
    'PATCH /v1/hosts/:id': { host: { owner: 'x' }, updateMask: { paths: ['owner'] } },
    'POST /v1/hosts/:id/merge': { sourceHostIds: [newId()] },
  }
  return {
    method: endpoint.method,
    url: endpoint.path === '/v1/search' ? `${url}?query=x` : url,
    ...(!hasQuery(endpoint.method) && { payload: bodies[`${endpoint.method} ${endpoint.path}`] ?? {} }),
  }
}

describe('every call of the contract', () => {
  it('is refused without a session', async () => {
    for (const endpoint of endpoints) {
      const answer = await ask(sampleOf(endpoint, newId()), null)
      expect([endpoint.path, answer.statusCode]).toEqual([endpoint.path, 401])
    }
  })

  it('knows nothing of what belongs to another account', async () => {
    const ids = await thingsOfAnna()
    for (const endpoint of endpoints.filter((one) => pathParameters(one.path).length > 0 || one.path === '/v1/scans')) {
      const id = ids[endpoint.path.split('/')[2] ?? ''] ?? newId()
      if (endpoint.method === 'GET' && endpoint.path === '/v1/scans') continue
      const answer = await ask(sampleOf(endpoint, endpoint.path === '/v1/scans' ? (ids['targets'] ?? '') : id), 'bert')
      expect([endpoint.method, endpoint.path, answer.statusCode]).toEqual([endpoint.method, endpoint.path, 404])
    }
    expect(
      (await ask({ method: 'GET', url: `/v1/scans?filter.targetId=${ids['targets']}` }, 'bert')).json(),
    ).toMatchObject({ scans: [] })
    expect((await ask({ method: 'GET', url: `/v1/targets/${ids['targets']}` })).json()).toMatchObject({
      target: { name: 'Walk' },
    })
  })

  it('answers in the shape that the contract promises', async () => {
    const ids = await thingsOfAnna()
    for (const endpoint of endpoints.filter((one) => one.method === 'GET')) {
      const id = ids[endpoint.path.split('/')[2] ?? ''] ?? newId()
      const answer = await ask(sampleOf(endpoint, id))
      if (answer.statusCode === 404) continue
      expect([endpoint.path, answer.statusCode]).toEqual([endpoint.path, 200])
      expect(() => endpoint.result.parse(answer.json())).not.toThrow()
    }
  })

  it('stands in the OpenAPI document', async () => {
    const document = (await app.inject({ url: '/v1/openapi.json' })).json<{
      openapi: string
      paths: Record<string, Record<string, object>>
    }>()
    expect(document.openapi).toBe('3.1.0')
    for (const endpoint of endpoints) {
      expect(document.paths[endpoint.path.replaceAll(/:(\w+)/g, '{$1}')]?.[endpoint.method.toLowerCase()]).toBeDefined()
    }
  })
})

describe('a page token', () => {
  it('leads on in the list that gave it out, and is refused by every other', async () => {
    for (const name of ['one', 'two']) await target('pager', name)
    const get = (url: string) => ask({ method: 'GET', url }, 'pager')
    const first = await get('/v1/targets?pageSize=1')
    const { nextPageToken } = first.json<{ nextPageToken: string }>()
    expect(nextPageToken).not.toBe('')
    const lists = endpoints.filter(
      ({ method, path, input }) => method === 'GET' && 'pageToken' in input.shape && pathParameters(path).length === 0,
    )
    expect(lists.length).toBeGreaterThan(5)
    for (const { path } of lists) {
      const query = path === '/v1/search' ? 'query=a&' : ''
      const { statusCode } = await get(`${path}?${query}pageToken=${nextPageToken}`)
      expect([path, statusCode]).toEqual([path, path === '/v1/targets' ? 200 : 400])
    }
  })
})

describe('the export of issues', () => {
  it('is a file with a name and the kind that was asked for', async () => {
    const csv = await ask({ method: 'GET', url: '/v1/issues/export?columns=id&columns=name' })
    expect([csv.statusCode, csv.headers['content-type'], csv.body]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'id,name\r\n',
    ])
    expect(csv.headers['content-disposition']).toMatch(/^attachment; filename="glacis-risks-\d{4}-\d\d-\d\d\.csv"$/)
    const json = await ask({ method: 'GET', url: '/v1/issues/export?format=json&filter.kev=true' })
    expect(json.json()).toEqual({ issues: [] })
  })

  it('gives technologies as a table and as a bill of materials', async () => {
    const wfn = { part: 'a', vendor: 'f5', product: 'nginx' }
    const watched = (name: string, version: string) =>
      ask({ method: 'POST', url: '/v1/products', payload: { name, version, wfn } })
    expect((await watched('=nginx', '1.22.1')).statusCode).toBe(200)
    await watched('nginx', '1.24.0')
    const url = '/v1/products/export?filter.vendor=f5&filter.product=nginx'
    const csv = await ask({ method: 'GET', url })
    expect(csv.headers['content-disposition']).toMatch(/filename="glacis-technologies-\d{4}-\d\d-\d\d\.csv"$/)
    const [head, ...rows] = csv.body.trim().split('\r\n')
    expect(head).toMatch(/^name,version,vendor,product,cpe,hosts,/)
    // What begins like a formula is text to a spreadsheet.
    expect(rows.map((row) => row.split(',').slice(0, 4).join(' '))).toEqual([
      "'=nginx 1.22.1 f5 nginx",
      'nginx 1.24.0 f5 nginx',
    ])
    const bill = await ask({ method: 'GET', url: `${url}&format=cyclonedx` })
    expect(bill.headers['content-type']).toContain('application/vnd.cyclonedx+json')
    expect(bill.json()).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      components: [{ type: 'application', version: '1.22.1' }, { cpe: 'cpe:2.3:a:f5:nginx:1.24.0:*:*:*:*:*:*:*' }],
    })
    expect((await ask({ method: 'GET', url: '/v1/products/export?filter.product=apache' })).body.trim()).toBe(head)
    expect((await ask({ method: 'GET', url }, null)).statusCode).toBe(401)
    for (const query of ['format=xml', 'filter.query=a%00'])
      expect((await ask({ method: 'GET', url: `/v1/products/export?${query}` })).statusCode).toBe(400)
  })

  it('is refused without a session, and where the question makes no sense', async () => {
    expect((await ask({ method: 'GET', url: '/v1/issues/export' }, null)).statusCode).toBe(401)
    for (const query of ['format=xml', 'columns=secret', 'filter.nonsense=1', 'nonsense=1', 'filter.query=%00'])
      expect([query, (await ask({ method: 'GET', url: `/v1/issues/export?${query}` })).statusCode]).toEqual([
        query,
        400,
      ])
  })
})

describe('row-level security', () => {
  it('shows no row of any table to a transaction that names no account', async () => {
    await target('anna')
    const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'account_id'`.execute(house.database.owner)
    expect(tables.length).toBeGreaterThan(10)
    for (const { name } of tables) {
      const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(house.database.app)
      expect([name, rows.length]).toEqual([name, 0])
    }
  })

  it('hides the rows of one account from another even when a query forgets to ask', async () => {
    await target('anna')
    const bert = await house.account()
    const rows = await house.as(bert, (ctx) => ctx.tx.selectFrom('target').selectAll().execute())
    expect(rows).toEqual([])
  })
})

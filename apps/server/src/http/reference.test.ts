import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { referencePage } from '#http/reference.ts'
import { membersOf, typeOf } from '#http/reference-types.ts'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { type House, openHouse } from '#testing/house.ts'

let house: House
let api: TestApi
beforeAll(async () => {
  house = await openHouse()
  api = await openTestApi(house, 'http://localhost:3000')
})
afterAll(async () => {
  await api.close()
  await house.close()
})

it('shows each call with what it takes, how a shell sends it, and what it answers', async () => {
  const { body, headers } = await api.app.inject({ url: '/docs/api' })
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  const document = (await api.app.inject({ url: '/v1/openapi.json' })).json<{
    paths: Record<string, Record<string, { operationId: string }>>
  }>()
  const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map((one) => one.operationId))
  expect(ids.filter((id) => !body.includes(`<article id="${id}">`) || !body.includes(`<a href="#${id}"><b>`))).toEqual(
    [],
  )
  const [made = ''] = /<article id="postTargets">.*?<\/article>/s.exec(body) ?? []
  expect(made).toContain(
    '<code>schedule.allowedHours.timeZone</code><small>required</small></td><td>text, 1 to 64 characters',
  )
  expect(made).toContain('curl -X POST &#39;http://localhost:3000/v1/targets&#39;'.replaceAll('&#39;', "'"))
  expect(made).toContain('Authorization: Bearer $GLACIS_TOKEN')
  expect(made).toContain('<code>target.schedule.period</code>')
  expect(/<article id="getIssuesExport">.*?<\/article>/s.exec(body)?.[0]).toContain('<code>text/csv</code>')
})

it.each(['/docs', '/docs/'])('is what %s leads to', async (url) => {
  const { statusCode, headers } = await api.app.inject({ url })
  expect([statusCode, headers.location]).toEqual([302, '/docs/api'])
})

it('travels packed to whoever takes it so', async () => {
  const plain = await api.app.inject({ url: '/docs/api' })
  const packed = await api.app.inject({ url: '/docs/api', headers: { 'accept-encoding': 'br, gzip' } })
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: expect.stringContaining('accept-encoding') })
  expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body)
  expect(packed.rawPayload.length * 5).toBeLessThan(plain.rawPayload.length)
})

it('takes no markup from the document', () => {
  const schema = { type: 'object', properties: { '<i>': { type: 'string', description: '`<b>`' } } }
  const operation = {
    operationId: 'x',
    tags: ['a'],
    summary: 'Send `Origin`, never <i>x</i>.',
    requestBody: { content: { 'application/json': { schema, example: { '<i>': '</pre>' } } } },
  }
  const shown = referencePage({ tags: [{ name: 'a', description: '<u>' }], paths: { '/v1/<s>': { post: operation } } })
  expect(shown).toContain('Send <code>Origin</code>, never &lt;i&gt;x&lt;/i&gt;.')
  expect(shown).toContain('<code>&lt;i&gt;</code></td><td>text</td><td><code>&lt;b&gt;</code></td>')
  expect(shown).not.toMatch(/<(i|b|s|u)>(?!POST)/)
})

it.each([
  [{ type: 'integer', minimum: 1, maximum: 500 }, 'integer, 1 to 500'],
  [{ type: 'number', minimum: 0 }, 'number, 0 or more'],
  [{ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }, 'integer'],
  [{ type: 'string', maxLength: 200 }, 'text, at most 200 characters'],
  [{ type: 'string', format: 'uuid' }, 'id'],
  [{ type: 'array', items: { enum: ['A', 'B'] }, minItems: 1, maxItems: 3 }, 'list of A | B (1 to 3 of them)'],
  [{ anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] }, 'time or null'],
  [{ const: 'STATE_BUILDING' }, 'STATE_BUILDING'],
])('says %j in words', (schema, words) => {
  expect(typeOf(schema)).toBe(words)
})

it('names what is in lists, and in what may be null', () => {
  const host = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
  const schema = {
    type: 'object',
    properties: { hosts: { type: 'array', items: host }, last: { anyOf: [host, { type: 'null' }] } },
  }
  expect(membersOf(schema).map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ['hosts', false],
    ['hosts[].id', true],
    ['last', false],
    ['last.id', true],
  ])
})

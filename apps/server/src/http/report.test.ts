import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { sharedTestApi } from '#testing/api.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const origin = 'http://localhost:3000'
const server = await sharedTestServer()
const api = await sharedTestApi(server, origin)
let report: string

beforeAll(async () => {
  report = await reportOf('127.90.4.1')
})

/** The report URL of a scan that has just completed. */
async function reportOf(address: string): Promise<string> {
  const post = (url: string, payload: object) =>
    api.app.inject({ method: 'POST', url, payload, headers: { origin, 'x-person': 'anna' } })
  const target = { name: 'Web', address, schedule: { period: 'PERIOD_DAILY' } }
  const { id: targetId } = (await post('/v1/targets', target)).json<{ target: { id: string } }>().target
  const { id } = (await post('/v1/scans', { targetId })).json<{ scan: { id: string } }>().scan
  await post(`/v1/scans/${id}/cancel`, {})
  return `/v1/scans/${id}/report`
}

const get = (url: string, person?: string) => api.app.inject({ url, headers: person ? { 'x-person': person } : {} })

describe('the report URL', () => {
  it.each([
    ['?download=true', 'application/pdf', 'attachment', 'pdf'],
    ['', 'application/pdf', 'inline', 'pdf'],
    ['?download=true&format=json', 'application/json', 'attachment', 'json'],
    ['?download=true&format=sarif', 'application/sarif+json', 'attachment', 'sarif'],
  ])('responds to %j with %s, %s', async (query, type, disposition, ending) => {
    const { statusCode, headers, rawPayload } = await get(report + query, 'anna')
    expect([statusCode, String(headers['content-type']).split(';')[0]]).toEqual([200, type])
    expect(headers['content-disposition']).toMatch(new RegExp(`^${disposition}; filename="[\\w.-]+\\.${ending}"$`))
    expect(rawPayload.subarray(0, 5).toString()).toMatch(ending === 'pdf' ? /^%PDF-/ : /^\{/)
  })

  it.each([
    ['a request without a session', () => report, undefined, 401],
    ['another workspace', () => report, 'bert', 404],
    ['an unknown scan', () => `/v1/scans/${newId()}/report`, 'anna', 404],
    ['a malformed id', () => '/v1/scans/42/report', 'anna', 400],
    ['another format', () => `${report}?format=doc`, 'anna', 400],
  ])('rejects %s', async (_, url, person, status) => {
    expect((await get(url(), person)).statusCode).toBe(status)
  })

  it('responds with 202 while the report is built, and redirects browsers to the same URL', async () => {
    const request = (url: string, headers: Record<string, string>) =>
      api.app.inject({ url, headers: { 'x-person': 'anna', prefer: 'respond-async', ...headers } })
    const program = await request(await reportOf('127.90.4.2'), {})
    expect([program.statusCode, program.headers['retry-after'], program.json()]).toEqual([
      202,
      '1',
      { state: 'STATE_BUILDING' },
    ])
    const url = `${await reportOf('127.90.4.3')}?download=true`
    const browser = await request(url, { 'sec-fetch-mode': 'navigate' })
    expect([browser.statusCode, browser.headers.location]).toEqual([303, url])
    expect((await get(url, 'anna')).statusCode).toBe(200)
  })
})

import { afterAll, describe, expect, it } from 'vitest'
import { openTestUsers } from '#testing/test-users.ts'

const users = await openTestUsers()
afterAll(() => users.close())

describe('a request with an Idempotency-Key', () => {
  const payload = { name: 'Once', address: '127.90.3.1', schedule: { period: 'PERIOD_DAILY' }, tags: [] }
  const post = (key: string, body: object = payload, url = '/v1/targets', person = 'ida') =>
    users.request({ method: 'POST', url, payload: body, headers: { 'idempotency-key': key } }, person)
  const targetCount = async (person = 'ida') =>
    (await users.request({ method: 'GET', url: '/v1/targets?pageSize=500' }, person)).json<{ targets: object[] }>()
      .targets.length

  it('runs once, even if sent concurrently, and returns the same response', async () => {
    const before = await targetCount()
    const responses = await Promise.all([post('a'), post('a')])
    const later = await post('a')
    expect(responses.map((response) => response.statusCode)).toEqual([200, 200])
    expect(
      new Set([...responses, later].map((response) => response.json<{ target: { id: string } }>().target.id)).size,
    ).toBe(1)
    expect(await targetCount()).toBe(before + 1)
  })

  it('rejects a malformed key, and a key used with another body or call', async () => {
    const { id } = (await post('b')).json<{ target: { id: string } }>().target
    const conflicts = [await post('b', { ...payload, name: 'Other' }), await post('b', { targetId: id }, '/v1/scans')]
    expect(conflicts.map((response) => [response.statusCode, response.json<{ code: number }>().code])).toEqual([
      [409, 10],
      [409, 10],
    ])
    expect((await post('x'.repeat(256))).statusCode).toBe(400)
  })

  it('returns the scan it started instead of a conflict with that scan', async () => {
    const { id } = (await post('c')).json<{ target: { id: string } }>().target
    const [first, repeated] = [
      await post('d', { targetId: id }, '/v1/scans'),
      await post('d', { targetId: id }, '/v1/scans'),
    ]
    expect(repeated.json()).toEqual(first.json())
    expect((await post('e', { targetId: id }, '/v1/scans')).statusCode).toBe(409)
  })

  it('can be repeated after an error, and is independent per workspace', async () => {
    expect((await post('f', { ...payload, address: 'foo bar' })).statusCode).toBe(400)
    expect((await post('f')).statusCode).toBe(200)
    expect((await post('f', { ...payload, name: 'Mine' }, '/v1/targets', 'jan')).statusCode).toBe(200)
  })
})

import { afterAll, describe, expect, it } from 'vitest'
import { openAsking } from '#testing/asking.ts'

const asking = await openAsking()
afterAll(() => asking.close())

describe('a request with an Idempotency-Key', () => {
  const payload = { name: 'Once', address: '127.90.3.1', schedule: { period: 'PERIOD_DAILY' }, tags: [] }
  const post = (key: string, body: object = payload, url = '/v1/targets', who = 'ida') =>
    asking.ask({ method: 'POST', url, payload: body, headers: { 'idempotency-key': key } }, who)
  const names = async (who = 'ida') =>
    (await asking.ask({ method: 'GET', url: '/v1/targets?pageSize=500' }, who)).json<{ targets: object[] }>().targets
      .length

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

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReads } from '#http/reads.ts'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { type House, openHouse } from '#testing/house.ts'

/** Work that ends when it is told to; answers how often it has begun. */
function slow() {
  const ends: ((error?: Error) => void)[] = []
  const work = async () => {
    const number = ends.length + 1
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    ends.push((error) => (error ? reject(error) : resolve()))
    await promise
    return number
  }
  const end = async (index: number, error?: Error) => {
    while (!ends[index]) await Promise.resolve()
    ends[index](error)
  }
  return { work, end, begun: () => ends.length }
}
async function settled() {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

describe('equal reads', () => {
  it('share the next run and never the one that has begun', async () => {
    const [reads, { work, end, begun }] = [createReads(4), slow()]
    const first = reads.share('a', work)
    await settled()
    const later = [reads.share('a', work), reads.share('a', work)]
    await settled()
    expect(begun()).toBe(1)
    await end(0)
    expect(await first).toBe(1)
    await settled()
    const last = reads.share('a', work)
    await end(1)
    expect(await Promise.all(later)).toEqual([2, 2])
    await end(2)
    expect(await last).toBe(3)
  })

  it('fail together, and the next begins anew', async () => {
    const [reads, { work, end }] = [createReads(4), slow()]
    const both = Promise.allSettled([reads.share('a', work), reads.share('a', work)])
    await end(0, new Error('lost'))
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const next = reads.share('a', work)
    await end(1)
    expect(await next).toBe(2)
  })
})

it('runs different reads beside each other, so many at a time', async () => {
  const [reads, { work, end, begun }] = [createReads(2), slow()]
  const all = ['a', 'b', 'c'].map((question) => reads.share(question, work))
  await settled()
  expect(begun()).toBe(2)
  // While it waits for its turn, it has not begun.
  all.push(reads.share('c', work))
  for (const index of [0, 1, 2]) await end(index)
  expect(await Promise.all(all)).toEqual([1, 2, 3, 3])
})

describe('reads of the API', () => {
  let house: House
  let api: TestApi
  beforeAll(async () => {
    house = await openHouse()
    api = await openTestApi(house, 'http://localhost')
  })
  afterAll(async () => {
    await api.close()
    await house.close()
  })
  const namesOf = async (person: string) => {
    const answer = await api.app.inject({ url: '/v1/tags', headers: { 'x-person': person } })
    return answer.json<{ tags: { name: string }[] }>().tags.map(({ name }) => name)
  }
  const addTag = async (person: string, name: string) => {
    const payload = { tag: { name, color: 1 } }
    const answer = await api.app.inject({ method: 'POST', url: '/v1/tags', headers: { 'x-person': person }, payload })
    expect(answer.statusCode).toBe(200)
  }
  const crowd = (person: string) => Promise.all(Array.from({ length: 8 }, () => namesOf(person)))

  it('hold what was answered before they were sent, however many are under way', async () => {
    const earlier: Promise<string[][]>[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      earlier.push(crowd('anna'))
      await addTag('anna', name)
      for (const names of await crowd('anna')) expect(names).toContain(name)
    }
    await Promise.all(earlier)
  })

  it('are never shared by two accounts', async () => {
    await addTag('berta', 'of berta')
    const [ofBerta, ofCarla] = await Promise.all([crowd('berta'), crowd('carla')])
    expect(new Set(ofBerta.flat())).toEqual(new Set(['of berta']))
    expect(ofCarla.flat()).toEqual([])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId, stateOf } from '#database/index.ts'
import { type Answers, createAnswers } from '#http/answers.ts'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { type House, openHouse } from '#testing/house.ts'

describe('an answer', () => {
  const counted = () => {
    let count = 0
    return { work: async () => String(++count), count: () => count }
  }

  const read = async (answers: Answers, question: string, work: () => Promise<string>) =>
    (await answers.read(question, work)).toString()

  it('is given again while the database is as it was, to who asks the same', async () => {
    const [answers, { work, count }] = [createAnswers(async () => 'a'), counted()]
    expect(await read(answers, 'one', work)).toBe('1')
    expect(await read(answers, 'one', work)).toBe('1')
    expect(await read(answers, 'two', work)).toBe('2')
    expect(count()).toBe(2)
  })

  it('is called by the state before its work, so that one from the middle of a change is given once', async () => {
    let state = 'before'
    const answers = createAnswers(async () => state)
    const change = async () => {
      state = 'after'
      return 'half'
    }
    expect(await read(answers, 'one', change)).toBe('half')
    expect(await read(answers, 'one', async () => 'whole')).toBe('whole')
  })

  it('that is being worked out is waited for, unless the database has moved on', async () => {
    let state = 'a'
    const answers = createAnswers(async () => state)
    const [first, later] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
    const waiting = [
      answers.read('one', () => first.promise),
      answers.read('one', () => Promise.reject(new Error('twice'))),
    ]
    state = 'b'
    waiting.push(answers.read('one', () => later.promise))
    first.resolve('old')
    await waiting[0]
    later.resolve('new')
    expect((await Promise.all(waiting)).map(String)).toEqual(['old', 'old', 'new'])
    expect(await read(answers, 'one', async () => 'newer')).toBe('new')
  })

  it('that failed is not kept', async () => {
    const answers = createAnswers(async () => 'a')
    await expect(answers.read('one', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
    expect(await read(answers, 'one', async () => 'found')).toBe('found')
  })

  it('larger than what may be kept is given and not kept', async () => {
    const [answers, { count, work }] = [createAnswers(async () => 'a'), counted()]
    const large = async () => (await work()).repeat(25_000_000)
    await answers.read('one', large)
    await answers.read('one', large)
    expect(count()).toBe(2)
  })
})

describe('with a database', () => {
  let house: House
  let api: TestApi
  let account: string
  const headers = { 'x-person': 'anna' }
  const names = async () => {
    const answer = await api.app.inject({ url: '/v1/tags', headers })
    return answer.json<{ tags: { name: string }[] }>().tags.map(({ name }) => name)
  }
  const tag = (name: string) => ({ account_id: account, id: newId(), name, color: 1 })
  const add = (name: string) => house.database.owner.insertInto('tag').values(tag(name)).execute()
  beforeAll(async () => {
    house = await openHouse()
    api = await openTestApi(house, 'http://localhost')
    await names()
    const { id } = await house.database.owner.selectFrom('account').select('id').executeTakeFirstOrThrow()
    account = id
  })
  afterAll(async () => {
    await api.close()
    await house.close()
  })

  it('shows what any process has committed, also what had begun long before the last answer', async () => {
    const { database } = house
    const [began, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = database.owner.transaction().execute(async (tx) => {
      await tx.insertInto('tag').values(tag('slow')).execute()
      began.resolve()
      await ended.promise
    })
    await began.promise
    expect(await names()).toEqual([])
    await add('quick')
    expect(await names()).toEqual(['quick'])
    expect(await names()).toEqual(['quick'])
    ended.resolve()
    await slow
    expect(await names()).toEqual(['quick', 'slow'])
  })

  it('has another state after each commit, and none comes again', async () => {
    const states = [await stateOf(house.database)]
    for (const name of ['a', 'b', 'c']) {
      await add(name)
      states.push(await stateOf(house.database))
    }
    expect(new Set(states).size).toBe(states.length)
  })
})

import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { newId } from '#database/index.ts'
import { ApiError } from '#errors.ts'
import { answerErrors } from '#http/errors.ts'
import { serveLive } from '#http/live.ts'
import { listenLive, type Live } from '#live.ts'
import { announce } from '#notifications/index.ts'
import { type House, openHouse, person } from '#testing/house.ts'

const quiet = { info() {}, warn() {}, error() {} }
let house: House
let live: Live
let account: string
beforeAll(async () => {
  house = await openHouse()
  live = await listenLive(house.url, quiet)
  account = await house.account()
})
afterAll(async () => {
  await live.close()
  await house.close()
})

/** The stream alone, for somebody whose session lasts for as long as `isIn` says. */
async function open(isIn: () => boolean) {
  const app = Fastify({ forceCloseConnections: true })
  answerErrors(app)
  const admit = async () => {
    if (!isIn()) throw new ApiError('unauthenticated', 'Authentication required')
    return { account, actor: person, log: quiet }
  }
  serveLive(app, { database: house.database, guard: { admit }, live })
  await app.listen({ port: 0, host: '127.63.11.1' })
  return { app, port: (app.server.address() as AddressInfo).port } // listens on a port
}

const opened = () => ({
  kind: 'EVENT_ISSUE_OPENED' as const,
  title: 'x'.repeat(300),
  resource: { kind: 'issue' as const, id: newId() },
})
const tell = (count: number) => house.as(account, (ctx) => announce(ctx, Array.from({ length: count }, opened)))

it('tells which queue has a job, and nobody who waits for events', async () => {
  const { promise: queue, resolve: hear } = Promise.withResolvers<string>()
  const heard: string[] = []
  live.onJob(hear)
  const stop = live.onAnyHint((one) => heard.push(one))
  await house.as(account, ({ tx }) => house.jobs.enqueue(tx, 'decisions', { account }))
  expect(await queue).toBe('decisions')
  expect(heard).toEqual([])
  stop()
})

it('ends the stream of a session that has ended, also where its reader has stopped to read', async () => {
  let isIn = true
  const errors: unknown[] = []
  const note = (error: unknown) => errors.push(error)
  process.on('uncaughtException', note)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { app, port } = await open(() => isIn)
  const { promise: accepted, resolve: accept } = Promise.withResolvers<Socket>()
  app.server.once('connection', accept)
  const reader = connect(port, '127.63.11.1')
  try {
    reader.once('data', () => reader.pause())
    reader.write('GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n')
    const there = await accepted
    await once(reader, 'pause')
    await tell(20_000)
    await expect.poll(() => there.writableNeedDrain, { timeout: 20_000 }).toBe(true)
    isIn = false
    await vi.advanceTimersByTimeAsync(20_000)
    await tell(10)
    await expect.poll(() => there.destroyed, { timeout: 10_000 }).toBe(true)
    expect(errors).toEqual([])
  } finally {
    vi.useRealTimers()
    process.off('uncaughtException', note)
    reader.destroy()
    await app.close()
  }
})

it('keeps what a slow reader has not read yet where it is, and tells all of it in the end', async () => {
  const { app, port } = await open(() => true)
  const { promise: accepted, resolve: accept } = Promise.withResolvers<Socket>()
  app.server.once('connection', accept)
  const reader = connect(port, '127.63.11.1')
  try {
    let text = ''
    reader.setEncoding('utf8')
    reader.once('data', () => reader.pause())
    reader.write('GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n')
    const there = await accepted
    await once(reader, 'pause')
    await tell(20_000)
    await expect.poll(() => there.writableNeedDrain, { timeout: 20_000 }).toBe(true)
    expect(there.writableLength).toBeLessThan(1_000_000)
    reader.on('data', (part: string) => (text += part))
    reader.resume()
    const told = () => text.split('\ndata: ').length - 1
    await expect.poll(told, { timeout: 30_000, interval: 200 }).toBe(20_000)
  } finally {
    reader.destroy()
    await app.close()
  }
})

it('opens fifty streams of an account at a time, also when more are asked for at one moment', async () => {
  const { app, port } = await open(() => true)
  const stop = new AbortController()
  try {
    const asked = Array.from({ length: 60 }, () =>
      fetch(`http://127.63.11.1:${port}/v1/events`, { signal: stop.signal }),
    )
    const statuses = (await Promise.all(asked)).map((answer) => answer.status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(50)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
  } finally {
    stop.abort()
    await app.close()
  }
})

import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { newId } from '#database/index.ts'
import { ApiError } from '#errors.ts'
import { installErrorHandlers } from '#http/errors.ts'
import { serveLive } from '#http/live.ts'
import { listenLive, type Live } from '#live.ts'
import { announce } from '#notifications/index.ts'
import { type TestServer, startTestServer, person } from '#testing/test-server.ts'

const silentLog = { info() {}, warn() {}, error() {} }
let server: TestServer
let live: Live
let workspace: string
beforeAll(async () => {
  server = await startTestServer()
  live = await listenLive(server.url, silentLog)
  workspace = await server.createWorkspace()
})
afterAll(async () => {
  await live.close()
  await server.close()
})

/** Serves only the event stream, to a user whose session is valid while `isSignedIn` returns true. */
async function open(isSignedIn: () => boolean) {
  const app = Fastify({ forceCloseConnections: true })
  installErrorHandlers(app)
  const admit = async () => {
    if (!isSignedIn()) throw new ApiError('unauthenticated', 'Authentication required')
    return { workspace, actor: person, log: silentLog }
  }
  const reject = () => Promise.reject(new Error('not about people'))
  serveLive(app, {
    database: server.database,
    guard: { admit, admitPerson: reject, admitAdministrator: reject },
    live,
  })
  await app.listen({ port: 0, host: '127.63.11.1' })
  return { app, port: (app.server.address() as AddressInfo).port } // it listens on a port
}

const opened = () => ({
  kind: 'EVENT_ISSUE_OPENED' as const,
  title: 'x'.repeat(300),
  resource: { kind: 'issue' as const, id: newId() },
})
const announceEvents = (count: number) =>
  server.as(workspace, (ctx) => announce(ctx, Array.from({ length: count }, opened)))

it('reports jobs by queue, but not to subscribers of events', async () => {
  const { promise: queue, resolve: onQueue } = Promise.withResolvers<string>()
  const workspaces: string[] = []
  live.onJob(onQueue)
  const stop = live.onAnyHint((item) => workspaces.push(item))
  await server.as(workspace, ({ tx }) => server.jobs.enqueue(tx, 'decisions', { account: workspace }))
  expect(await queue).toBe('decisions')
  expect(workspaces).toEqual([])
  stop()
})

it('ends when the session ends, even if the client stopped reading', async () => {
  let isSignedIn = true
  const errors: unknown[] = []
  const recordError = (error: unknown) => errors.push(error)
  process.on('uncaughtException', recordError)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { app, port } = await open(() => isSignedIn)
  const { promise: accepted, resolve: accept } = Promise.withResolvers<Socket>()
  app.server.once('connection', accept)
  const reader = connect(port, '127.63.11.1')
  try {
    reader.once('data', () => reader.pause())
    reader.write('GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n')
    const socket = await accepted
    await once(reader, 'pause')
    await announceEvents(20_000)
    await expect.poll(() => socket.writableNeedDrain, { timeout: 20_000 }).toBe(true)
    isSignedIn = false
    await vi.advanceTimersByTimeAsync(20_000)
    await announceEvents(10)
    await expect.poll(() => socket.destroyed, { timeout: 10_000 }).toBe(true)
    expect(errors).toEqual([])
  } finally {
    vi.useRealTimers()
    process.off('uncaughtException', recordError)
    reader.destroy()
    await app.close()
  }
})

it("doesn't buffer events for a slow client, and sends all of them eventually", async () => {
  const { app, port } = await open(() => true)
  const { promise: accepted, resolve: accept } = Promise.withResolvers<Socket>()
  app.server.once('connection', accept)
  const reader = connect(port, '127.63.11.1')
  try {
    let text = ''
    reader.setEncoding('utf8')
    reader.once('data', () => reader.pause())
    reader.write('GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n')
    const socket = await accepted
    await once(reader, 'pause')
    await announceEvents(20_000)
    await expect.poll(() => socket.writableNeedDrain, { timeout: 20_000 }).toBe(true)
    expect(socket.writableLength).toBeLessThan(1_000_000)
    reader.on('data', (part: string) => (text += part))
    reader.resume()
    const receivedCount = () => text.split('\ndata: ').length - 1
    await expect.poll(receivedCount, { timeout: 30_000, interval: 200 }).toBe(20_000)
  } finally {
    reader.destroy()
    await app.close()
  }
})

it('limits a workspace to fifty streams, even when opened concurrently', async () => {
  const { app, port } = await open(() => true)
  const stop = new AbortController()
  try {
    const requests = Array.from({ length: 60 }, () =>
      fetch(`http://127.63.11.1:${port}/v1/events`, { signal: stop.signal }),
    )
    const responses = await Promise.all(requests)
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(50)
    const rejected = responses.filter(({ status }) => status === 429)
    expect(rejected.map(({ headers }) => headers.get('retry-after'))).toEqual(Array(10).fill('20'))
  } finally {
    stop.abort()
    await app.close()
  }
})

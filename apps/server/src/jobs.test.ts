import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { channels } from '#database/channels.ts'
import { createJobs } from '#jobs.ts'
import { sharedTestServer, startTestServer } from '#testing/test-server.ts'
import { sql } from 'kysely'
import { Client } from 'pg'

const log = { info() {}, warn() {}, error() {} }
const server = await sharedTestServer()

it('starts a job immediately instead of at the next poll a second later', async () => {
  const { database, jobs, url } = server
  const listener = new Client({ connectionString: url })
  await listener.connect()
  await listener.query(`listen ${channels.jobs}`)
  listener.on('notification', ({ payload = '' }) => jobs.wake(payload))
  const workspace = await server.createWorkspace()
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let remaining = 40
  const enqueue = async (queue: 'decisions' | 'scan-plan') =>
    database.owner.transaction().execute((tx) => jobs.enqueue(tx, queue, { account: workspace, scanId: workspace }))
  const passTo = (to: 'decisions' | 'scan-plan') => async () => (remaining-- > 0 ? enqueue(to) : resolve())
  await jobs.work('decisions', 1, passTo('scan-plan'))
  await jobs.work('scan-plan', 1, passTo('decisions'))
  await enqueue('decisions')
  await done
  await listener.end()
})

it('processes that start at the same time prepare the same database', async () => {
  const { database, url } = server
  const processes = Array.from({ length: 8 }, () => createJobs(url, log, { supervise: false }))
  await Promise.all(processes.map((jobs) => jobs.prepare(database.owner)))
  await Promise.all(processes.map((jobs) => jobs.close()))
})

it('a job that a shutdown interrupts is repeated without using up its attempts', async () => {
  // Its own server: the workers above would take the job.
  const other = await startTestServer()
  const { database, url } = other
  const workspace = await other.createWorkspace()
  const attempts: boolean[] = []
  /** Takes the job and is stopped during it, except for the last process. */
  const runProcess = async (isLast: boolean) => {
    const jobs = createJobs(url, log, { supervise: false })
    await jobs.prepare(database.owner)
    const { promise: taken, resolve } = Promise.withResolvers<void>()
    await jobs.work('decisions', 1, async ({ signal, isLastAttempt }) => {
      attempts.push(isLastAttempt)
      resolve()
      if (!isLast) await once(signal, 'abort')
      signal.throwIfAborted()
    })
    await taken
    await jobs.stopWork(0)
    await jobs.close()
  }
  await database.owner.transaction().execute((tx) => other.jobs.enqueue(tx, 'decisions', { account: workspace }))
  for (const isLast of [false, false, false, false, true]) await runProcess(isLast)
  await other.close()
  expect(attempts).toEqual([false, false, false, false, false])
})

it('sweeps again after a worker was killed during a sweep', { timeout: 60_000 }, async () => {
  const other = await startTestServer()
  const { database, url } = other
  const jobs = createJobs(url, log, { supervise: true })
  await jobs.prepare(database.owner)
  await jobs.everyMinute()
  await sql`
    update pgboss.job set state = 'active', started_on = now(), heartbeat_on = now() - interval '11 seconds',
      singleton_on = singleton_on - interval '1 minute'
    where name = 'sweep'`.execute(database.owner)
  const { promise: swept, resolve } = Promise.withResolvers<void>()
  await jobs.work('sweep', 1, async () => resolve())
  await swept
  await jobs.close()
  await other.close()
})

describe('fair queueing', () => {
  it('starts a small job immediately, and alternates between large backlogs by cost', async () => {
    const other = await startTestServer()
    const { database, jobs } = other
    const [large, rival, small] = [
      await other.createWorkspace(),
      await other.createWorkspace(),
      await other.createWorkspace(),
    ]
    const enqueue = (workspace: string, count: number, cost: number) =>
      database.owner.transaction().execute((tx) =>
        jobs.enqueueFairly(
          tx,
          'scan-batch',
          workspace,
          Array.from({ length: count }, (_, number) => ({
            data: { account: workspace, scanId: workspace, number },
            cost,
          })),
        ),
      )
    const started: string[] = []
    const running: (() => void)[] = []
    const finishOne = async () => {
      const count = started.length
      await expect.poll(() => running.length).toBeGreaterThan(0)
      running.shift()?.()
      await expect.poll(() => started.length).toBeGreaterThan(count)
    }
    await enqueue(large, 32, 64)
    await jobs.work(
      'scan-batch',
      3,
      async ({ data }) => {
        started.push(data.account)
        await new Promise<void>((done) => running.push(done))
      },
      { perWorkspace: 2 },
    )
    await expect.poll(() => started).toEqual([large, large])
    // The slot that the large workspace can't use.
    await enqueue(small, 1, 1)
    await expect.poll(() => started).toEqual([large, large, small])
    running.splice(2, 1)[0]?.()

    await enqueue(rival, 32, 64)
    await expect.poll(() => started.length).toBe(4)
    for (let count = 0; count < 8; count++) await finishOne()
    const shares = started.slice(3)
    expect(shares.filter((workspace) => workspace === large).length).toBeGreaterThanOrEqual(3)
    expect(shares.filter((workspace) => workspace === rival).length).toBeGreaterThanOrEqual(3)
    // Both have a backlog of half an hour; the small one is next.
    await enqueue(small, 1, 1)
    await finishOne()
    expect(started.at(-1)).toBe(small)
    const stopping = jobs.stopWork(0)
    for (const done of running) done()
    await stopping
    await other.close()
  })
})

import { once } from 'node:events'
import { expect, it } from 'vitest'
import { channels } from '#database/channels.ts'
import { createJobs } from '#jobs.ts'
import { sharedTestServer, startTestServer } from '#testing/test-server.ts'
import { Client } from 'pg'

const server = await sharedTestServer()

it('starts a job immediately instead of at the next poll a second later', async () => {
  const { database, jobs, url } = server
  const listener = new Client({ connectionString: url })
  await listener.connect()
  await listener.query(`listen ${channels.jobs}`)
  listener.on('notification', ({ payload = '' }) => jobs.wake(payload))
  const account = await server.account()
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let remaining = 40
  const enqueue = async (queue: 'decisions' | 'scan-plan') =>
    database.owner.transaction().execute((tx) => jobs.enqueue(tx, queue, { account, scanId: account }))
  const passTo = (to: 'decisions' | 'scan-plan') => async () => (remaining-- > 0 ? enqueue(to) : resolve())
  await jobs.work('decisions', 1, passTo('scan-plan'))
  await jobs.work('scan-plan', 1, passTo('decisions'))
  await enqueue('decisions')
  await done
  await listener.end()
})

it('a job that a shutdown interrupts is repeated without using up its attempts', async () => {
  // Its own server: the workers above would take the job.
  const other = await startTestServer()
  const { database, url } = other
  const account = await other.account()
  const attempts: boolean[] = []
  /** Takes the job and is stopped during it, except for the last process. */
  const runProcess = async (isLast: boolean) => {
    const jobs = createJobs(url, { info() {}, warn() {}, error() {} }, { supervise: false })
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
  await database.owner.transaction().execute((tx) => other.jobs.enqueue(tx, 'decisions', { account }))
  for (const isLast of [false, false, false, false, true]) await runProcess(isLast)
  await other.close()
  expect(attempts).toEqual([false, false, false, false, false])
})

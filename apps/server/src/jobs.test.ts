import { it } from 'vitest'
import { channels } from '#database/channels.ts'
import { sharedTestServer } from '#testing/test-server.ts'
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

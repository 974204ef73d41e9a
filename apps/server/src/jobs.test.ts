import { it } from 'vitest'
import { channels } from '#database/channels.ts'
import { sharedTestServer } from '#testing/test-server.ts'
import { Client } from 'pg'

const server = await sharedTestServer()

it('begins what is asked at once, and not at the next of its looks, which are a second apart', async () => {
  const { database, jobs, url } = server
  const listener = new Client({ connectionString: url })
  await listener.connect()
  await listener.query(`listen ${channels.jobs}`)
  listener.on('notification', ({ payload = '' }) => jobs.wake(payload))
  const account = await server.account()
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let left = 40
  const ask = async (queue: 'decisions' | 'scan-plan') =>
    database.owner.transaction().execute((tx) => jobs.enqueue(tx, queue, { account, scanId: account }))
  const pass = (to: 'decisions' | 'scan-plan') => async () => (left-- > 0 ? ask(to) : resolve())
  await jobs.work('decisions', 1, pass('scan-plan'))
  await jobs.work('scan-plan', 1, pass('decisions'))
  await ask('decisions')
  await done
  await listener.end()
})

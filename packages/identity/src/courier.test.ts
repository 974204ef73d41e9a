import { EventEmitter, once } from 'node:events'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Courier, createCourier } from '#courier.ts'
import type { Mail } from '#options.ts'
import { sweep } from '#sweep.ts'
import { type TestDatabase, openTestDatabase } from '#testing/postgres.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.close())
beforeEach(async () => {
  await database.db.deleteFrom('identity.mail').execute()
})

const mail: Mail = { to: 'a@b.test', subject: 'Hello', text: 'code 123456', html: '<p>code 123456</p>' }
const later = (ms: number) => new Date(Date.now() + ms)
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
const rows = () => database.db.selectFrom('identity.mail').selectAll().execute()

/** A courier whose deliveries the test answers, and whose clock it moves. */
function watched(deliver: (mail: Mail) => Promise<void> = async () => undefined) {
  const events = new EventEmitter()
  let offsetMs = 0
  const courier: Courier = createCourier({
    database: database.db,
    deliver: async (sent) => {
      events.emit('attempt', sent)
      await deliver(sent)
    },
    log: {
      ...silent,
      info: () => events.emit('delivered'),
      warn: () => events.emit('failed'),
      error: () => events.emit('given up'),
    },
    now: () => later(offsetMs),
  })
  return { courier, events, advance: (ms: number) => void (offsetMs += ms) }
}

it('delivers what was queued before it started, and forgets the text', async () => {
  const { courier, events } = watched()
  await courier.queue(database.db, mail, { expiresAt: later(60_000) })
  const done = Promise.all([once(events, 'attempt'), once(events, 'delivered')])
  courier.start()
  const [[sent]] = await done
  expect(sent).toEqual(mail)
  await courier.close()
  expect(await rows()).toMatchObject([{ status: 'sent', text: '', html: '', attempts: 1 }])
})

it('tries again, with a pause, what could not be delivered', async () => {
  let isDown = true
  const { courier, events, advance } = watched(async () => {
    if (isDown) throw new Error('connection refused')
  })
  await courier.queue(database.db, mail, { expiresAt: later(3600_000) })
  const failedDone = once(events, 'failed')
  courier.start()
  await failedDone
  await courier.close()
  const [waiting] = await rows()
  expect(waiting).toMatchObject({ status: 'queued', attempts: 1, text: mail.text })
  isDown = false
  advance(5_001)
  const deliveredDone = once(events, 'delivered')
  courier.start()
  await deliveredDone
  await courier.close()
  expect(await rows()).toMatchObject([{ status: 'sent', attempts: 2 }])
})

it('gives up when nobody needs the mail any more', async () => {
  const { courier, events, advance } = watched()
  await courier.queue(database.db, mail, { expiresAt: later(60_000) })
  advance(60_001)
  const givenUp = once(events, 'given up')
  courier.start()
  await givenUp
  await courier.close()
  expect(await rows()).toMatchObject([{ status: 'failed', text: '' }])
})

it('never sends a void mail, nor one whose transaction failed', async () => {
  const { courier } = watched()
  await courier.queue(database.db, mail, { expiresAt: later(60_000), isVoid: true })
  await database.db
    .transaction()
    .execute(async (tx) => {
      await courier.queue(tx, mail, { expiresAt: later(60_000) })
      throw new Error('undone')
    })
    .catch(() => undefined)
  expect(await rows()).toMatchObject([{ status: 'void', text: '', html: '' }])
})

it('gives one mail to one of several processes', async () => {
  const [one, two] = [watched(), watched()]
  const attempts: Mail[] = []
  for (const { events } of [one, two]) events.on('attempt', (sent: Mail) => attempts.push(sent))
  for (let index = 0; index < 20; index++) {
    await one.courier.queue(database.db, { ...mail, to: `${index}@b.test` }, { expiresAt: later(60_000) })
  }
  const all = Promise.withResolvers<void>()
  let delivered = 0
  for (const { events } of [one, two]) events.on('delivered', () => ++delivered === 20 && all.resolve())
  one.courier.start()
  two.courier.start()
  await all.promise
  await Promise.all([one.courier.close(), two.courier.close()])
  expect(new Set(attempts.map(({ to }) => to)).size).toBe(20)
  expect(attempts).toHaveLength(20)
})

it('forgets old mails that are done with', async () => {
  const { courier } = watched()
  await courier.queue(database.db, mail, { expiresAt: later(60_000), isVoid: true })
  await courier.queue(database.db, mail, { expiresAt: later(60_000) })
  await sweep({ db: database.db, now: () => later(8 * 24 * 3600_000) })
  expect(await rows()).toMatchObject([{ status: 'queued' }])
})

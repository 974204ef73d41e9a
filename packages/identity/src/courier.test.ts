import { afterAll, beforeEach, expect, it } from 'vitest'
import { createCourier } from '#courier.ts'
import type { Mail } from '#options.ts'
import { deleteExpired } from '#cleanup.ts'
import { openTestDatabase } from '#testing/postgres.ts'

const database = await openTestDatabase()
afterAll(() => database.close())
beforeEach(async () => {
  await database.db.deleteFrom('identity.mail').execute()
})

const mail: Mail = { to: 'a@b.test', subject: 'Hello', text: 'code 123456', html: '<p>code 123456</p>' }
const fromNow = (ms: number) => new Date(Date.now() + ms)
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
const rows = () => database.db.selectFrom('identity.mail').selectAll().execute()

/** A courier that records queued jobs and sent emails. */
function createTestCourier(now = () => new Date()) {
  const [jobs, sent]: [string[], Mail[]] = [[], []]
  const server = { isDown: false }
  const courier = createCourier({
    database: database.db,
    enqueueMail: async (_tx, id) => void jobs.push(id),
    deliver: async (mail) => {
      if (server.isDown) throw new Error('connection refused')
      sent.push(mail)
    },
    log: log,
    now,
  })
  return { courier, jobs, sent, server }
}

it('delivers an email once and erases its text', async () => {
  const { courier, jobs, sent } = createTestCourier()
  await courier.queue(database.db, mail, { expiresAt: fromNow(60_000) })
  for (const id of [...jobs, ...jobs]) await courier.deliver(id)
  expect(sent).toEqual([mail])
  expect(await rows()).toMatchObject([{ status: 'sent', text: '', html: '' }])
})

it('keeps an undelivered email and lets the queue retry', async () => {
  const { courier, jobs, sent, server } = createTestCourier()
  await courier.queue(database.db, mail, { expiresAt: fromNow(60_000) })
  const [id = ''] = jobs
  server.isDown = true
  await expect(courier.deliver(id)).rejects.toThrow('connection refused')
  expect(await rows()).toMatchObject([{ status: 'queued', text: mail.text }])
  server.isDown = false
  await courier.deliver(id)
  expect(sent).toEqual([mail])
})

it('does not deliver an expired email', async () => {
  const { courier, jobs, sent } = createTestCourier(() => fromNow(60_001))
  await courier.queue(database.db, mail, { expiresAt: fromNow(60_000) })
  await courier.deliver(jobs[0] ?? '')
  expect(sent).toEqual([])
  expect(await rows()).toMatchObject([{ status: 'failed', text: '' }])
})

it('never sends a void email or an email of a rolled-back transaction', async () => {
  const { courier, jobs, sent } = createTestCourier()
  await courier.queue(database.db, mail, { expiresAt: fromNow(60_000), isVoid: true })
  await database.db
    .transaction()
    .execute(async (tx) => {
      await courier.queue(tx, mail, { expiresAt: fromNow(60_000) })
      throw new Error('undone')
    })
    .catch(() => undefined)
  for (const id of jobs) await courier.deliver(id)
  expect(sent).toEqual([])
  expect(await rows()).toMatchObject([{ status: 'void', text: '', html: '' }])
})

it('deletes old emails', async () => {
  const { courier } = createTestCourier()
  await courier.queue(database.db, mail, { expiresAt: fromNow(60_000) })
  await deleteExpired({ db: database.db, now: () => fromNow(6 * 24 * 3600_000) })
  expect(await rows()).toHaveLength(1)
  await deleteExpired({ db: database.db, now: () => fromNow(8 * 24 * 3600_000) })
  expect(await rows()).toEqual([])
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { announce, createChannel, noticesSince, startOfStream, testChannel } from '#notifications/index.ts'
import { type House, openHouse, person } from '#testing/house.ts'

let house: House
beforeAll(async () => void (house = await openHouse()))
afterAll(() => house.close())

/** A server that says when it was asked, and answers when it may. */
async function slowReceiver() {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
  const receiver = createServer((_request, response) => {
    ask()
    void allowed.then(() => response.end())
  })
  await new Promise<void>((listening) => receiver.listen(0, '127.71.12.1', listening))
  const { port } = receiver.address() as AddressInfo // listens on a port
  return {
    url: `http://127.71.12.1:${port}/`,
    asked,
    allow,
    [Symbol.dispose]() {
      allow()
      receiver.close()
    },
  }
}

const sending = {
  mailer: { deliver: async () => undefined, close: () => undefined },
  gate: 'all',
  url: 'http://x',
} as const

async function channelTo(account: string, webhookUrl: string): Promise<string> {
  const channel = { kind: 'KIND_WEBHOOK', webhookUrl } as const
  const made = await house.as(account, (ctx) => createChannel(ctx, { gate: 'all' }, { channel }), { actor: person })
  return made.channel.id
}

const test = (account: string, id: string) =>
  testChannel((step) => house.as(account, step, { actor: person }), sending, { id })

it('holds up nobody else while the server of a stranger takes its time', async () => {
  using receiver = await slowReceiver()
  const [account, other] = [await house.account(), await house.account()]
  const id = await channelTo(account, receiver.url)
  const place = await house.as(other, startOfStream)
  const testing = test(account, id)
  await receiver.asked
  await house.as(other, (ctx) =>
    announce(ctx, [{ kind: 'EVENT_ISSUE_OPENED', title: 'news', resource: { kind: 'issue', id: newId() } }]),
  )
  const seen = await house.as(other, (ctx) => noticesSince(ctx, place, 10))
  receiver.allow()
  expect(seen.map((notice) => notice.title)).toEqual(['news'])
  expect(await testing).toMatchObject({ statusCode: 200, error: '' })
})

it('keeps no connection to the database meanwhile', async () => {
  using receiver = await slowReceiver()
  const account = await house.account()
  const id = await channelTo(account, receiver.url)
  const testing = test(account, id)
  await receiver.asked
  const { rows } = await sql<{ open: number }>`
    select count(*) as open from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'`.execute(house.database.owner)
  receiver.allow()
  expect(await testing).toMatchObject({ statusCode: 200 })
  expect(rows).toEqual([{ open: 0 }])
})

it('is refused while another of the same channel is on its way, and not afterwards', async () => {
  using receiver = await slowReceiver()
  const account = await house.account()
  const id = await channelTo(account, receiver.url)
  const testing = test(account, id)
  await receiver.asked
  await expect(test(account, id)).rejects.toMatchObject({ code: 'precondition' })
  receiver.allow()
  await testing
  expect(await test(account, id)).toMatchObject({ statusCode: 200 })
})

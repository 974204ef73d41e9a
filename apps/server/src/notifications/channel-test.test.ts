import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { announce, createChannel, noticesSince, startOfStream, testChannel } from '#notifications/index.ts'
import { type House, openHouse, person } from '#testing/house.ts'

let house: House
beforeAll(async () => void (house = await openHouse()))
afterAll(() => house.close())

it('holds up nobody else while the server of a stranger takes its time', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
  const receiver = createServer((_request, response) => {
    ask()
    void allowed.then(() => response.end())
  })
  await new Promise<void>((listening) => receiver.listen(0, '127.63.12.1', listening))
  const { port } = receiver.address() as AddressInfo // listens on a port
  const sending = {
    mailer: { deliver: async () => undefined, close: () => undefined },
    gate: 'all',
    url: 'http://x',
  } as const
  const [account, other] = [await house.account(), await house.account()]
  try {
    const channel = { kind: 'KIND_WEBHOOK', webhookUrl: `http://127.63.12.1:${port}/` } as const
    const { id } = await house.as(
      account,
      async (ctx) => (await createChannel(ctx, { gate: 'all' }, { channel })).channel,
      { actor: person },
    )
    const place = await house.as(other, startOfStream)
    const testing = house.as(account, (ctx) => testChannel(ctx, sending, { id }), { actor: person })
    await asked
    await house.as(other, (ctx) =>
      announce(ctx, [{ kind: 'EVENT_ISSUE_OPENED', title: 'news', resource: { kind: 'issue', id: newId() } }]),
    )
    const seen = await house.as(other, (ctx) => noticesSince(ctx, place, 10))
    allow()
    expect(seen.map((notice) => notice.title)).toEqual(['news'])
    expect(await testing).toMatchObject({ statusCode: 200, error: '' })
  } finally {
    allow()
    receiver.close()
  }
})

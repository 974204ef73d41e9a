import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChannel, listChannels, updateChannel } from '#notifications/index.ts'
import { type House, openHouse, person } from '#testing/house.ts'
import { addBeside } from '#testing/waiting.ts'

let house: House
beforeAll(async () => void (house = await openHouse()))
afterAll(() => house.close())

const create = (account: string, webhookUrl: string) =>
  house.as(
    account,
    async (ctx) =>
      (await createChannel(ctx, { gate: 'all' }, { channel: { kind: 'KIND_WEBHOOK', webhookUrl } })).channel,
    { actor: person },
  )

it('are twenty at most, also of those that are made at the same moment', async () => {
  const account = await house.account()
  for (let number = 0; number < 19; number++) await create(account, 'https://example.ch/')
  const channel = { kind: 'KIND_SLACK', webhookUrl: 'https://example.ch/' } as const
  const second = await addBeside(house, account, (ctx) => createChannel(ctx, { gate: 'all' }, { channel }))
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'precondition' } })
  expect((await house.as(account, listChannels)).channels).toHaveLength(20)
})

it('are not turned on without an address, though the body has one that the mask does not name', async () => {
  const account = await house.account()
  const { id } = await create(account, 'https://example.ch/')
  const change = (channel: { webhookUrl?: string; isEnabled?: boolean }, paths: string[]) =>
    house.as(account, (ctx) => updateChannel(ctx, { gate: 'all' }, { id, channel, updateMask: { paths } }))
  await change({ webhookUrl: '' }, ['webhookUrl'])
  await expect(change({ webhookUrl: 'https://example.ch/', isEnabled: true }, ['isEnabled'])).rejects.toMatchObject({
    violations: [{ field: 'channel.webhookUrl' }],
  })
  const both = await change({ webhookUrl: 'https://example.ch/', isEnabled: true }, ['webhookUrl', 'isEnabled'])
  expect(both.channel).toMatchObject({ isEnabled: true, webhookUrl: 'https://example.ch/' })
})

import { expect, it } from 'vitest'
import { createChannel, listChannels, updateChannel } from '#notifications/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'
import { addConcurrently } from '#testing/concurrency.ts'

const server = await sharedTestServer()

const create = (workspace: string, webhookUrl: string) =>
  server.as(
    workspace,
    async (ctx) =>
      (await createChannel(ctx, { egress: 'all' }, { channel: { kind: 'KIND_WEBHOOK', webhookUrl } })).channel,
    { actor: person },
  )

it('are limited to twenty, even when created concurrently', async () => {
  const workspace = await server.createWorkspace()
  for (let number = 0; number < 19; number++) await create(workspace, 'https://example.ch/')
  const channel = { kind: 'KIND_SLACK', webhookUrl: 'https://example.ch/' } as const
  const second = await addConcurrently(server, workspace, (ctx) => createChannel(ctx, { egress: 'all' }, { channel }))
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'precondition' } })
  expect((await server.as(workspace, listChannels)).channels).toHaveLength(20)
})

it("can't be turned on without a URL, even if the body has one outside the mask", async () => {
  const workspace = await server.createWorkspace()
  const { id } = await create(workspace, 'https://example.ch/')
  const change = (channel: { webhookUrl?: string; isEnabled?: boolean }, paths: string[]) =>
    server.as(workspace, (ctx) => updateChannel(ctx, { egress: 'all' }, { id, channel, updateMask: { paths } }))
  await change({ webhookUrl: '' }, ['webhookUrl'])
  await expect(change({ webhookUrl: 'https://example.ch/', isEnabled: true }, ['isEnabled'])).rejects.toMatchObject({
    violations: [{ field: 'channel.webhookUrl' }],
  })
  const both = await change({ webhookUrl: 'https://example.ch/', isEnabled: true }, ['webhookUrl', 'isEnabled'])
  expect(both.channel).toMatchObject({ isEnabled: true, webhookUrl: 'https://example.ch/' })
})

import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { announce, createChannel, testChannel, updateChannel } from '#notifications/index.ts'
import { opened, openReceiver } from '#notifications/testing/receiver.ts'
import { urlError } from '#egress-policy.ts'
import { person } from '#testing/test-server.ts'

const post = await openReceiver()
afterAll(() => post.close())
afterEach(() => post.empty())

const escaped = (text: string) => text.replaceAll(/[.[\]]/g, '\\$&')

describe('network restrictions', () => {
  it.each([
    ['public', 'http://127.0.0.1:9/', 'Use https'],
    ['public', 'https://127.0.0.1:9/', "Glacis can't connect to 127.0.0.1"],
    ['public', 'https://localhost:9/', "Glacis can't connect to"],
    ['public', 'https://[::1]:9/', "Glacis can't connect to ::1"],
    ['public', 'https://[::ffff:127.0.0.1]:9/', "Glacis can't connect to"],
    ['public', 'https://2130706433:9/', "Glacis can't connect to 127.0.0.1"],
    [['127.66.0.0/16'], 'http://127.0.0.1:9/', "Glacis can't connect to 127.0.0.1"],
    [['127.66.0.0/16'], 'http://9.9.9.9/', 'Use https'],
  ] as const)('SEC-E2 %s rejects %s', async (egress, webhookUrl, reason) => {
    const workspace = await post.server.createWorkspace()
    const { id } = await post.createChannelFor(workspace, { kind: 'KIND_SLACK', webhookUrl })
    const outcome = await testChannel(
      (step) => post.server.as(workspace, step, { actor: person }),
      { ...post.sending, egress },
      { id },
    )
    expect(outcome.error).toContain(reason)
    expect(outcome.statusCode).toBeUndefined()
  })

  it.each([
    ['public', 'http://hooks.example.ch/', 'Use https'],
    ['public', 'https://10.0.0.5/', "Glacis can't connect to 10.0.0.5"],
    ['public', 'https://localhost/', "Glacis can't connect to 127.0.0.1"],
    [['10.0.0.0/8'], 'https://[::1]/', "Glacis can't connect to ::1"],
    [['10.0.0.0/8'], 'http://9.9.9.9/', 'Use https'],
  ] as const)('%s: rejects a channel to %s on create and update', async (egress, webhookUrl, reason) => {
    const workspace = await post.server.createWorkspace()
    const channel = { kind: 'KIND_WEBHOOK', webhookUrl } as const
    const error = {
      violations: [
        {
          field: 'channel.webhookUrl',
          description: expect.stringMatching(new RegExp(`^${escaped(reason)}.*GLACIS_WEBHOOK_NETWORKS`)),
        },
      ],
    }
    await expect(
      post.server.as(workspace, (ctx) => createChannel(ctx, { egress }, { channel }), { actor: person }),
    ).rejects.toMatchObject(error)
    const { id } = await post.createChannelFor(workspace, {
      kind: 'KIND_SLACK',
      webhookUrl: 'https://hooks.example.ch/a',
    })
    const change = { id, channel: { webhookUrl }, updateMask: { paths: ['webhookUrl'] } }
    await expect(
      post.server.as(workspace, (ctx) => updateChannel(ctx, { egress }, change), { actor: person }),
    ).rejects.toMatchObject(error)
  })

  it.each([
    ['public', 'https://hooks.example.ch/'],
    [['10.0.0.0/8'], 'http://10.0.0.5/'],
    [['10.0.0.0/8'], 'http://hooks.internal/'],
    ['all', 'http://127.0.0.1/'],
  ] as const)('%s: accepts a channel to %s', async (egress, webhookUrl) => {
    const workspace = await post.server.createWorkspace()
    const channel = { kind: 'KIND_WEBHOOK', webhookUrl } as const
    const created = await post.server.as(workspace, (ctx) => createChannel(ctx, { egress }, { channel }), {
      actor: person,
    })
    expect(created.channel.webhookUrl).toBe(webhookUrl)
  })

  it.each([
    ['all', 'http://169.254.169.254/latest', '169.254.169.254'],
    ['all', 'http://[::ffff:169.254.169.254]/', '::ffff:a9fe:a9fe'],
    ['all', 'http://[64:ff9b::a9fe:a9fe]/', '64:ff9b::a9fe:a9fe'],
    ['public', 'https://169.254.169.254/', '169.254.169.254'],
    ['public', 'https://168.63.129.16/', '168.63.129.16'],
    [['169.254.0.0/16'], 'http://169.254.169.254/', '169.254.169.254'],
  ] as const)('SEC-E2 %s: rejects the cloud metadata address %s', (egress, url, address) => {
    expect(urlError(url, egress)).toBe(
      `${address} is a cloud metadata address. Glacis doesn't connect to such addresses`,
    )
  })

  it("SEC-E2 doesn't follow redirects and limits the response size", async () => {
    const workspace = await post.server.createWorkspace()
    const { id } = await post.createChannelFor(workspace, { kind: 'KIND_DISCORD', webhookUrl: post.address })
    const test = () => testChannel((step) => post.server.as(workspace, step, { actor: person }), post.sending, { id })
    post.respondWith = { status: 302, headers: { location: post.address } }
    expect(await test()).toMatchObject({
      statusCode: 302,
      error: 'The server responded with a redirect (302). Redirects are not followed',
    })
    expect(post.received).toHaveLength(1)
    post.respondWith = { status: 200, body: 'x'.repeat(5_000_000) }
    expect((await test()).answer).toHaveLength(500)
  })
})

describe('messages', () => {
  const nasty = '<!channel> @everyone [x](javascript:1) <script>alert(1)</script> *b* =1+1'
  it('SEC-D3 are escaped for Slack', async () => {
    const workspace = await post.server.createWorkspace()
    await post.createChannelFor(workspace, { kind: 'KIND_SLACK', webhookUrl: post.address })
    await post.server.as(workspace, (ctx) => announce(ctx, [opened(nasty, 9)]))
    await post.deliverAll(workspace)
    expect(post.received[0]?.body).toContain('&lt;!channel&gt;')
    expect(post.received[0]?.body).not.toContain('<!channel>')
  })
  it('SEC-D3 mention no one on Discord', async () => {
    const workspace = await post.server.createWorkspace()
    await post.createChannelFor(workspace, { kind: 'KIND_DISCORD', webhookUrl: post.address })
    await post.server.as(workspace, (ctx) => announce(ctx, [opened(nasty, 9)]))
    await post.deliverAll(workspace)
    const message = JSON.parse(post.received[0]?.body ?? '') as {
      allowed_mentions: object
      embeds: { description: string }[]
    }
    expect(message.allowed_mentions).toEqual({ parse: [] })
    expect(message.embeds[0]?.description).toContain(String.raw`\@everyone \[x\]`)
  })
  it("SEC-D3 are escaped in emails, which go to the workspace's address", async () => {
    const workspace = await post.server.createWorkspace()
    await post.createChannelFor(workspace, { kind: 'KIND_EMAIL', webhookUrl: '' })
    await post.server.as(workspace, (ctx) => announce(ctx, [opened(nasty, 9)]))
    await post.deliverAll(workspace)
    expect(post.mails[0]?.to).toBe(`${workspace}@example.ch`)
    expect(post.mails[0]?.html).toContain('&lt;script&gt;')
    expect(post.mails[0]?.html).not.toContain('<script>')
  })
})

/** Test fixture: a server, and a local receiver for messages of its channels. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Channel } from '@glacis/contract/channel'
import { newId } from '#database/index.ts'
import type { Mail } from '#mail.ts'
import { createChannel, runDelivery, type Sending, createDeliveries } from '#notifications/index.ts'
import { person, startTestServer, type TestServer } from '#testing/test-server.ts'

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly server: TestServer
  /** URL of the receiver, on loopback. */
  readonly address: string
  readonly sending: Sending
  readonly received: readonly Received[]
  readonly mails: readonly Mail[]
  respondWith: { status: number; headers?: Record<string, string>; body?: string }
  createChannelFor(workspace: string, channel: Parameters<typeof createChannel>[2]['channel']): Promise<Channel>
  /** Creates the due deliveries and runs all pending ones, as a worker would. */
  deliverAll(
    workspace: string,
    how?: { isLastAttempt?: boolean; mailer?: Pick<Sending['mailer'], 'deliver'> },
  ): Promise<void>
  /** Clears what was received and accepts everything again. */
  empty(): void
  close(): Promise<void>
}

export const silent = { info() {}, warn() {}, error() {} }
const accepted = { status: 204 }

export async function openReceiver(): Promise<Receiver> {
  const server = await startTestServer()
  const received: Received[] = []
  const mails: Mail[] = []
  const receiver = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.once('end', () => {
      received.push({ headers: request.headers, body })
      const { status, headers, body: answer } = post.respondWith
      response.writeHead(status, headers).end(answer)
    })
  })
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo // it listens on a port
  const sending: Sending = {
    database: server.database,
    mailer: { deliver: async (mail) => void mails.push(mail), close: () => undefined },
    egress: ['127.0.0.0/8'],
    url: 'http://localhost:3000',
    log: silent,
  }
  const post: Receiver = {
    server,
    address: `http://127.0.0.1:${port}/hook`,
    sending,
    received,
    mails,
    respondWith: accepted,
    createChannelFor: (workspace, channel) =>
      server.as(workspace, async (ctx) => (await createChannel(ctx, { egress: 'all' }, { channel })).channel, {
        actor: person,
      }),
    async deliverAll(workspace, { isLastAttempt = true, mailer } = {}) {
      const through = mailer ? { ...sending, mailer: { ...sending.mailer, ...mailer } } : sending
      await createDeliveries(server.database, server.jobs, silent, workspace)
      const waiting = await server.as(workspace, (ctx) =>
        ctx.tx
          .selectFrom('delivery')
          .select('id')
          .where('account_id', '=', workspace)
          .where('state', '=', 'STATE_PENDING')
          .execute(),
      )
      for (const { id } of waiting) {
        const work = {
          data: { account: workspace, deliveryId: id },
          signal: AbortSignal.timeout(10_000),
          isLastAttempt,
        }
        await runDelivery(through, work).catch(() => undefined)
      }
    },
    empty() {
      received.length = 0
      mails.length = 0
      post.respondWith = accepted
    },
    async close() {
      receiver.close()
      await server.close()
    },
  }
  return post
}

export const opened = (title: string, score: number) => ({
  kind: 'EVENT_ISSUE_OPENED' as const,
  title,
  score,
  resource: { kind: 'issue' as const, id: newId() },
})

/** The event titles in the body of a webhook. */
export const titlesOf = (body: string) =>
  (JSON.parse(body) as { data: { events: { title: string }[] } }).data.events.map((item) => item.title)

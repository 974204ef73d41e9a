/** A webhook receiver and a mail server that can be made to stall or to fail. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export type ReceiverMode = 'accepting' | 'stalling' | 'failing'

export interface Receiver {
  readonly url: string
  mode: ReceiverMode
  /** How often each webhook was accepted, by its ID, or how many emails, by their recipient. */
  readonly accepted: ReadonlyMap<string, number>
  close(): Promise<void>
}

export async function startWebhookReceiver(): Promise<Receiver> {
  const accepted = new Map<string, number>()
  const receiver = { mode: 'accepting' as ReceiverMode, accepted }
  const server = createServer((request, response) => {
    if (receiver.mode === 'stalling') return
    const id = String(request.headers['webhook-id'])
    request.resume().once('end', () => {
      if (receiver.mode === 'accepting') accepted.set(id, (accepted.get(id) ?? 0) + 1)
      response.writeHead(receiver.mode === 'accepting' ? 200 : 500).end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/hook`,
    async close() {
      server.closeAllConnections()
      server.close()
    },
  })
}

export async function startMailServer(): Promise<Receiver> {
  const accepted = new Map<string, number>()
  const receiver = { mode: 'accepting' as ReceiverMode, accepted }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const recipients = session.envelope.rcptTo.map(({ address }) => address)
      stream.resume().once('end', () => {
        if (receiver.mode === 'stalling') return
        if (receiver.mode === 'accepting')
          for (const address of recipients) accepted.set(address, (accepted.get(address) ?? 0) + 1)
        done(receiver.mode === 'failing' ? new Error('451 try again later') : null)
      })
    },
  })
  server.on('error', () => undefined) // connections that end in the middle
  const listener = server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo // it listens on a port
  return Object.assign(receiver, {
    url: `smtp://127.0.0.1:${port}`,
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>()
      server.close(resolve)
      await promise
    },
  })
}

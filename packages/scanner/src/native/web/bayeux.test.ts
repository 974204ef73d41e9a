import type { IncomingMessage, RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { findOnSite, observeSite } from '#native/testing/examine.ts'
import { bayeuxPathsIn } from '#native/web/bayeux.ts'

const page = '<!doctype html><title>Orders</title><script src="/faye/client.js"></script>'

async function answerTo(request: IncomingMessage, isOpen: boolean): Promise<string> {
  const received = await text(request)
  const [, channel] = /"channel":"([^"]+)"/.exec(received) ?? []
  const hasSession = channel === '/meta/handshake' || request.headers.cookie === 'session=a1'
  const successful = hasSession && (isOpen || channel !== '/meta/subscribe')
  return JSON.stringify([{ channel, successful, clientId: 'c1' }])
}

function messageServer(isOpen: boolean, front = page): RequestListener {
  return (request, response) => {
    if (request.url === '/') return void response.end(front)
    if (request.url !== '/faye' || request.method !== 'POST') return void response.writeHead(404).end()
    void answerTo(request, isOpen).then((answer) =>
      response.writeHead(200, { 'Set-Cookie': 'session=a1; Path=/' }).end(answer),
    )
  }
}

it('finds a server that accepts subscriptions to all channels', async () => {
  expect(await findOnSite(messageServer(true))).toContain('bayeux-subscription-open')
})

it('has no command, because curl would have to send a POST request', async () => {
  const found = (await observeSite(messageServer(true))).find(
    (observation) => observation.kind === 'finding' && observation.check === 'bayeux-subscription-open',
  )
  expect(found).toMatchObject({ location: expect.stringContaining('/faye') })
  expect(found).not.toHaveProperty('reproduce')
})

it.each([
  ['a server that rejects the subscription', messageServer(false)],
  ['a server that no page refers to', messageServer(true, '<title>Orders</title>')],
])('finds nothing on %s', async (_, server) => {
  expect(await findOnSite(server)).not.toContain('bayeux-subscription-open')
})

it('reads the path from links and from scripts', () => {
  const front = { path: '/shop/', body: '<script src="faye/client.js"></script>', status: 200 }
  const scripts = ["cometd.configure({ url: '/api/cometd' })"]
  expect(bayeuxPathsIn({ front: { ...front, headers: [], request: '', received: '' }, scripts })).toEqual([
    '/shop/faye',
    '/api/cometd',
  ])
})

import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import type { Reply } from '#testing/browser.ts'
import {
  complete,
  createTestIdentity,
  goodPassword,
  messageIds,
  newAddress,
  nodeWithId,
  sharedTestIdentity,
} from '#testing/test-identity.ts'

/** Asked as the owner of the challenge: every token but `good` is bad, and `good` is so once. */
const asked: URLSearchParams[] = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    const form = new URLSearchParams(body)
    asked.push(form)
    const success = form.get('secret') === 'secret' && (form.get('response') ?? '').startsWith('good')
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ success }))
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => void server.close())
const address = server.address()
const port = typeof address === 'object' ? address?.port : 0
const verifyUrl = `http://127.0.0.1:${port}/siteverify`
const identity = await sharedTestIdentity({ captcha: { siteKey: 'site', secret: 'secret', verifyUrl } })

const proof = (token: string) => ({ transient_payload: { captcha_turnstile_response: token } })
const signUp = (email: string, more: object) =>
  complete(identity.browser(), '/self-service/registration/browser', {
    method: 'password',
    password: goodPassword,
    traits: { email, name: { first: 'John', last: 'Frost' } },
    ...more,
  })
const submits = [
  ['login', { method: 'password', identifier: 'nobody@example.test', password: goodPassword }],
  ['recovery', { method: 'code', email: 'nobody@example.test' }],
  ['verification', { method: 'code', email: 'nobody@example.test' }],
  ['registration', { method: 'password' }],
] as const

it.each(submits)('shows the challenge on the form of %s', async (kind) => {
  const { body } = await identity.browser().get(`/self-service/${kind}/browser`)
  expect(nodeWithId(body, 'captcha')).toMatchObject({
    type: 'div',
    group: 'captcha',
    attributes: { data: { sitekey: 'site' } },
    meta: { label: { id: 1070015 } },
  })
})

it.each(submits)('takes no submit of %s without a proof, or with a bad one', async (kind, body) => {
  for (const more of [{}, proof('bad'), proof('x'.repeat(3000)), { transient_payload: 'text' }]) {
    const answer: Reply = await complete(identity.browser(), `/self-service/${kind}/browser`, { ...body, ...more })
    expect([answer.status, ...messageIds(answer.body)]).toEqual([400, 4000038])
  }
})

it('lets a person through, and asks the owner with the address of the person', async () => {
  const email = newAddress()
  expect((await signUp(email, proof('good-1'))).status).toBe(200)
  expect(asked.at(-1)?.get('remoteip')).toBe('127.0.0.1')
  const start = '/self-service/login/browser'
  const body = { method: 'password', identifier: email, password: goodPassword, ...proof('good-2') }
  expect((await complete(identity.browser(), start, body)).status).toBe(200)
})

it('asks once in a form that is sent again after a mistake', async () => {
  const browser = identity.browser()
  const { body: flow } = await browser.get('/self-service/login/browser')
  const csrf_token = flow.ui.nodes.find((node: Reply['body']) => node.attributes.name === 'csrf_token').attributes.value
  const body = { csrf_token, method: 'password', identifier: newAddress(), password: goodPassword }
  expect(messageIds((await browser.post(flow.ui.action, { ...body, ...proof('good') })).body)).toEqual([4000006])
  const before = asked.length
  expect(messageIds((await browser.post(flow.ui.action, body)).body)).toEqual([4000006])
  expect(asked.length).toBe(before)
})

it('lets nobody through while the owner cannot be asked', async () => {
  const captcha = { siteKey: 'site', secret: 'secret', verifyUrl: 'http://127.0.0.1:9/siteverify' }
  await using lonely = await createTestIdentity({ captcha })
  const body = { method: 'code', email: newAddress(), ...proof('good') }
  const answer = await complete(lonely.browser(), '/self-service/recovery/browser', body)
  expect(messageIds(answer.body)).toEqual([4000038])
})

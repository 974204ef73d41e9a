import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import type { Reply } from '#testing/browser.ts'
import {
  submitNewFlow,
  createTestIdentity,
  goodPassword,
  messageIds,
  newAddress,
  nodeWithId,
  sharedTestIdentity,
} from '#testing/test-identity.ts'

/** Fake CAPTCHA provider: accepts only tokens that start with `good`. */
const verifyRequests: URLSearchParams[] = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    const form = new URLSearchParams(body)
    verifyRequests.push(form)
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

const captchaToken = (token: string) => ({ transient_payload: { captcha_turnstile_response: token } })
const signUp = (email: string, extraFields: object) =>
  submitNewFlow(identity.browser(), '/self-service/registration/browser', {
    method: 'password',
    password: goodPassword,
    traits: { email, name: { first: 'John', last: 'Frost' } },
    ...extraFields,
  })
const submissions = [
  ['login', { method: 'password', identifier: 'nobody@example.test', password: goodPassword }],
  ['recovery', { method: 'code', email: 'nobody@example.test' }],
  ['verification', { method: 'code', email: 'nobody@example.test' }],
  ['registration', { method: 'password' }],
] as const

it.each(submissions)('shows the CAPTCHA on the %s form', async (kind) => {
  const { body } = await identity.browser().get(`/self-service/${kind}/browser`)
  expect(nodeWithId(body, 'captcha')).toMatchObject({
    type: 'div',
    group: 'captcha',
    attributes: { data: { sitekey: 'site' } },
    meta: { label: { id: 1070015 } },
  })
})

it.each(submissions)('rejects a %s submission with a missing or invalid CAPTCHA token', async (kind, body) => {
  for (const extraFields of [{}, captchaToken('bad'), captchaToken('x'.repeat(3000)), { transient_payload: 'text' }]) {
    const response: Reply = await submitNewFlow(identity.browser(), `/self-service/${kind}/browser`, {
      ...body,
      ...extraFields,
    })
    expect([response.status, ...messageIds(response.body)]).toEqual([400, 4000038])
  }
})

it('accepts a valid token and sends the client IP to the CAPTCHA provider', async () => {
  const email = newAddress()
  expect((await signUp(email, captchaToken('good-1'))).status).toBe(200)
  expect(verifyRequests.at(-1)?.get('remoteip')).toBe('127.0.0.1')
  const start = '/self-service/login/browser'
  const body = { method: 'password', identifier: email, password: goodPassword, ...captchaToken('good-2') }
  expect((await submitNewFlow(identity.browser(), start, body)).status).toBe(200)
})

it('does not verify the CAPTCHA again when the form is resubmitted', async () => {
  const browser = identity.browser()
  const { body: flow } = await browser.get('/self-service/login/browser')
  const csrf_token = flow.ui.nodes.find((node: Reply['body']) => node.attributes.name === 'csrf_token').attributes.value
  const body = { csrf_token, method: 'password', identifier: newAddress(), password: goodPassword }
  expect(messageIds((await browser.post(flow.ui.action, { ...body, ...captchaToken('good') })).body)).toEqual([4000006])
  const before = verifyRequests.length
  expect(messageIds((await browser.post(flow.ui.action, body)).body)).toEqual([4000006])
  expect(verifyRequests.length).toBe(before)
})

it('fails closed when the CAPTCHA provider is unreachable', async () => {
  const captcha = { siteKey: 'site', secret: 'secret', verifyUrl: 'http://127.0.0.1:9/siteverify' }
  await using offline = await createTestIdentity({ captcha })
  const body = { method: 'code', email: newAddress(), ...captchaToken('good') }
  const response = await submitNewFlow(offline.browser(), '/self-service/recovery/browser', body)
  expect(messageIds(response.body)).toEqual([4000038])
})

import { expect, it } from 'vitest'
import { messageIds, newAddress, register, sharedTestIdentity, valueOf } from '#testing/test-identity.ts'

const identity = await sharedTestIdentity({ methods: { code: 'first' }, registrationStyle: 'two-step' })

const fields = ['identifier', 'password', 'email', 'code', 'method', 'traits.email', 'traits.name.first', 'totp_code']
const flows = ['login', 'registration', 'verification', 'recovery', 'settings']
const cases = flows.flatMap((flow) => fields.map((field) => [flow, field] as const))

it.each(cases)('returns the %s form if %s contains invalid characters', async (kind, field) => {
  const browser = identity.browser()
  if (kind === 'settings') await register(browser, newAddress())
  const { body: flow } = await browser.get(`/self-service/${kind}/browser`)
  for (const text of ['a\0b', '\ud800']) {
    const method = kind === 'recovery' || kind === 'verification' ? 'code' : 'password'
    const sent = { csrf_token: valueOf(flow, 'csrf_token'), method, [field]: text }
    const { status, body } = await browser.post(flow.ui.action, sent)
    expect([status, ...messageIds(body)]).toEqual([400, 4000001])
  }
})

it.each([
  ...flows.flatMap((kind) => [
    `/self-service/${kind}/browser?return_to=%00&aal=%00&identity_schema=%00&after_verification_return_to=%00&x=%00`,
    `/self-service/${kind}/browser?refresh=%00&x=%00&y=%ED%A0%80`,
    `/self-service/${kind}/flows?id=%00`,
    `/self-service/${kind}?flow=%00&code=%00`,
  ]),
  '/self-service/logout?token=%00&return_to=%00',
  '/self-service/errors?id=%00',
  '/self-service/methods/oidc/callback/%00?state=%00&code=%00',
  '/self-service/login/browser?login_challenge=%00',
  '/schemas/%00',
  '/sessions?page_token=%00',
])('does not return a 5xx status for %s', async (path) => {
  const browser = identity.browser()
  await browser.get('/self-service/login/browser')
  expect((await browser.get(path)).status).toBeLessThan(500)
})

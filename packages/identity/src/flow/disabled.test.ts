import { expect, it } from 'vitest'
import { sharedTestIdentity } from '#testing/test-identity.ts'

const identity = await sharedTestIdentity({
  disabledFlows: ['registration', 'recovery', 'verification'],
  methods: { password: false, passkey: false, webauthn: false, totp: false, lookupSecret: false },
})

it.each([
  ['registration', 'self_service_flow_disabled'],
  ['recovery', undefined],
  ['verification', undefined],
])('rejects starting %s', async (kind, id) => {
  const { status, body } = await identity.browser().get(`/self-service/${kind}/browser`)
  expect([status, body.error.id]).toEqual([400, id])
  expect(body.error.reason).toMatch(/not allowed because it was disabled/)
})

it('returns a login form without methods', async () => {
  const { status, body } = await identity.browser().get('/self-service/login/browser')
  const names = body.ui.nodes.map((node: { attributes: { name: string } }) => node.attributes.name)
  expect([status, names]).toEqual([200, ['csrf_token']])
})

import { Flow, Session } from '@glacis/contract/identity'
import { expect, it } from 'vitest'
import { VirtualAuthenticator } from '#testing/authenticator.ts'
import {
  submitNewFlow,
  enrollLookupSecrets,
  enrollTotp,
  newAddress,
  register,
  sharedTestIdentity,
  signIn,
  valueOf,
} from '#testing/test-identity.ts'

const acme = { id: 'acme', issuer: 'https://id.acme.example', clientId: 'x' }
const identity = await sharedTestIdentity({ methods: { code: 'first', oidc: [acme] } })

const settings = '/self-service/settings/browser'

it('returns flows that match the contract with all methods enabled and enrolled', async () => {
  const browser = identity.browser()
  const email = newAddress()
  Flow.parse((await browser.get('/self-service/login/browser')).body)
  Flow.parse((await browser.get('/self-service/registration/browser')).body)
  await register(browser, email)
  Flow.parse((await browser.get(settings)).body)
  await enrollTotp(identity, browser)
  await enrollLookupSecrets(browser)
  const { body: flow } = await browser.get(settings)
  const { publicKey } = JSON.parse(valueOf(flow, 'passkey_create_data'))
  const added = await browser.post(flow.ui.action, {
    csrf_token: valueOf(flow, 'csrf_token'),
    passkey_settings_register: new VirtualAuthenticator().create(publicKey),
  })
  expect(Flow.parse(added.body).state).toBe('success')
  const revealed = await submitNewFlow(browser, settings, { lookup_secret_reveal: true })
  Flow.parse(revealed.body)
  Flow.parse((await browser.get(settings)).body)
  Flow.parse((await browser.get('/self-service/login/browser?refresh=true')).body)
  Session.parse((await browser.get('/sessions/whoami')).body)
  const firstFactorOnly = identity.browser()
  await signIn(firstFactorOnly, email)
  Flow.parse((await firstFactorOnly.get('/self-service/login/browser?aal=aal2')).body)
})

it.each(['oddd@local', 'a@b', 'ä@ö.de', 'Jörg@exämple.de'])(
  'accepts %s for registration and sign-in',
  async (email) => {
    const browser = identity.browser()
    expect((await register(browser, email)).status).toBe(200)
    const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    expect((await identity.service.whoami({ cookie }))?.identity.traits.email).toBe(email)
    const again = identity.browser()
    expect((await signIn(again, email)).status).toBe(200)
    Session.parse((await again.get('/sessions/whoami')).body)
  },
)

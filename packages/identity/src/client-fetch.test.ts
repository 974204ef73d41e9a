/** Runs the official Ory client against the service. */
import { Configuration, FrontendApi, ResponseError, type UiNode } from '@ory/client-fetch'
import { expect, it } from 'vitest'
import {
  codeIn,
  enrollTotp,
  goodPassword,
  newAddress,
  portalUrl,
  register,
  sharedTestIdentity,
  totpAt,
} from '#testing/test-identity.ts'
import type { Browser, Reply } from '#testing/browser.ts'

const identity = await sharedTestIdentity({ listens: true })

/** An API client that uses the browser's cookies. */
function client(browser: Browser = identity.browser()) {
  const fetchApi: typeof fetch = async (input, init) => {
    const { method = 'GET', headers = {}, body } = init ?? {}
    const request = (url: string) =>
      browser.ask(method === 'DELETE' || method === 'POST' ? method : 'GET', url, {
        headers: Object.fromEntries(new Headers(headers)),
        ...(typeof body === 'string' && { body }),
      })
    let response = await request(String(input))
    // Follow redirects, like fetch.
    if (response.status === 303) {
      const accept = { accept: 'application/json' }
      response = await browser.ask('GET', String(response.headers['location']), { headers: accept })
    }
    const type = String(response.headers['content-type'] ?? '')
    return new Response(response.status === 204 ? null : response.text, {
      status: response.status,
      headers: { 'content-type': type },
    })
  }
  const configuration = new Configuration({
    basePath: 'http://service.test',
    headers: { Accept: 'application/json' },
    fetchApi,
  })
  return { browser, api: new FrontendApi(configuration) }
}

const csrfTokenOf = ({ ui }: { ui: { nodes: UiNode[] } }): string => {
  for (const { attributes } of ui.nodes) {
    if (attributes.node_type === 'input' && attributes.name === 'csrf_token') return String(attributes.value)
  }
  throw new Error('No token')
}
/** The error response of a failing call. */
async function errorOf(call: Promise<unknown>): Promise<{ status: number; body: Reply['body'] }> {
  const error: unknown = await call.then(() => null).catch((cause: unknown) => cause)
  if (!(error instanceof ResponseError)) throw error ?? new Error('The call succeeded')
  return { status: error.response.status, body: await error.response.json() }
}

async function registerUser() {
  const { browser, api } = client()
  const email = newAddress()
  const flow = await api.createBrowserRegistrationFlow()
  const registration = await api.updateRegistrationFlow({
    flow: flow.id,
    updateRegistrationFlowBody: {
      method: 'password',
      csrf_token: csrfTokenOf(flow),
      traits: { email, name: { first: 'John', last: 'Frost' } },
      password: goodPassword,
    },
  })
  return { browser, api, email, registration }
}

it('signs up and fetches the flow', async () => {
  const { api } = client()
  const flow = await api.createBrowserRegistrationFlow({ afterVerificationReturnTo: `${portalUrl}/scope` })
  expect((await api.getRegistrationFlow({ id: flow.id })).id).toBe(flow.id)
  const { registration, email } = await registerUser()
  expect([registration.identity.traits.email, registration.session?.active]).toEqual([email, true])
  expect(registration.continue_with?.map(({ action }) => action)).toEqual([
    'redirect_browser_to',
    'show_verification_ui',
  ])
})

it('rejects a wrong password and accepts the correct one', async () => {
  const { email } = await registerUser()
  const { api } = client()
  const flow = await api.createBrowserLoginFlow({ refresh: true, returnTo: `${portalUrl}/scope` })
  expect((await api.getLoginFlow({ id: flow.id })).return_to).toBe(`${portalUrl}/scope`)
  const send = (password: string) =>
    api.updateLoginFlow({
      flow: flow.id,
      updateLoginFlowBody: { method: 'password', csrf_token: csrfTokenOf(flow), identifier: email, password },
    })
  const wrong = await errorOf(send('wrong password'))
  expect([wrong.status, wrong.body.ui.messages[0].id]).toEqual([400, 4000006])
  const { session } = await send(goodPassword)
  expect(session.authentication_methods?.[0]?.method).toBe('password')
  expect((await api.toSession()).expires_at).toBeInstanceOf(Date)
})

it('requires and accepts a second factor', async () => {
  const browser = identity.browser()
  const email = newAddress()
  await register(browser, email)
  const secret = await enrollTotp(identity, browser)
  identity.advance(31_000)
  const { api } = client()
  const first = await api.createBrowserLoginFlow()
  const needed = await errorOf(
    api.updateLoginFlow({
      flow: first.id,
      updateLoginFlowBody: {
        method: 'password',
        csrf_token: csrfTokenOf(first),
        identifier: email,
        password: goodPassword,
      },
    }),
  )
  expect([needed.status, needed.body.error.id]).toEqual([422, 'browser_location_change_required'])
  expect((await errorOf(api.toSession())).body.error.id).toBe('session_aal2_required')
  const second = await api.createBrowserLoginFlow({ aal: 'aal2' })
  const totp_code = totpAt(secret, identity.now())
  const { session } = await api.updateLoginFlow({
    flow: second.id,
    updateLoginFlowBody: { method: 'totp', csrf_token: csrfTokenOf(second), totp_code },
  })
  expect(session.authenticator_assurance_level).toBe('aal2')
})

it('verifies an address', async () => {
  const { email } = await registerUser()
  const { api } = client()
  const flow = await api.createBrowserVerificationFlow({ returnTo: `${portalUrl}/scope` })
  const csrf_token = csrfTokenOf(flow)
  const send = (body: { email: string } | { code: string }) =>
    api.updateVerificationFlow({ flow: flow.id, updateVerificationFlowBody: { method: 'code', csrf_token, ...body } })
  expect((await send({ email })).state).toBe('sent_email')
  expect((await send({ code: codeIn((await identity.mailsTo(email, 2)).at(-1)) })).state).toBe('passed_challenge')
  expect((await api.getVerificationFlow({ id: flow.id })).ui.messages?.[0]?.id).toBe(1080002)
})

it('recovers an account and sets a new password', async () => {
  const { email } = await registerUser()
  const { api } = client()
  const flow = await api.createBrowserRecoveryFlow()
  expect((await api.getRecoveryFlow({ id: flow.id })).state).toBe('choose_method')
  const csrf_token = csrfTokenOf(flow)
  const send = (body: { email: string } | { code: string }) =>
    api.updateRecoveryFlow({ flow: flow.id, updateRecoveryFlowBody: { method: 'code', csrf_token, ...body } })
  await send({ email })
  const done = await errorOf(send({ code: codeIn((await identity.mailsTo(email, 2)).at(-1)) }))
  expect(done.status).toBe(422)
  const id = String(done.body.redirect_browser_to).split('=')[1] ?? ''
  const settings = await api.getSettingsFlow({ id })
  expect(settings.ui.messages?.[0]?.id).toBe(1060001)
  const changed = await api.updateSettingsFlow({
    flow: id,
    updateSettingsFlowBody: { method: 'password', csrf_token: csrfTokenOf(settings), password: `${goodPassword}-2` },
  })
  expect([changed.state, changed.continue_with?.[0]?.action]).toEqual(['success', 'redirect_browser_to'])
})

it('updates the profile', async () => {
  const { api, email } = await registerUser()
  const flow = await api.createBrowserSettingsFlow()
  const traits = { email, name: { first: 'Jane', last: 'Frost' } }
  const saved = await api.updateSettingsFlow({
    flow: flow.id,
    updateSettingsFlowBody: { method: 'profile', csrf_token: csrfTokenOf(flow), traits },
  })
  expect([saved.state, saved.identity.traits]).toEqual(['success', traits])
})

it('lists and revokes sessions and signs out', async () => {
  const { api, email } = await registerUser()
  const others = [client(), client(), client()]
  for (const { api: other } of others) {
    const flow = await other.createBrowserLoginFlow()
    const body = {
      method: 'password',
      csrf_token: csrfTokenOf(flow),
      identifier: email,
      password: goodPassword,
    } as const
    await other.updateLoginFlow({ flow: flow.id, updateLoginFlowBody: body })
  }
  const listed = await api.listMySessions()
  expect(listed).toHaveLength(3)
  await api.disableMySession({ id: listed[0]?.id ?? '' })
  expect(await api.disableMyOtherSessions()).toEqual({ count: 2 })
  expect(await api.listMySessions()).toEqual([])
  const { logout_token: token } = await api.createBrowserLogoutFlow({ returnTo: `${portalUrl}/login` })
  await api.updateLogoutFlow({ token })
  expect((await errorOf(api.toSession())).status).toBe(401)
})

it('fetches a stored error and the WebAuthn script', async () => {
  const { browser, api } = client()
  const sent = await browser.open('/self-service/login/browser?aal=aal2')
  const { id, error } = await api.getFlowError({ id: String(sent.headers['location']).split('=')[1] ?? '' })
  expect([id.length, Reflect.get(error ?? {}, 'id')]).toEqual([36, 'session_aal1_required'])
  expect(await api.getWebAuthnJavaScript()).toContain('oryPasskeyLogin')
})

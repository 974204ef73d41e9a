import { createHash } from 'node:crypto'
import { createContext, runInContext } from 'node:vm'
import { expect, it } from 'vitest'
import { VirtualAuthenticator } from '#testing/authenticator.ts'
import type { Browser, Reply } from '#testing/browser.ts'
import {
  submitNewFlow,
  messageIds,
  messageIdsOn,
  newAddress,
  nodeOf,
  nodeWithId,
  register,
  sharedTestIdentity,
  signIn,
  valueOf,
} from '#testing/test-identity.ts'

const identity = await sharedTestIdentity()

const settings = '/self-service/settings/browser'
const login = '/self-service/login/browser'
const registration = '/self-service/registration/browser'

async function registerUser() {
  const browser = identity.browser()
  const email = newAddress()
  await register(browser, email)
  return { browser, email }
}
const startFlow = async (browser: Browser, start: string) => (await browser.get(start)).body
const submit = (browser: Browser, flow: Reply['body'], body: Record<string, unknown>) =>
  browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), ...body })
const publicKeyIn = (flow: Reply['body'], name: string) => JSON.parse(valueOf(flow, name)).publicKey

async function addPasskey(browser: Browser, authenticator = new VirtualAuthenticator()) {
  const flow = await startFlow(browser, settings)
  const made = authenticator.create(publicKeyIn(flow, 'passkey_create_data'))
  return {
    authenticator,
    made,
    answer: await submit(browser, flow, { method: 'passkey', passkey_settings_register: made }),
  }
}
async function signInWithPasskey(authenticator: VirtualAuthenticator, overrides = {}) {
  const browser = identity.browser()
  const flow = await startFlow(browser, login)
  const passkey_login = authenticator.get(publicKeyIn(flow, 'passkey_challenge'), overrides)
  return { browser, flow, passkey_login, answer: await submit(browser, flow, { method: 'passkey', passkey_login }) }
}
async function signUpWithPasskey(authenticator: VirtualAuthenticator, email = newAddress()) {
  const browser = identity.browser()
  const flow = await startFlow(browser, registration)
  const data = JSON.parse(valueOf(flow, 'passkey_create_data'))
  const passkey_register = authenticator.create(data.credentialOptions.publicKey)
  const traits = { email, name: { first: 'John', last: 'Frost' } }
  const body = { method: 'passkey', passkey_register, traits }
  return { browser, flow, body, answer: await submit(browser, flow, body) }
}

it('serves the script with the integrity of its node', async () => {
  const browser = identity.browser()
  const { attributes } = nodeWithId(await startFlow(browser, login), 'webauthn_script')
  const { text, headers } = await browser.get(attributes.src)
  expect(attributes.integrity).toBe(`sha512-${createHash('sha512').update(text).digest('base64')}`)
  expect(headers['content-type']).toBe('text/javascript; charset=UTF-8')
  expect(headers['access-control-allow-origin']).toBe('http://localhost:3000')
})

it('defines its functions once under both names and dispatches an event', async () => {
  const { text } = await identity.browser().get('/.well-known/ory/webauthn.js')
  const dispatched: string[] = []
  const window: Record<string, unknown> = {
    PublicKeyCredential: {},
    dispatchEvent: ({ type }: Event) => dispatched.push(type),
  }
  const context = createContext({ window, CustomEvent })
  runInContext(text, context)
  const first = window['oryPasskeyLogin']
  runInContext(text, context)
  expect(window['oryPasskeyLogin']).toBe(first)
  expect(dispatched).toEqual(['oryWebAuthnInitialized'])
  const names = ['WebAuthnLogin', 'WebAuthnRegistration', 'PasskeyLogin', 'PasskeyLoginAutocompleteInit']
  for (const name of [...names, 'PasskeyRegistration', 'PasskeySettingsRegistration']) {
    expect([typeof window[`ory${name}`], typeof window[`__ory${name}`]]).toEqual(['function', 'function'])
  }
})

it('writes the authenticator response to the form and submits it', async () => {
  const { text } = await identity.browser().get('/.well-known/ory/webauthn.js')
  const sent: string[] = []
  const input = { value: '', closest: () => ({ submit: () => sent.push(input.value) }) }
  const challenge = { value: JSON.stringify({ publicKey: { challenge: 'AQID', allowCredentials: [{ id: 'BA' }] } }) }
  const bytes = (...values: number[]) => Uint8Array.from(values).buffer
  const decoded: unknown[] = []
  const get = async ({
    publicKey,
  }: {
    publicKey: { challenge: Uint8Array; allowCredentials: { id: Uint8Array }[] }
  }) => {
    decoded.push([...publicKey.challenge], [...(publicKey.allowCredentials[0]?.id ?? [])])
    const response = {
      authenticatorData: bytes(255, 254),
      clientDataJSON: bytes(1),
      signature: bytes(2),
      userHandle: bytes(3),
    }
    return { id: 'BA', rawId: bytes(4), type: 'public-key', response }
  }
  const window: Record<string, unknown> = { PublicKeyCredential: {}, dispatchEvent: () => true }
  const document = { querySelector: (selector: string) => (selector.includes('challenge') ? challenge : input) }
  const globals = { window, document, navigator: { credentials: { get } }, CustomEvent, atob, btoa }
  runInContext(text, createContext(globals))
  await (window['oryPasskeyLogin'] as () => Promise<void>)() // defined by the script; see the previous test
  expect(decoded).toEqual([[1, 2, 3], [4]])
  expect(sent.map((value) => JSON.parse(value))).toEqual([
    {
      id: 'BA',
      rawId: 'BA',
      type: 'public-key',
      response: { authenticatorData: '__4', clientDataJSON: 'AQ', signature: 'Ag', userHandle: 'Aw' },
    },
  ])
})

it('creates credential options that follow the protocol', async () => {
  const { browser, email } = await registerUser()
  const flow = await startFlow(browser, settings)
  const { challenge, user, pubKeyCredParams, ...rest } = publicKeyIn(flow, 'passkey_create_data')
  expect([Buffer.from(challenge, 'base64url').length, user.name]).toEqual([32, email])
  expect(pubKeyCredParams[0]).toEqual({ type: 'public-key', alg: -7 })
  expect(rest).toEqual({
    rp: { name: 'Glacis', id: 'localhost' },
    timeout: 300_000,
    authenticatorSelection: {
      authenticatorAttachment: 'platform',
      requireResidentKey: true,
      residentKey: 'required',
      userVerification: 'preferred',
    },
  })
})

it('signs in with a passkey without an identifier', async () => {
  const { browser, email } = await registerUser()
  const { authenticator, answer: added } = await addPasskey(browser)
  expect(added.status).toBe(200)
  const { answer } = await signInWithPasskey(authenticator)
  expect([answer.status, answer.body.session.identity.traits.email]).toEqual([200, email])
})

it.each([
  ['another origin', { origin: 'http://localhost:9999' }],
  ['another host', { rpId: 'evil.example' }],
  ['another challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
])('SEC-A7 rejects an assertion for %s', async (_what, overrides) => {
  const { authenticator } = await addPasskey((await registerUser()).browser)
  const { answer } = await signInWithPasskey(authenticator, overrides)
  expect([answer.status, ...messageIds(answer.body)]).toEqual([400, 4000008])
})

it.each([
  ['another origin', { origin: 'http://localhost:9999' }],
  ['another host', { rpId: 'evil.example' }],
  ['another challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
])('rejects an attestation for %s', async (_what, overrides) => {
  const { browser } = await registerUser()
  const flow = await startFlow(browser, settings)
  const made = new VirtualAuthenticator().create(publicKeyIn(flow, 'passkey_create_data'), overrides)
  const { status, body } = await submit(browser, flow, { method: 'passkey', passkey_settings_register: made })
  expect([status, ...messageIds(body), nodeOf(body, 'passkey_remove')]).toEqual([400, 4000001, undefined])
})

it('SEC-A7 accepts a challenge once and issues a new one after an error', async () => {
  const { authenticator } = await addPasskey((await registerUser()).browser)
  const wrong = await signInWithPasskey(authenticator, { origin: 'http://localhost:9999' })
  const before = publicKeyIn(wrong.flow, 'passkey_challenge')
  const again = authenticator.get(before)
  const { status } = await submit(wrong.browser, wrong.flow, { method: 'passkey', passkey_login: again })
  expect(status).toBe(400)
  const { body: flow } = await wrong.browser.get(`/self-service/login/flows?id=${wrong.flow.id}`)
  expect(publicKeyIn(flow, 'passkey_challenge').challenge).not.toBe(before.challenge)
  const right = authenticator.get(publicKeyIn(flow, 'passkey_challenge'))
  expect((await submit(wrong.browser, flow, { method: 'passkey', passkey_login: right })).status).toBe(200)
})

it('rejects an assertion replayed in another flow', async () => {
  const { authenticator } = await addPasskey((await registerUser()).browser)
  const { passkey_login } = await signInWithPasskey(authenticator)
  const { status } = await submitNewFlow(identity.browser(), login, { method: 'passkey', passkey_login })
  expect(status).toBe(400)
})

it('SEC-A7 rejects and reports a counter that did not increase', async () => {
  const { authenticator } = await addPasskey((await registerUser()).browser)
  expect((await signInWithPasskey(authenticator, { counter: 9 })).answer.status).toBe(200)
  const { answer } = await signInWithPasskey(authenticator, { counter: 9 })
  expect([answer.status, ...messageIds(answer.body)]).toEqual([400, 4000008])
  expect(identity.events.map(({ kind }) => kind)).toContain('key_cloned')
})

it('signs up with a passkey and prevents its removal as the last first factor', async () => {
  const authenticator = new VirtualAuthenticator()
  const { browser, answer } = await signUpWithPasskey(authenticator)
  expect([answer.status, answer.body.session.authentication_methods[0].method]).toEqual([200, 'passkey'])
  const flow = await startFlow(browser, settings)
  expect(nodeOf(flow, 'passkey_remove').attributes.disabled).toBe(true)
  const { status, body } = await submit(browser, flow, {
    method: 'passkey',
    passkey_remove: valueOf(flow, 'passkey_remove'),
  })
  expect([status, ...messageIdsOn(body, 'webauthn_remove')]).toEqual([400, 4000001])
  expect((await signInWithPasskey(authenticator)).answer.status).toBe(200)
})

it('keeps one of two passkeys that are removed concurrently', async () => {
  const { browser } = await signUpWithPasskey(new VirtualAuthenticator())
  await addPasskey(browser)
  const flow = await startFlow(browser, settings)
  const keys: string[] = flow.ui.nodes
    .filter((node: Reply['body']) => node.attributes.name === 'passkey_remove')
    .map((node: Reply['body']) => node.attributes.value)
  const answers = await Promise.all(
    keys.map((passkey_remove) => submit(browser, flow, { method: 'passkey', passkey_remove })),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
})

it('creates no account if the attestation is rejected', async () => {
  const email = newAddress()
  const { browser, flow, body } = await signUpWithPasskey(new VirtualAuthenticator())
  await browser.get((await browser.get('/self-service/logout/browser')).body.logout_url)
  const other = identity.browser()
  const response = await submitNewFlow(other, registration, { ...body, traits: { ...body.traits, email } })
  expect([response.status, flow.id === response.body.id]).toEqual([400, false])
  expect((await register(identity.browser(), email)).status).toBe(200)
})

it('rejects a key that belongs to another account', async () => {
  const { browser } = await registerUser()
  const { made } = await addPasskey(browser)
  const { body } = await browser.get(settings)
  const again = await submit(browser, body, { method: 'passkey', passkey_settings_register: made })
  expect(again.status).toBe(400)
})

it('names a passkey after its provider', async () => {
  const { browser } = await registerUser()
  const aaguid = Buffer.from('bada5566a7aa401fbd9645619a55120d', 'hex')
  const { answer } = await addPasskey(browser, new VirtualAuthenticator(aaguid))
  expect(nodeOf(answer.body, 'passkey_remove').meta.label.context.display_name).toBe('1Password')
})

it('requires the security key after the password', async () => {
  const { browser, email } = await registerUser()
  const flow = await startFlow(browser, settings)
  const authenticator = new VirtualAuthenticator()
  const added = await submit(browser, flow, {
    method: 'webauthn',
    webauthn_register: authenticator.create(publicKeyIn(flow, 'webauthn_register_trigger')),
    webauthn_register_displayname: 'Blue key',
  })
  expect(nodeOf(added.body, 'webauthn_remove').meta.label.context.display_name).toBe('Blue key')
  const other = identity.browser()
  expect((await signIn(other, email)).status).toBe(422)
  const second = await startFlow(other, `${login}?aal=aal2`)
  const response = await submit(other, second, {
    webauthn_login: authenticator.get(publicKeyIn(second, 'webauthn_login_trigger')),
  })
  expect([response.status, response.body.session.authenticator_assurance_level]).toEqual([200, 'aal2'])
})

it('rejects a security key as a first factor', async () => {
  const { browser } = await registerUser()
  const flow = await startFlow(browser, settings)
  const authenticator = new VirtualAuthenticator()
  const webauthn_register = authenticator.create(publicKeyIn(flow, 'webauthn_register_trigger'))
  await submit(browser, flow, { method: 'webauthn', webauthn_register })
  const { answer } = await signInWithPasskey(authenticator)
  expect([answer.status, ...messageIds(answer.body)]).toEqual([400, 4000015])
})

it('requires reauthentication to change keys without a privileged session', async () => {
  const { browser } = await registerUser()
  await addPasskey(browser)
  const flow = await startFlow(browser, settings)
  identity.advance(3600_001)
  for (const body of [
    { passkey_remove: valueOf(flow, 'passkey_remove') },
    { passkey_settings_register: new VirtualAuthenticator().create(publicKeyIn(flow, 'passkey_create_data')) },
    { webauthn_register: new VirtualAuthenticator().create(publicKeyIn(flow, 'webauthn_register_trigger')) },
  ]) {
    expect((await submitNewFlow(browser, settings, body)).body.error.id).toBe('session_refresh_required')
  }
})

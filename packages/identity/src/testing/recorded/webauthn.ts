/** Recorded cases: passkeys and security keys. */
import { VirtualAuthenticator } from '#testing/authenticator.ts'
import type { Browser, Reply } from '#testing/browser.ts'
import { submitNewFlow, signIn, valueOf } from '#testing/test-identity.ts'
import {
  type Case,
  startFlow,
  newBrowser,
  signedInUser,
  selfService,
  submitJson,
  submitForm,
} from '#testing/scenarios.ts'

const settings = `${selfService}/settings/browser`
const login = `${selfService}/login/browser`

/** The `publicKey` options in a node's value. */
export const publicKeyIn = (flow: Reply['body'], name: string) => JSON.parse(valueOf(flow, name)).publicKey

/** Adds a passkey for the signed-in user. */
export async function addPasskey(browser: Browser, key = new VirtualAuthenticator()) {
  const flow = await startFlow(browser, 'settings')
  const response = await submitJson(browser, flow, {
    method: 'passkey',
    passkey_settings_register: key.create(publicKeyIn(flow, 'passkey_create_data')),
  })
  return { key, response }
}
/** Adds a security key for the signed-in user. */
export async function addSecurityKey(browser: Browser, key = new VirtualAuthenticator()) {
  const flow = await startFlow(browser, 'settings')
  const response = await submitJson(browser, flow, {
    webauthn_register: key.create(publicKeyIn(flow, 'webauthn_register_trigger')),
    webauthn_register_displayname: 'My key',
    method: 'webauthn',
  })
  return { key, response }
}
async function userWithPasskey() {
  const { browser, email } = await signedInUser()
  const { key } = await addPasskey(browser)
  return { browser, email, key }
}
async function firstFactorOnly() {
  const { browser, email } = await signedInUser()
  const { key } = await addSecurityKey(browser)
  const newSession = newBrowser()
  await signIn(newSession, email)
  return { browser: newSession, owner: browser, key }
}
const signPasskeyLogin = async (key: VirtualAuthenticator, overrides = {}) => {
  const browser = newBrowser()
  const flow = await startFlow(browser, 'login')
  return { browser, flow, passkey_login: key.get(publicKeyIn(flow, 'passkey_challenge'), overrides) }
}

export const webauthnCases: readonly Case[] = [
  ['login/passkey-nodes', 0, () => newBrowser().get(login)],
  [
    'login/passkey-not-json',
    0,
    () => submitNewFlow(newBrowser(), login, { method: 'passkey', passkey_login: 'not json' }),
  ],
  ['login/passkey-not-json', 1, () => submitNewFlow(newBrowser(), login, { method: 'passkey', passkey_login: '' })],
  [
    'login/passkey-ok',
    0,
    async () => {
      const { browser, flow, passkey_login } = await signPasskeyLogin((await userWithPasskey()).key)
      return submitJson(browser, flow, { method: 'passkey', passkey_login })
    },
  ],
  [
    'login/passkey-ok',
    1,
    async () => {
      const { browser, flow, passkey_login } = await signPasskeyLogin((await userWithPasskey()).key)
      return submitJson(browser, flow, { passkey_login })
    },
  ],
  [
    'login/passkey-ok',
    2,
    async () => {
      const { browser, flow, passkey_login } = await signPasskeyLogin((await userWithPasskey()).key)
      return submitForm(browser, flow, { identifier: '', password: '', passkey_login })
    },
  ],
  [
    'login/passkey-unknown-handle',
    0,
    async () => {
      const unknownHandle = Buffer.from('nobody').toString('base64url')
      const { browser, flow, passkey_login } = await signPasskeyLogin((await userWithPasskey()).key, {
        userHandle: unknownHandle,
      })
      return submitJson(browser, flow, { method: 'passkey', passkey_login })
    },
  ],
  [
    'login/passkey-other-flow',
    0,
    async () => {
      const { passkey_login } = await signPasskeyLogin((await userWithPasskey()).key)
      return submitNewFlow(newBrowser(), login, { method: 'passkey', passkey_login })
    },
  ],
  [
    'login/passkey-wrong-origin',
    0,
    async () => {
      const { key } = await userWithPasskey()
      const { browser, flow, passkey_login } = await signPasskeyLogin(key, { origin: 'http://localhost:9999' })
      return submitJson(browser, flow, { method: 'passkey', passkey_login })
    },
  ],
  ['login/passkey-refresh', 0, async () => (await userWithPasskey()).browser.get(`${login}?refresh=true`)],
  [
    'login/passkey-refresh',
    1,
    async () => {
      const { browser, key } = await userWithPasskey()
      const flow = await startFlow(browser, 'login', '?refresh=true')
      return submitJson(browser, flow, {
        method: 'passkey',
        passkey_login: key.get(publicKeyIn(flow, 'passkey_challenge')),
      })
    },
  ],
  ['login/webauthn-aal2', 0, async () => (await firstFactorOnly()).browser.get(`${login}?aal=aal2`)],
  [
    'login/webauthn-aal2',
    1,
    async () =>
      submitNewFlow((await firstFactorOnly()).browser, `${login}?aal=aal2`, {
        webauthn_login: 'not json',
        method: 'webauthn',
      }),
  ],
  [
    'login/webauthn-aal2',
    2,
    async () => {
      const { browser, key } = await firstFactorOnly()
      const flow = await startFlow(browser, 'login', '?aal=aal2')
      return submitJson(browser, flow, {
        webauthn_login: key.get(publicKeyIn(flow, 'webauthn_login_trigger')),
        method: 'webauthn',
      })
    },
  ],
  ['settings/passkey-nodes', 0, async () => (await signedInUser()).browser.get(settings)],
  ['settings/passkey-add', 0, async () => (await addPasskey((await signedInUser()).browser)).response],
  [
    'settings/passkey-remove',
    0,
    async () => {
      const { browser } = await userWithPasskey()
      const flow = await startFlow(browser, 'settings')
      return submitJson(browser, flow, { method: 'passkey', passkey_remove: valueOf(flow, 'passkey_remove') })
    },
  ],
  [
    'settings/passkey-remove',
    1,
    async () => {
      const { browser, key } = await userWithPasskey()
      const flow = await startFlow(browser, 'settings')
      await submitJson(browser, flow, { method: 'passkey', passkey_remove: valueOf(flow, 'passkey_remove') })
      const response = await signPasskeyLogin(key)
      return submitJson(response.browser, response.flow, { method: 'passkey', passkey_login: response.passkey_login })
    },
  ],
  [
    'settings/passkey-remove-unknown',
    0,
    async () =>
      submitNewFlow((await userWithPasskey()).browser, settings, {
        method: 'passkey',
        passkey_remove: '00ff'.repeat(16),
      }),
  ],
  ...(['not json', '{}', ''] as const).map((given, index): Case => [
    'settings/passkey-wrong',
    index,
    async () =>
      submitNewFlow((await signedInUser()).browser, settings, { method: 'passkey', passkey_settings_register: given }),
  ]),
  ['settings/webauthn-add', 0, async () => (await addSecurityKey((await signedInUser()).browser)).response],
  [
    'settings/webauthn-remove',
    0,
    async () => {
      const { owner } = await firstFactorOnly()
      const flow = await startFlow(owner, 'settings')
      return submitJson(owner, flow, { webauthn_remove: valueOf(flow, 'webauthn_remove') })
    },
  ],
]

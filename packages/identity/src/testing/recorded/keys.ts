/** Answers about passkeys and security keys that were recorded, and how to come by our own. */
import { Authenticator } from '#testing/authenticator.ts'
import type { Browser, Reply } from '#testing/browser.ts'
import { complete, signIn, valueOf } from '#testing/test-identity.ts'
import { type Case, begin, fresh, member, self, send, sendForm } from '#testing/scenarios.ts'

const settings = `${self}/settings/browser`
const login = `${self}/login/browser`

/** What the page's script would be given. */
export const asked = (flow: Reply['body'], name: string) => JSON.parse(valueOf(flow, name)).publicKey

/** Adds a passkey to whoever is signed in. */
export async function addPasskey(browser: Browser, key = new Authenticator()) {
  const flow = await begin(browser, 'settings')
  const answer = await send(browser, flow, {
    method: 'passkey',
    passkey_settings_register: key.create(asked(flow, 'passkey_create_data')),
  })
  return { key, answer }
}
/** Adds a security key to whoever is signed in. */
export async function addSecurityKey(browser: Browser, key = new Authenticator()) {
  const flow = await begin(browser, 'settings')
  const answer = await send(browser, flow, {
    webauthn_register: key.create(asked(flow, 'webauthn_register_trigger')),
    webauthn_register_displayname: 'My key',
    method: 'webauthn',
  })
  return { key, answer }
}
async function holder() {
  const { browser, email } = await member()
  const { key } = await addPasskey(browser)
  return { browser, email, key }
}
async function halfway() {
  const { browser, email } = await member()
  const { key } = await addSecurityKey(browser)
  const half = fresh()
  await signIn(half, email)
  return { browser: half, owner: browser, key }
}
const passkeyLogin = async (key: Authenticator, twist = {}) => {
  const browser = fresh()
  const flow = await begin(browser, 'login')
  return { browser, flow, passkey_login: key.get(asked(flow, 'passkey_challenge'), twist) }
}

export const keyCases: readonly Case[] = [
  ['login/passkey-nodes', 0, () => fresh().get(login)],
  ['login/passkey-not-json', 0, () => complete(fresh(), login, { method: 'passkey', passkey_login: 'not json' })],
  ['login/passkey-not-json', 1, () => complete(fresh(), login, { method: 'passkey', passkey_login: '' })],
  [
    'login/passkey-ok',
    0,
    async () => {
      const { browser, flow, passkey_login } = await passkeyLogin((await holder()).key)
      return send(browser, flow, { method: 'passkey', passkey_login })
    },
  ],
  [
    'login/passkey-ok',
    1,
    async () => {
      const { browser, flow, passkey_login } = await passkeyLogin((await holder()).key)
      return send(browser, flow, { passkey_login })
    },
  ],
  [
    'login/passkey-ok',
    2,
    async () => {
      const { browser, flow, passkey_login } = await passkeyLogin((await holder()).key)
      return sendForm(browser, flow, { identifier: '', password: '', passkey_login })
    },
  ],
  [
    'login/passkey-unknown-handle',
    0,
    async () => {
      const stranger = Buffer.from('nobody').toString('base64url')
      const { browser, flow, passkey_login } = await passkeyLogin((await holder()).key, { userHandle: stranger })
      return send(browser, flow, { method: 'passkey', passkey_login })
    },
  ],
  [
    'login/passkey-other-flow',
    0,
    async () => {
      const { passkey_login } = await passkeyLogin((await holder()).key)
      return complete(fresh(), login, { method: 'passkey', passkey_login })
    },
  ],
  [
    'login/passkey-wrong-origin',
    0,
    async () => {
      const { key } = await holder()
      const { browser, flow, passkey_login } = await passkeyLogin(key, { origin: 'http://localhost:9999' })
      return send(browser, flow, { method: 'passkey', passkey_login })
    },
  ],
  ['login/passkey-refresh', 0, async () => (await holder()).browser.get(`${login}?refresh=true`)],
  [
    'login/passkey-refresh',
    1,
    async () => {
      const { browser, key } = await holder()
      const flow = await begin(browser, 'login', '?refresh=true')
      return send(browser, flow, { method: 'passkey', passkey_login: key.get(asked(flow, 'passkey_challenge')) })
    },
  ],
  ['login/webauthn-aal2', 0, async () => (await halfway()).browser.get(`${login}?aal=aal2`)],
  [
    'login/webauthn-aal2',
    1,
    async () =>
      complete((await halfway()).browser, `${login}?aal=aal2`, { webauthn_login: 'not json', method: 'webauthn' }),
  ],
  [
    'login/webauthn-aal2',
    2,
    async () => {
      const { browser, key } = await halfway()
      const flow = await begin(browser, 'login', '?aal=aal2')
      return send(browser, flow, {
        webauthn_login: key.get(asked(flow, 'webauthn_login_trigger')),
        method: 'webauthn',
      })
    },
  ],
  ['settings/passkey-nodes', 0, async () => (await member()).browser.get(settings)],
  ['settings/passkey-add', 0, async () => (await addPasskey((await member()).browser)).answer],
  [
    'settings/passkey-remove',
    0,
    async () => {
      const { browser } = await holder()
      const flow = await begin(browser, 'settings')
      return send(browser, flow, { method: 'passkey', passkey_remove: valueOf(flow, 'passkey_remove') })
    },
  ],
  [
    'settings/passkey-remove',
    1,
    async () => {
      const { browser, key } = await holder()
      const flow = await begin(browser, 'settings')
      await send(browser, flow, { method: 'passkey', passkey_remove: valueOf(flow, 'passkey_remove') })
      const answer = await passkeyLogin(key)
      return send(answer.browser, answer.flow, { method: 'passkey', passkey_login: answer.passkey_login })
    },
  ],
  [
    'settings/passkey-remove-unknown',
    0,
    async () => complete((await holder()).browser, settings, { method: 'passkey', passkey_remove: '00ff'.repeat(16) }),
  ],
  ...(['not json', '{}', ''] as const).map((given, index): Case => [
    'settings/passkey-wrong',
    index,
    async () => complete((await member()).browser, settings, { method: 'passkey', passkey_settings_register: given }),
  ]),
  ['settings/webauthn-add', 0, async () => (await addSecurityKey((await member()).browser)).answer],
  [
    'settings/webauthn-remove',
    0,
    async () => {
      const { owner } = await halfway()
      const flow = await begin(owner, 'settings')
      return send(owner, flow, { webauthn_remove: valueOf(flow, 'webauthn_remove') })
    },
  ],
]

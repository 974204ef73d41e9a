/** Compliance cases of signing in with keys and other services. */
import { expect } from 'vitest'
import {
  type Chapter,
  expectForm,
  expectSentTo,
  labelOf,
  refetch,
  start,
  withPasskey,
} from '#testing/compliance-play.ts'
import { complete, messageIds, nodeOf, nodeWithId, portalUrl, valueOf } from '#testing/house.ts'
import { begin, fresh, self, send, sendForm } from '#testing/play.ts'

const login = start('login')
const page = `${portalUrl}/login`

export const loginKeysAndProviders: Chapter = {
  '071': async () => {
    const flow = await begin(fresh(), 'login')
    const { publicKey } = JSON.parse(valueOf(flow, 'passkey_challenge'))
    expect([publicKey.rpId, typeof publicKey.challenge]).toEqual(['localhost', 'string'])
    expect(nodeOf(flow, 'passkey_login').attributes.onloadTrigger).toBe('oryPasskeyLoginAutocompleteInit')
    const { type, onclickTrigger } = nodeOf(flow, 'passkey_login_trigger').attributes
    expect([type, onclickTrigger, labelOf(flow, 'passkey_login_trigger')]).toEqual([
      'button',
      'oryPasskeyLogin',
      1010021,
    ])
    expect(nodeWithId(flow, 'webauthn_script').attributes).toMatchObject({
      src: expect.any(String),
      integrity: expect.stringMatching(/^sha512-/),
      async: true,
      crossorigin: 'anonymous',
      referrerpolicy: 'no-referrer',
      type: 'text/javascript',
    })
  },
  '072': async () => {
    const { key } = await withPasskey()
    const { status, body } = await signInByKey(key)
    expect(status).toBe(200)
    expect(body.session.authentication_methods).toMatchObject([{ method: 'passkey', aal: 'aal1' }])
  },
  '073': async () => {
    const answer = await complete(fresh(), login, { method: 'passkey', passkey_login: 'not json' })
    expectForm(answer, 400, [4000001])
    expect(answer.body.ui.messages[0].text).toBe('Unable to parse WebAuthn response.')
  },
  '074': async () => {
    const { key } = await withPasskey()
    const userHandle = Buffer.from('nobody').toString('base64url')
    expectForm(await signInByKey(key, { userHandle }), 400, [4000015])
  },
  '075': async () => {
    const { key } = await withPasskey()
    const challenge = JSON.parse(valueOf(await begin(fresh(), 'login'), 'passkey_challenge')).publicKey.challenge
    expectForm(await signInByKey(key, { challenge }), 400, [4000008])
  },
  '079': async () => {
    const node = nodeOf(await begin(fresh(), 'login'), 'provider')
    expect([node.group, node.attributes.type, node.attributes.value]).toEqual(['oidc', 'submit', 'local-op'])
    expect(node.meta.label).toMatchObject({ id: 1010002, context: { provider: 'Local OP', provider_id: 'local-op' } })
  },
  '080': async () => {
    const { status, body } = await complete(fresh(), login, { provider: 'local-op' })
    expect(status).toBe(422)
    const { searchParams } = new URL(body.redirect_browser_to)
    expect([...searchParams.keys()]).toEqual(expect.arrayContaining(['client_id', 'redirect_uri', 'state']))
    expect(searchParams.get('response_type')).toBe('code')
  },
  '081': async () => {
    const browser = fresh()
    expectSentTo(await sendForm(browser, await begin(browser, 'login'), { provider: 'local-op' }), /\/auth\?.*state=/)
  },
  '082': async () => {
    const browser = fresh()
    const flow = await begin(browser, 'login')
    const { body } = await send(browser, flow, { provider: 'local-op' })
    const state = new URL(body.redirect_browser_to).searchParams.get('state')
    const callback = `${self}/methods/oidc/callback/local-op?error=access_denied&error_description=no&state=${state}`
    expectSentTo(await browser.open(callback), `${page}?flow=${flow.id}`)
    expect(messageIds(await refetch(browser, flow))).toEqual([4000001])
  },
}

type Key = Awaited<ReturnType<typeof withPasskey>>['key']
async function signInByKey(key: Key, twist = {}) {
  const browser = fresh()
  const flow = await begin(browser, 'login')
  const passkey_login = key.get(JSON.parse(valueOf(flow, 'passkey_challenge')).publicKey, twist)
  return send(browser, flow, { method: 'passkey', passkey_login })
}

/** Answers of a registration in two steps that were recorded, and how to come by our own. */
import { Authenticator } from '#testing/authenticator.ts'
import { complete, newAddress, valueOf } from '#testing/test-identity.ts'
import { type Case, begin, fresh, password, self, send, sendForm, traits } from '#testing/scenarios.ts'

const registration = `${self}/registration/browser`

async function secondStep() {
  const browser = fresh()
  const email = newAddress()
  const answer = await complete(browser, registration, { method: 'profile', traits: traits(email) })
  return { browser, email, answer, flow: answer.body }
}
async function withPasskey() {
  const { browser, email, flow } = await secondStep()
  const { credentialOptions } = JSON.parse(valueOf(flow, 'passkey_create_data'))
  const passkey_register = new Authenticator().create(credentialOptions.publicKey)
  const answer = await send(browser, flow, { method: 'passkey', passkey_register, traits: traits(email) })
  return { browser, answer }
}
async function withoutNames() {
  const browser = fresh()
  const flow = await begin(browser, 'registration')
  const fields = { 'traits.email': newAddress(), 'traits.name.first': '', 'traits.name.last': '' }
  const answer = await sendForm(browser, flow, { method: 'profile', ...fields })
  return { browser, flow, answer }
}

export const twoStepCases: readonly Case[] = [
  ['registration/init-json', 0, () => fresh().get(registration)],
  ['registration/two-step-to-step-two', 0, async () => (await secondStep()).answer],
  [
    'registration/two-step-back',
    0,
    async () => {
      const { browser, email, flow } = await secondStep()
      return send(browser, flow, { method: 'profile', screen: 'previous', traits: traits(email) })
    },
  ],
  [
    'registration/profile-missing-trait',
    0,
    () =>
      complete(fresh(), registration, { method: 'profile', traits: { email: newAddress(), name: { first: 'John' } } }),
  ],
  ['registration/profile-missing-trait', 1, async () => (await withoutNames()).answer],
  [
    'registration/profile-missing-trait',
    2,
    async () => {
      const { browser, flow } = await withoutNames()
      return browser.get(`${self}/registration/flows?id=${flow.id}`)
    },
  ],
  [
    'registration/profile-bad-email',
    0,
    () =>
      complete(fresh(), registration, {
        method: 'profile',
        traits: { email: 'no-email', name: { first: 'John', last: 'Frost' } },
      }),
  ],
  ['registration/passkey-nodes', 0, async () => (await secondStep()).answer],
  [
    'registration/passkey-unparsable',
    0,
    async () => {
      const { browser, email, flow } = await secondStep()
      return send(browser, flow, { method: 'passkey', passkey_register: '{}', traits: traits(email) })
    },
  ],
  [
    'registration/password-short',
    0,
    async () => {
      const { browser, email, flow } = await secondStep()
      return send(browser, flow, { method: 'password', password: 'Abcd123', traits: traits(email) })
    },
  ],
  [
    'registration/show-verification-ui',
    0,
    async () => {
      const { browser, email, flow } = await secondStep()
      return send(browser, flow, { ...password, traits: traits(email) })
    },
  ],
  ['settings/passkey-last', 0, async () => (await withPasskey()).browser.get(`${self}/settings/browser`)],
]

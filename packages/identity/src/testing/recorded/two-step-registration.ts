/** Recorded cases: two-step registration. */
import { VirtualAuthenticator } from '#testing/authenticator.ts'
import { submitNewFlow, newAddress, valueOf } from '#testing/test-identity.ts'
import {
  type Case,
  startFlow,
  newBrowser,
  password,
  selfService,
  submitJson,
  submitForm,
  traits,
} from '#testing/scenarios.ts'

const registration = `${selfService}/registration/browser`

async function submitProfileStep() {
  const browser = newBrowser()
  const email = newAddress()
  const response = await submitNewFlow(browser, registration, { method: 'profile', traits: traits(email) })
  return { browser, email, response, flow: response.body }
}
async function signUpWithPasskey() {
  const { browser, email, flow } = await submitProfileStep()
  const { credentialOptions } = JSON.parse(valueOf(flow, 'passkey_create_data'))
  const passkey_register = new VirtualAuthenticator().create(credentialOptions.publicKey)
  const response = await submitJson(browser, flow, { method: 'passkey', passkey_register, traits: traits(email) })
  return { browser, response }
}
async function submitWithoutNames() {
  const browser = newBrowser()
  const flow = await startFlow(browser, 'registration')
  const fields = { 'traits.email': newAddress(), 'traits.name.first': '', 'traits.name.last': '' }
  const response = await submitForm(browser, flow, { method: 'profile', ...fields })
  return { browser, flow, response }
}

export const twoStepRegistrationCases: readonly Case[] = [
  ['registration/init-json', 0, () => newBrowser().get(registration)],
  ['registration/two-step-to-step-two', 0, async () => (await submitProfileStep()).response],
  [
    'registration/two-step-back',
    0,
    async () => {
      const { browser, email, flow } = await submitProfileStep()
      return submitJson(browser, flow, { method: 'profile', screen: 'previous', traits: traits(email) })
    },
  ],
  [
    'registration/profile-missing-trait',
    0,
    () =>
      submitNewFlow(newBrowser(), registration, {
        method: 'profile',
        traits: { email: newAddress(), name: { first: 'John' } },
      }),
  ],
  ['registration/profile-missing-trait', 1, async () => (await submitWithoutNames()).response],
  [
    'registration/profile-missing-trait',
    2,
    async () => {
      const { browser, flow } = await submitWithoutNames()
      return browser.get(`${selfService}/registration/flows?id=${flow.id}`)
    },
  ],
  [
    'registration/profile-bad-email',
    0,
    () =>
      submitNewFlow(newBrowser(), registration, {
        method: 'profile',
        traits: { email: 'no-email', name: { first: 'John', last: 'Frost' } },
      }),
  ],
  ['registration/passkey-nodes', 0, async () => (await submitProfileStep()).response],
  [
    'registration/passkey-unparsable',
    0,
    async () => {
      const { browser, email, flow } = await submitProfileStep()
      return submitJson(browser, flow, { method: 'passkey', passkey_register: '{}', traits: traits(email) })
    },
  ],
  [
    'registration/password-short',
    0,
    async () => {
      const { browser, email, flow } = await submitProfileStep()
      return submitJson(browser, flow, { method: 'password', password: 'Abcd123', traits: traits(email) })
    },
  ],
  [
    'registration/show-verification-ui',
    0,
    async () => {
      const { browser, email, flow } = await submitProfileStep()
      return submitJson(browser, flow, { ...password, traits: traits(email) })
    },
  ],
  ['settings/passkey-last', 0, async () => (await signUpWithPasskey()).browser.get(`${selfService}/settings/browser`)],
]

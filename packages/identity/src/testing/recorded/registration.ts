/** Recorded cases: registration. */
import { submitNewFlow, newAddress, register } from '#testing/test-identity.ts'
import {
  type Case,
  selfService,
  encodedReturnTo,
  traits,
  newBrowser,
  startFlow,
  submitJson,
  submitForm,
  password,
  signedInUser,
  expiredFlow,
} from '#testing/scenarios.ts'

export const registrationCases: readonly Case[] = [
  ['registration/one-step-init', 0, () => newBrowser().get(`${selfService}/registration/browser`)],
  ['registration/show-verification-ui', 0, () => register(newBrowser(), newAddress())],
  [
    'registration/show-verification-ui-browser',
    0,
    async () => {
      const browser = newBrowser()
      return submitForm(browser, await startFlow(browser, 'registration'), {
        ...password,
        'traits.email': newAddress(),
        'traits.name.first': 'John',
        'traits.name.last': 'Frost',
      })
    },
  ],
  [
    'registration/one-step-password-ok',
    2,
    () =>
      submitNewFlow(newBrowser(), `${selfService}/registration/browser`, {
        method: 'password',
        traits: { email: '' },
        password: '',
      }),
  ],
  ['registration/init-browser', 0, () => newBrowser().open(`${selfService}/registration/browser`)],
  [
    'registration/init-with-session-json',
    0,
    async () => (await signedInUser()).browser.get(`${selfService}/registration/browser`),
  ],
  [
    'registration/init-with-session-browser',
    1,
    async () => (await signedInUser()).browser.open(`${selfService}/registration/browser?return_to=${encodedReturnTo}`),
  ],
  [
    'registration/fetch-other-browser',
    0,
    async () => {
      const flow = await startFlow(newBrowser(), 'registration')
      const other = newBrowser()
      await startFlow(other, 'login')
      return other.get(`${selfService}/registration/flows?id=${flow.id}`)
    },
  ],
  [
    'registration/expired-submit-json',
    0,
    async () => {
      const { browser, flow } = await expiredFlow('registration')
      return submitJson(browser, flow, { ...password, traits: traits(newAddress()) })
    },
  ],
  [
    'registration/expired-submit-json',
    2,
    async () => {
      const { browser, flow } = await expiredFlow('registration')
      return browser.get(`${selfService}/registration/flows?id=${flow.id}`)
    },
  ],
  [
    'registration/form-invalid-browser',
    0,
    async () => {
      const browser = newBrowser()
      const flow = await startFlow(browser, 'registration')
      return submitForm(browser, flow, { ...password, 'traits.email': 'no-email' })
    },
  ],
]

/** Answers of the registration endpoints that were recorded, and how to come by our own. */
import { complete, newAddress, register } from '#testing/test-identity.ts'
import {
  type Case,
  self,
  scope,
  traits,
  fresh,
  begin,
  send,
  sendForm,
  password,
  member,
  aged,
} from '#testing/scenarios.ts'

export const registrationCases: readonly Case[] = [
  ['registration/one-step-init', 0, () => fresh().get(`${self}/registration/browser`)],
  ['registration/show-verification-ui', 0, () => register(fresh(), newAddress())],
  [
    'registration/show-verification-ui-browser',
    0,
    async () => {
      const browser = fresh()
      return sendForm(browser, await begin(browser, 'registration'), {
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
      complete(fresh(), `${self}/registration/browser`, { method: 'password', traits: { email: '' }, password: '' }),
  ],
  ['registration/init-browser', 0, () => fresh().open(`${self}/registration/browser`)],
  ['registration/init-with-session-json', 0, async () => (await member()).browser.get(`${self}/registration/browser`)],
  [
    'registration/init-with-session-browser',
    1,
    async () => (await member()).browser.open(`${self}/registration/browser?return_to=${scope}`),
  ],
  [
    'registration/fetch-other-browser',
    0,
    async () => {
      const flow = await begin(fresh(), 'registration')
      const other = fresh()
      await begin(other, 'login')
      return other.get(`${self}/registration/flows?id=${flow.id}`)
    },
  ],
  [
    'registration/expired-submit-json',
    0,
    async () => {
      const { browser, flow } = await aged('registration')
      return send(browser, flow, { ...password, traits: traits(newAddress()) })
    },
  ],
  [
    'registration/expired-submit-json',
    2,
    async () => {
      const { browser, flow } = await aged('registration')
      return browser.get(`${self}/registration/flows?id=${flow.id}`)
    },
  ],
  [
    'registration/form-invalid-browser',
    0,
    async () => {
      const browser = fresh()
      const flow = await begin(browser, 'registration')
      return sendForm(browser, flow, { ...password, 'traits.email': 'no-email' })
    },
  ],
]

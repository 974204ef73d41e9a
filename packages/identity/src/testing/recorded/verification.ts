/** Recorded cases: verification. */
import { codeIn, submitNewFlow, goodPassword, newAddress, portalUrl, register } from '#testing/test-identity.ts'
import {
  type Case,
  selfService,
  encodedReturnTo,
  newBrowser,
  startFlow,
  submitJson,
  submitForm,
  signedOutUser,
  expiredFlow,
  codeSent,
  passedFlow,
  submitWrongCodes,
  testIdentity,
} from '#testing/scenarios.ts'

export const verificationCases: readonly Case[] = [
  ['verification/init-json', 0, () => newBrowser().get(`${selfService}/verification/browser`)],
  ['verification/init-json', 2, () => newBrowser().open(`${selfService}/verification/browser`)],
  [
    'verification/email-missing',
    0,
    () => submitNewFlow(newBrowser(), `${selfService}/verification/browser`, { method: 'code' }),
  ],
  ['verification/code-sent', 0, async () => (await codeSent()).sent],
  [
    'verification/code-unknown-address',
    0,
    () => submitNewFlow(newBrowser(), `${selfService}/verification/browser`, { method: 'code', email: newAddress() }),
  ],
  ['verification/code-ok', 0, async () => (await passedFlow()).response],
  [
    'verification/code-ok-browser',
    0,
    async () => {
      const { browser, flow, code } = await codeSent()
      return submitForm(browser, flow, { method: 'code', code })
    },
  ],
  [
    'verification/code-ok-without-csrf',
    1,
    async () => {
      const { flow, code } = await codeSent()
      return newBrowser().post(flow.ui.action, { method: 'code', code })
    },
  ],
  ['verification/code-wrong', 0, async () => (await submitWrongCodes(1)).response],
  ['verification/code-too-often', 1, async () => (await submitWrongCodes(6)).response],
  [
    'verification/code-too-often',
    3,
    async () => {
      const { browser, response } = await submitWrongCodes(6)
      return browser.get(`${selfService}/verification/flows?id=${response.body.use_flow_id}`)
    },
  ],
  [
    'verification/code-of-other-address',
    0,
    async () => {
      const { code } = await codeSent()
      const { browser, flow } = await codeSent()
      return submitJson(browser, flow, { method: 'code', code })
    },
  ],
  [
    'verification/return-to',
    0,
    async () => {
      const { browser, email } = await signedOutUser()
      const flow = await startFlow(browser, 'verification', '?return_to=http%3A//localhost%3A3000/scope')
      await submitJson(browser, flow, { method: 'code', email })
      const mails = await testIdentity().mailsTo(email, 2)
      return submitJson(browser, flow, { method: 'code', code: codeIn(mails.at(-1)) })
    },
  ],
  [
    'verification/after-verification-return-to',
    0,
    async () => {
      const browser = newBrowser()
      const query = `?after_verification_return_to=${encodeURIComponent(`${portalUrl}/onboarding`)}`
      const { body } = await register(browser, newAddress(), goodPassword, query)
      return browser.get(`${selfService}/verification/flows?id=${body.continue_with[1].flow.id}`)
    },
  ],
  [
    'verification/passed-submit-again',
    0,
    async () => {
      const { browser, flow, code } = await passedFlow()
      return submitJson(browser, flow, { method: 'code', code })
    },
  ],
  [
    'verification/passed-submit-again',
    1,
    async () => {
      const { browser, flow, code } = await passedFlow()
      const { body } = await submitJson(browser, flow, { method: 'code', code })
      return browser.get(`${selfService}/verification/flows?id=${body.use_flow_id}`)
    },
  ],
  [
    'verification/passed-submit-again',
    3,
    async () => {
      const { browser, flow, code } = await passedFlow()
      return submitForm(browser, flow, { method: 'code', code })
    },
  ],
  [
    'verification/mail-link',
    0,
    async () => {
      const { flow, code } = await codeSent()
      return newBrowser().open(`${selfService}/verification?code=${code}&flow=${flow.id}`)
    },
  ],
  [
    'verification/expired-submit',
    0,
    async () => {
      const { browser, flow } = await expiredFlow('verification')
      return submitJson(browser, flow, { method: 'code', code: '570942' })
    },
  ],
  [
    'verification/expired-submit',
    1,
    async () => {
      const { browser, flow } = await expiredFlow('verification')
      const { headers } = await submitJson(browser, flow, { method: 'code', code: '570942' })
      return browser.get(String(headers.location))
    },
  ],
  [
    'verification/expired-submit',
    3,
    async () => {
      const { browser, flow } = await expiredFlow('verification')
      return submitForm(browser, flow, { method: 'code', code: '570942' })
    },
  ],
  [
    'verification/fetch-expired',
    0,
    async () => {
      const { browser, flow } = await expiredFlow('verification', `?return_to=${encodedReturnTo}`)
      return browser.get(`${selfService}/verification/flows?id=${flow.id}`)
    },
  ],
  [
    'verification/method-unknown',
    0,
    () =>
      submitNewFlow(newBrowser(), `${selfService}/verification/browser`, {
        method: 'doesnotexist',
        email: newAddress(),
      }),
  ],
]

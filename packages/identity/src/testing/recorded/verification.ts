/** Answers of the verification endpoints that were recorded, and how to come by our own. */
import { codeIn, complete, goodPassword, newAddress, portalUrl, register } from '#testing/test-identity.ts'
import {
  type Case,
  self,
  scope,
  fresh,
  begin,
  send,
  sendForm,
  outsider,
  aged,
  codeSent,
  passed,
  wrongTimes,
  testIdentity,
} from '#testing/scenarios.ts'

export const verificationCases: readonly Case[] = [
  ['verification/init-json', 0, () => fresh().get(`${self}/verification/browser`)],
  ['verification/init-json', 2, () => fresh().open(`${self}/verification/browser`)],
  ['verification/email-missing', 0, () => complete(fresh(), `${self}/verification/browser`, { method: 'code' })],
  ['verification/code-sent', 0, async () => (await codeSent()).sent],
  [
    'verification/code-unknown-address',
    0,
    () => complete(fresh(), `${self}/verification/browser`, { method: 'code', email: newAddress() }),
  ],
  ['verification/code-ok', 0, async () => (await passed()).answer],
  [
    'verification/code-ok-browser',
    0,
    async () => {
      const { browser, flow, code } = await codeSent()
      return sendForm(browser, flow, { method: 'code', code })
    },
  ],
  [
    'verification/code-ok-without-csrf',
    1,
    async () => {
      const { flow, code } = await codeSent()
      return fresh().post(flow.ui.action, { method: 'code', code })
    },
  ],
  ['verification/code-wrong', 0, async () => (await wrongTimes(1)).answer],
  ['verification/code-too-often', 1, async () => (await wrongTimes(6)).answer],
  [
    'verification/code-too-often',
    3,
    async () => {
      const { browser, answer } = await wrongTimes(6)
      return browser.get(`${self}/verification/flows?id=${answer.body.use_flow_id}`)
    },
  ],
  [
    'verification/code-of-other-address',
    0,
    async () => {
      const { code } = await codeSent()
      const { browser, flow } = await codeSent()
      return send(browser, flow, { method: 'code', code })
    },
  ],
  [
    'verification/return-to',
    0,
    async () => {
      const { browser, email } = await outsider()
      const flow = await begin(browser, 'verification', '?return_to=http%3A//localhost%3A3000/scope')
      await send(browser, flow, { method: 'code', email })
      const mails = await testIdentity().mailsTo(email, 2)
      return send(browser, flow, { method: 'code', code: codeIn(mails.at(-1)) })
    },
  ],
  [
    'verification/after-verification-return-to',
    0,
    async () => {
      const browser = fresh()
      const query = `?after_verification_return_to=${encodeURIComponent(`${portalUrl}/onboarding`)}`
      const { body } = await register(browser, newAddress(), goodPassword, query)
      return browser.get(`${self}/verification/flows?id=${body.continue_with[1].flow.id}`)
    },
  ],
  [
    'verification/passed-submit-again',
    0,
    async () => {
      const { browser, flow, code } = await passed()
      return send(browser, flow, { method: 'code', code })
    },
  ],
  [
    'verification/passed-submit-again',
    1,
    async () => {
      const { browser, flow, code } = await passed()
      const { body } = await send(browser, flow, { method: 'code', code })
      return browser.get(`${self}/verification/flows?id=${body.use_flow_id}`)
    },
  ],
  [
    'verification/passed-submit-again',
    3,
    async () => {
      const { browser, flow, code } = await passed()
      return sendForm(browser, flow, { method: 'code', code })
    },
  ],
  [
    'verification/mail-link',
    0,
    async () => {
      const { flow, code } = await codeSent()
      return fresh().open(`${self}/verification?code=${code}&flow=${flow.id}`)
    },
  ],
  [
    'verification/expired-submit',
    0,
    async () => {
      const { browser, flow } = await aged('verification')
      return send(browser, flow, { method: 'code', code: '570942' })
    },
  ],
  [
    'verification/expired-submit',
    1,
    async () => {
      const { browser, flow } = await aged('verification')
      const { headers } = await send(browser, flow, { method: 'code', code: '570942' })
      return browser.get(String(headers.location))
    },
  ],
  [
    'verification/expired-submit',
    3,
    async () => {
      const { browser, flow } = await aged('verification')
      return sendForm(browser, flow, { method: 'code', code: '570942' })
    },
  ],
  [
    'verification/fetch-expired',
    0,
    async () => {
      const { browser, flow } = await aged('verification', `?return_to=${scope}`)
      return browser.get(`${self}/verification/flows?id=${flow.id}`)
    },
  ],
  [
    'verification/method-unknown',
    0,
    () => complete(fresh(), `${self}/verification/browser`, { method: 'doesnotexist', email: newAddress() }),
  ],
]

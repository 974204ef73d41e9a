/** Recorded cases: recovery. */
import { submitNewFlow, newAddress, signIn } from '#testing/test-identity.ts'
import {
  type Case,
  selfService,
  encodedReturnTo,
  newBrowser,
  startFlow,
  submitJson,
  submitForm,
  csrfCookieOf,
  signedInUser,
  signedOutUser,
  expiredFlow,
  codeSent,
  passedFlow,
  submitWrongCodes,
} from '#testing/scenarios.ts'

export const recoveryCases: readonly Case[] = [
  ['recovery/init-json', 0, () => newBrowser().get(`${selfService}/recovery/browser`)],
  ['recovery/init-json', 1, () => newBrowser().open(`${selfService}/recovery/browser`)],
  [
    'recovery/init-with-session-json',
    0,
    async () => (await signedInUser()).browser.get(`${selfService}/recovery/browser`),
  ],
  [
    'recovery/init-with-session-browser',
    1,
    async () => (await signedInUser()).browser.open(`${selfService}/recovery/browser?return_to=${encodedReturnTo}`),
  ],
  [
    'recovery/email-missing',
    0,
    () => submitNewFlow(newBrowser(), `${selfService}/recovery/browser`, { method: 'code' }),
  ],
  [
    'recovery/email-missing',
    1,
    () => submitNewFlow(newBrowser(), `${selfService}/recovery/browser`, { method: 'code', email: 'no-email' }),
  ],
  ['recovery/code-sent', 0, async () => (await codeSent('recovery')).sent],
  [
    'recovery/code-unknown-address',
    0,
    () => submitNewFlow(newBrowser(), `${selfService}/recovery/browser`, { method: 'code', email: newAddress() }),
  ],
  ['recovery/code-wrong', 0, async () => (await submitWrongCodes(1, 'recovery')).response],
  [
    'recovery/code-wrong',
    2,
    async () => {
      const { browser, flow } = await codeSent('recovery')
      return submitJson(browser, flow, { method: 'code', code: '' })
    },
  ],
  ['recovery/code-too-often', 1, async () => (await submitWrongCodes(6, 'recovery')).response],
  [
    'recovery/code-too-often',
    2,
    async () => {
      const { browser, response } = await submitWrongCodes(6, 'recovery')
      return browser.get(String(response.headers.location))
    },
  ],
  ['recovery/code-ok', 0, async () => (await passedFlow('recovery')).response],
  ['recovery/code-ok', 1, async () => (await passedFlow('recovery')).browser.get('/sessions/whoami')],
  [
    'recovery/code-ok',
    2,
    async () => {
      const { browser, response } = await passedFlow('recovery')
      const id = response.body.redirect_browser_to.split('=')[1]
      return browser.get(`${selfService}/settings/flows?id=${id}`)
    },
  ],
  [
    'recovery/code-ok-browser',
    0,
    async () => {
      const { browser, flow, code } = await codeSent('recovery')
      return submitForm(browser, flow, { method: 'code', code })
    },
  ],
  [
    'recovery/code-reuse',
    0,
    async () => {
      const { browser, flow, code } = await passedFlow('recovery')
      return browser.post(flow.ui.action, { method: 'code', code, csrf_token: csrfCookieOf(browser) })
    },
  ],
  [
    'recovery/code-reuse',
    1,
    async () => {
      const { browser, flow, code } = await passedFlow('recovery')
      const { headers } = await browser.post(flow.ui.action, {
        method: 'code',
        code,
        csrf_token: csrfCookieOf(browser),
      })
      return browser.get(String(headers.location))
    },
  ],
  [
    'recovery/email-while-logged-in',
    0,
    async () => {
      const { browser, email } = await signedOutUser()
      const flow = await startFlow(browser, 'recovery')
      await signIn(browser, email)
      return browser.post(flow.ui.action, { method: 'code', email, csrf_token: csrfCookieOf(browser) })
    },
  ],
  [
    'recovery/expired-submit',
    0,
    async () => {
      const { browser, flow } = await expiredFlow('recovery')
      return browser.get(`${selfService}/recovery/flows?id=${flow.id}`)
    },
  ],
  [
    'recovery/expired-submit',
    1,
    async () => {
      const { browser, flow } = await expiredFlow('recovery')
      return submitJson(browser, flow, { method: 'code', code: '741604' })
    },
  ],
  [
    'recovery/expired-submit',
    2,
    async () => {
      const { browser, flow } = await expiredFlow('recovery')
      const { headers } = await submitJson(browser, flow, { method: 'code', code: '741604' })
      return browser.get(String(headers.location))
    },
  ],
  ...(['doesnotexist', undefined, 'link'] as const).map((method, index): Case => [
    'recovery/method-unknown',
    index,
    () => submitNewFlow(newBrowser(), `${selfService}/recovery/browser`, { method, email: newAddress() }),
  ]),
]

/** Answers of the recovery endpoints that were recorded, and how to come by our own. */
import { complete, newAddress, signIn } from '#testing/test-identity.ts'
import {
  type Case,
  self,
  scope,
  fresh,
  begin,
  send,
  sendForm,
  csrfCookieOf,
  member,
  outsider,
  aged,
  codeSent,
  passed,
  wrongTimes,
} from '#testing/scenarios.ts'

export const recoveryCases: readonly Case[] = [
  ['recovery/init-json', 0, () => fresh().get(`${self}/recovery/browser`)],
  ['recovery/init-json', 1, () => fresh().open(`${self}/recovery/browser`)],
  ['recovery/init-with-session-json', 0, async () => (await member()).browser.get(`${self}/recovery/browser`)],
  [
    'recovery/init-with-session-browser',
    1,
    async () => (await member()).browser.open(`${self}/recovery/browser?return_to=${scope}`),
  ],
  ['recovery/email-missing', 0, () => complete(fresh(), `${self}/recovery/browser`, { method: 'code' })],
  [
    'recovery/email-missing',
    1,
    () => complete(fresh(), `${self}/recovery/browser`, { method: 'code', email: 'no-email' }),
  ],
  ['recovery/code-sent', 0, async () => (await codeSent('recovery')).sent],
  [
    'recovery/code-unknown-address',
    0,
    () => complete(fresh(), `${self}/recovery/browser`, { method: 'code', email: newAddress() }),
  ],
  ['recovery/code-wrong', 0, async () => (await wrongTimes(1, 'recovery')).answer],
  [
    'recovery/code-wrong',
    2,
    async () => {
      const { browser, flow } = await codeSent('recovery')
      return send(browser, flow, { method: 'code', code: '' })
    },
  ],
  ['recovery/code-too-often', 1, async () => (await wrongTimes(6, 'recovery')).answer],
  [
    'recovery/code-too-often',
    2,
    async () => {
      const { browser, answer } = await wrongTimes(6, 'recovery')
      return browser.get(String(answer.headers.location))
    },
  ],
  ['recovery/code-ok', 0, async () => (await passed('recovery')).answer],
  ['recovery/code-ok', 1, async () => (await passed('recovery')).browser.get('/sessions/whoami')],
  [
    'recovery/code-ok',
    2,
    async () => {
      const { browser, answer } = await passed('recovery')
      const id = answer.body.redirect_browser_to.split('=')[1]
      return browser.get(`${self}/settings/flows?id=${id}`)
    },
  ],
  [
    'recovery/code-ok-browser',
    0,
    async () => {
      const { browser, flow, code } = await codeSent('recovery')
      return sendForm(browser, flow, { method: 'code', code })
    },
  ],
  [
    'recovery/code-reuse',
    0,
    async () => {
      const { browser, flow, code } = await passed('recovery')
      return browser.post(flow.ui.action, { method: 'code', code, csrf_token: csrfCookieOf(browser) })
    },
  ],
  [
    'recovery/code-reuse',
    1,
    async () => {
      const { browser, flow, code } = await passed('recovery')
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
      const { browser, email } = await outsider()
      const flow = await begin(browser, 'recovery')
      await signIn(browser, email)
      return browser.post(flow.ui.action, { method: 'code', email, csrf_token: csrfCookieOf(browser) })
    },
  ],
  [
    'recovery/expired-submit',
    0,
    async () => {
      const { browser, flow } = await aged('recovery')
      return browser.get(`${self}/recovery/flows?id=${flow.id}`)
    },
  ],
  [
    'recovery/expired-submit',
    1,
    async () => {
      const { browser, flow } = await aged('recovery')
      return send(browser, flow, { method: 'code', code: '741604' })
    },
  ],
  [
    'recovery/expired-submit',
    2,
    async () => {
      const { browser, flow } = await aged('recovery')
      const { headers } = await send(browser, flow, { method: 'code', code: '741604' })
      return browser.get(String(headers.location))
    },
  ],
  ...(['doesnotexist', undefined, 'link'] as const).map((method, index): Case => [
    'recovery/method-unknown',
    index,
    () => complete(fresh(), `${self}/recovery/browser`, { method, email: newAddress() }),
  ]),
]

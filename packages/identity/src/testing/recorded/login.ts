/** Recorded cases: submitting a login flow. */
import { submitNewFlow, goodPassword, newAddress, signIn, valueOf } from '#testing/test-identity.ts'
import {
  type Case,
  selfService,
  unknownId,
  encodedReturnTo,
  newBrowser,
  startFlow,
  submitJson,
  submitForm,
  password,
  signedInUser,
  signedOutUser,
  userWithSecondFactor,
  expiredFlow,
} from '#testing/scenarios.ts'

export const loginCases: readonly Case[] = [
  [
    'login/password-ok-json',
    0,
    async () => {
      const { browser, email } = await signedOutUser()
      return signIn(browser, email)
    },
  ],
  [
    'login/password-ok-browser',
    0,
    async () => {
      const { browser, email } = await signedOutUser()
      const flow = await startFlow(browser, 'login', `?return_to=${encodedReturnTo}`)
      return submitForm(browser, flow, { ...password, identifier: email })
    },
  ],
  [
    'login/password-ok-other-case',
    0,
    async () => {
      const { browser, email } = await signedOutUser()
      return signIn(browser, `  ${email.toUpperCase()} `)
    },
  ],
  [
    'login/password-form-legacy-field',
    0,
    async () => {
      const { browser, email } = await signedOutUser()
      return submitNewFlow(browser, `${selfService}/login/browser`, { ...password, password_identifier: email })
    },
  ],
  [
    'login/return-to-relative',
    0,
    async () => {
      const { browser, email } = await signedOutUser()
      return signIn(browser, email, goodPassword, '?return_to=/scope')
    },
  ],
  [
    'login/password-wrong-json',
    0,
    async () => {
      const { browser, email } = await signedOutUser()
      return signIn(browser, email, 'wrong password')
    },
  ],
  ['login/password-unknown-identifier', 0, () => signIn(newBrowser(), newAddress(), 'wrong password')],
  [
    'login/password-wrong-browser',
    0,
    async () => {
      const { browser, email } = await signedOutUser()
      return submitForm(browser, await startFlow(browser, 'login'), {
        ...password,
        identifier: email,
        password: 'wrong',
      })
    },
  ],
  ['login/password-empty-fields', 0, () => signIn(newBrowser(), '', '')],
  [
    'login/password-empty-fields',
    1,
    async () => {
      const browser = newBrowser()
      return submitForm(browser, await startFlow(browser, 'login'), {
        method: 'password',
        identifier: '',
        password: '',
      })
    },
  ],
  [
    'login/method-unknown',
    0,
    () => submitNewFlow(newBrowser(), `${selfService}/login/browser`, { method: 'doesnotexist' }),
  ],
  ...(['', '[]', '{"method":'] as const).map((text, index): Case => [
    'login/body-malformed',
    index,
    async () => {
      const browser = newBrowser()
      return browser.post((await startFlow(browser, 'login')).ui.action, text)
    },
  ]),
  [
    'login/body-malformed',
    3,
    async () => {
      const browser = newBrowser()
      const { ui } = await startFlow(browser, 'login')
      return browser.post(ui.action, '{"method":"password"}', { 'content-type': 'text/plain' })
    },
  ],
  [
    'login/multipart',
    0,
    async () => {
      const browser = newBrowser()
      const { ui } = await startFlow(browser, 'login')
      return browser.post(ui.action, '------x--', { 'content-type': 'multipart/form-data; boundary=----x' })
    },
  ],
  ['login/flow-query-missing', 0, () => newBrowser().post(`${selfService}/login`, { method: 'password' })],
  ['login/flow-query-missing', 1, () => newBrowser().post(`${selfService}/login?flow=xx`, { method: 'password' })],
  ['login/flow-unknown', 0, () => newBrowser().post(`${selfService}/login?flow=${unknownId}`, { method: 'password' })],
  [
    'login/csrf-missing-json',
    0,
    async () => {
      const browser = newBrowser()
      return browser.post((await startFlow(browser, 'login')).ui.action, { ...password, identifier: 'a@b.test' })
    },
  ],
  [
    'login/csrf-bad-browser',
    0,
    async () => {
      const browser = newBrowser()
      const { ui } = await startFlow(browser, 'login')
      return browser.submit(ui.action, { ...password, identifier: 'a@b.test', csrf_token: 'bad' })
    },
  ],
  [
    'login/csrf-of-other-browser-json',
    1,
    async () => {
      const browser = newBrowser()
      const { ui } = await startFlow(browser, 'login')
      const token = valueOf(await startFlow(newBrowser(), 'login'), 'csrf_token')
      const body = { ...password, identifier: 'a@b.test', csrf_token: token }
      return browser.post(ui.action, body, { 'sec-fetch-mode': 'cors' })
    },
  ],
  [
    'login/csrf-of-other-browser-json',
    2,
    async () => {
      const { ui } = await startFlow(newBrowser(), 'login')
      return newBrowser().post(ui.action, { ...password, identifier: 'a@b.test' })
    },
  ],
  [
    'login/csrf-of-other-browser-json',
    3,
    async () => {
      const { ui } = await startFlow(newBrowser(), 'login')
      return newBrowser().post(ui.action, { ...password, identifier: 'a@b.test' }, { cookie: 'other=1' })
    },
  ],
  [
    'login/expired-submit-json',
    0,
    async () => {
      const { browser, flow } = await expiredFlow('login')
      return submitJson(browser, flow, { ...password, identifier: 'a@b.test' })
    },
  ],
  [
    'login/expired-submit-json',
    1,
    async () => {
      const { browser, flow } = await expiredFlow('login', '?return_to=http%3A//localhost%3A3000/scope')
      const { body } = await submitJson(browser, flow, { ...password, identifier: 'a@b.test' })
      return browser.get(`${selfService}/login/flows?id=${body.use_flow_id}`)
    },
  ],
  [
    'login/expired-submit-browser',
    0,
    async () => {
      const { browser, flow } = await expiredFlow('login')
      return submitForm(browser, flow, { ...password, identifier: 'a@b.test' })
    },
  ],
  [
    'login/submit-with-session-json',
    0,
    async () => {
      const { browser, email } = await signedOutUser()
      const flow = await startFlow(browser, 'login')
      const late = await startFlow(browser, 'login')
      await submitJson(browser, flow, { ...password, identifier: email })
      return submitJson(browser, late, { ...password, identifier: email })
    },
  ],
  [
    'login/submit-with-session-browser',
    0,
    async () => {
      const { browser, email } = await signedOutUser()
      const flow = await startFlow(browser, 'login')
      const late = await startFlow(browser, 'login')
      await submitJson(browser, flow, { ...password, identifier: email })
      return submitForm(browser, late, { ...password, identifier: email })
    },
  ],
  [
    'login/refresh-ok-json',
    0,
    async () => {
      const { browser, email } = await signedInUser()
      return signIn(browser, email, goodPassword, '?refresh=true')
    },
  ],
  [
    'login/second-factor-needed-json',
    0,
    async () => {
      const { email } = await userWithSecondFactor()
      return signIn(newBrowser(), email)
    },
  ],
  [
    'login/second-factor-needed-return-to',
    0,
    async () => {
      const { email } = await userWithSecondFactor()
      return signIn(newBrowser(), email, goodPassword, `?return_to=${encodedReturnTo}`)
    },
  ],
  [
    'login/second-factor-needed-browser',
    0,
    async () => {
      const { email } = await userWithSecondFactor()
      const browser = newBrowser()
      return submitForm(browser, await startFlow(browser, 'login'), { ...password, identifier: email })
    },
  ],
]

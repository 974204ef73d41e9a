/** Recorded cases: login. */
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
  ['login/init-json', 0, () => newBrowser().get(`${selfService}/login/browser`)],
  [
    'login/init-json',
    1,
    async () => {
      const browser = newBrowser()
      return browser.get(`${selfService}/login/flows?id=${(await startFlow(browser, 'login')).id}`)
    },
  ],
  ['login/init-browser', 0, () => newBrowser().open(`${selfService}/login/browser`)],
  ['login/init-refresh-without-session', 0, () => newBrowser().get(`${selfService}/login/browser?refresh=true`)],
  ['login/init-aal-unknown', 0, () => newBrowser().get(`${selfService}/login/browser?aal=aal7`)],
  ['login/init-aal2-without-session-json', 0, () => newBrowser().get(`${selfService}/login/browser?aal=aal2`)],
  ['login/init-aal2-without-session-browser', 0, () => newBrowser().open(`${selfService}/login/browser?aal=aal2`)],
  [
    'login/init-aal2-without-session-browser',
    1,
    async () => {
      const browser = newBrowser()
      const { headers } = await browser.open(`${selfService}/login/browser?aal=aal2`)
      return browser.get(`${selfService}/errors?id=${String(headers.location).split('=')[1]}`)
    },
  ],
  [
    'login/init-return-to-forbidden',
    0,
    () => newBrowser().get(`${selfService}/login/browser?return_to=https://evil.example/`),
  ],
  [
    'login/init-return-to',
    0,
    () => newBrowser().get(`${selfService}/login/browser?return_to=${encodedReturnTo}%3Fcreate%3Dtrue`),
  ],
  [
    'login/init-identity-schema-unknown',
    0,
    () => newBrowser().get(`${selfService}/login/browser?identity_schema=nonesuch`),
  ],
  [
    'login/init-identity-schema-unknown',
    1,
    () => newBrowser().get(`${selfService}/login/browser?identity_schema=default`),
  ],
  ['login/return-to-variants', 0, () => newBrowser().get(`${selfService}/login/browser?return_to=%2Fscope`)],
  [
    'login/return-to-variants',
    3,
    () => newBrowser().get(`${selfService}/login/browser?return_to=%2F%2Fevil.example%2F`),
  ],
  [
    'login/return-to-variants',
    4,
    () => newBrowser().get(`${selfService}/login/browser?return_to=javascript%3Aalert%281%29`),
  ],
  [
    'login/return-to-variants',
    5,
    () => newBrowser().get(`${selfService}/login/browser?return_to=http%3A%2F%2Flocalhost%3A3001%2F`),
  ],
  [
    'login/return-to-variants',
    6,
    () => newBrowser().get(`${selfService}/login/browser?return_to=http%3A%2F%2Flocalhost%3A4433%2Fx`),
  ],
  ['login/init-with-session-json', 0, async () => (await signedInUser()).browser.get(`${selfService}/login/browser`)],
  [
    'login/init-with-session-browser',
    0,
    async () => (await signedInUser()).browser.open(`${selfService}/login/browser`),
  ],
  [
    'login/init-with-session-return-to-browser',
    0,
    async () => (await signedInUser()).browser.open(`${selfService}/login/browser?return_to=${encodedReturnTo}`),
  ],
  [
    'login/init-refresh',
    0,
    async () => (await signedInUser()).browser.get(`${selfService}/login/browser?refresh=true`),
  ],
  ['login/fetch-unknown', 0, () => newBrowser().get(`${selfService}/login/flows?id=${unknownId}`)],
  ['login/fetch-unknown', 1, () => newBrowser().get(`${selfService}/login/flows?id=not-a-uuid`)],
  ['login/fetch-unknown', 2, () => newBrowser().get(`${selfService}/login/flows`)],
  [
    'login/fetch-other-browser',
    0,
    async () => {
      const flow = await startFlow(newBrowser(), 'login')
      const other = newBrowser()
      await startFlow(other, 'login')
      return other.get(`${selfService}/login/flows?id=${flow.id}`)
    },
  ],
  [
    'login/fetch-expired',
    0,
    async () => {
      const { browser, flow } = await expiredFlow('login', `?return_to=${encodedReturnTo}`)
      return browser.get(`${selfService}/login/flows?id=${flow.id}`)
    },
  ],
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
  [
    'login/init-aal2',
    0,
    async () => (await userWithSecondFactor()).browser.get(`${selfService}/login/browser?aal=aal2`),
  ],
]

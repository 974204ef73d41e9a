/** Answers of the login endpoints that were recorded, and how to come by our own. */
import { complete, goodPassword, newAddress, signIn, valueOf } from '#testing/test-identity.ts'
import {
  type Case,
  self,
  absent,
  scope,
  fresh,
  begin,
  send,
  sendForm,
  password,
  member,
  outsider,
  twoFactor,
  aged,
} from '#testing/scenarios.ts'

export const loginCases: readonly Case[] = [
  ['login/init-json', 0, () => fresh().get(`${self}/login/browser`)],
  [
    'login/init-json',
    1,
    async () => {
      const browser = fresh()
      return browser.get(`${self}/login/flows?id=${(await begin(browser, 'login')).id}`)
    },
  ],
  ['login/init-browser', 0, () => fresh().open(`${self}/login/browser`)],
  ['login/init-refresh-without-session', 0, () => fresh().get(`${self}/login/browser?refresh=true`)],
  ['login/init-aal-unknown', 0, () => fresh().get(`${self}/login/browser?aal=aal7`)],
  ['login/init-aal2-without-session-json', 0, () => fresh().get(`${self}/login/browser?aal=aal2`)],
  ['login/init-aal2-without-session-browser', 0, () => fresh().open(`${self}/login/browser?aal=aal2`)],
  [
    'login/init-aal2-without-session-browser',
    1,
    async () => {
      const browser = fresh()
      const { headers } = await browser.open(`${self}/login/browser?aal=aal2`)
      return browser.get(`${self}/errors?id=${String(headers.location).split('=')[1]}`)
    },
  ],
  ['login/init-return-to-forbidden', 0, () => fresh().get(`${self}/login/browser?return_to=https://evil.example/`)],
  ['login/init-return-to', 0, () => fresh().get(`${self}/login/browser?return_to=${scope}%3Fcreate%3Dtrue`)],
  ['login/init-identity-schema-unknown', 0, () => fresh().get(`${self}/login/browser?identity_schema=nonesuch`)],
  ['login/init-identity-schema-unknown', 1, () => fresh().get(`${self}/login/browser?identity_schema=default`)],
  ['login/return-to-variants', 0, () => fresh().get(`${self}/login/browser?return_to=%2Fscope`)],
  ['login/return-to-variants', 3, () => fresh().get(`${self}/login/browser?return_to=%2F%2Fevil.example%2F`)],
  ['login/return-to-variants', 4, () => fresh().get(`${self}/login/browser?return_to=javascript%3Aalert%281%29`)],
  [
    'login/return-to-variants',
    5,
    () => fresh().get(`${self}/login/browser?return_to=http%3A%2F%2Flocalhost%3A3001%2F`),
  ],
  [
    'login/return-to-variants',
    6,
    () => fresh().get(`${self}/login/browser?return_to=http%3A%2F%2Flocalhost%3A4433%2Fx`),
  ],
  ['login/init-with-session-json', 0, async () => (await member()).browser.get(`${self}/login/browser`)],
  ['login/init-with-session-browser', 0, async () => (await member()).browser.open(`${self}/login/browser`)],
  [
    'login/init-with-session-return-to-browser',
    0,
    async () => (await member()).browser.open(`${self}/login/browser?return_to=${scope}`),
  ],
  ['login/init-refresh', 0, async () => (await member()).browser.get(`${self}/login/browser?refresh=true`)],
  ['login/fetch-unknown', 0, () => fresh().get(`${self}/login/flows?id=${absent}`)],
  ['login/fetch-unknown', 1, () => fresh().get(`${self}/login/flows?id=not-a-uuid`)],
  ['login/fetch-unknown', 2, () => fresh().get(`${self}/login/flows`)],
  [
    'login/fetch-other-browser',
    0,
    async () => {
      const flow = await begin(fresh(), 'login')
      const other = fresh()
      await begin(other, 'login')
      return other.get(`${self}/login/flows?id=${flow.id}`)
    },
  ],
  [
    'login/fetch-expired',
    0,
    async () => {
      const { browser, flow } = await aged('login', `?return_to=${scope}`)
      return browser.get(`${self}/login/flows?id=${flow.id}`)
    },
  ],
  [
    'login/password-ok-json',
    0,
    async () => {
      const { browser, email } = await outsider()
      return signIn(browser, email)
    },
  ],
  [
    'login/password-ok-browser',
    0,
    async () => {
      const { browser, email } = await outsider()
      const flow = await begin(browser, 'login', `?return_to=${scope}`)
      return sendForm(browser, flow, { ...password, identifier: email })
    },
  ],
  [
    'login/password-ok-other-case',
    0,
    async () => {
      const { browser, email } = await outsider()
      return signIn(browser, `  ${email.toUpperCase()} `)
    },
  ],
  [
    'login/password-form-legacy-field',
    0,
    async () => {
      const { browser, email } = await outsider()
      return complete(browser, `${self}/login/browser`, { ...password, password_identifier: email })
    },
  ],
  [
    'login/return-to-relative',
    0,
    async () => {
      const { browser, email } = await outsider()
      return signIn(browser, email, goodPassword, '?return_to=/scope')
    },
  ],
  [
    'login/password-wrong-json',
    0,
    async () => {
      const { browser, email } = await outsider()
      return signIn(browser, email, 'wrong password')
    },
  ],
  ['login/password-unknown-identifier', 0, () => signIn(fresh(), newAddress(), 'wrong password')],
  [
    'login/password-wrong-browser',
    0,
    async () => {
      const { browser, email } = await outsider()
      return sendForm(browser, await begin(browser, 'login'), { ...password, identifier: email, password: 'wrong' })
    },
  ],
  ['login/password-empty-fields', 0, () => signIn(fresh(), '', '')],
  [
    'login/password-empty-fields',
    1,
    async () => {
      const browser = fresh()
      return sendForm(browser, await begin(browser, 'login'), { method: 'password', identifier: '', password: '' })
    },
  ],
  ['login/method-unknown', 0, () => complete(fresh(), `${self}/login/browser`, { method: 'doesnotexist' })],
  ...(['', '[]', '{"method":'] as const).map((text, index): Case => [
    'login/body-malformed',
    index,
    async () => {
      const browser = fresh()
      return browser.post((await begin(browser, 'login')).ui.action, text)
    },
  ]),
  [
    'login/body-malformed',
    3,
    async () => {
      const browser = fresh()
      const { ui } = await begin(browser, 'login')
      return browser.post(ui.action, '{"method":"password"}', { 'content-type': 'text/plain' })
    },
  ],
  [
    'login/multipart',
    0,
    async () => {
      const browser = fresh()
      const { ui } = await begin(browser, 'login')
      return browser.post(ui.action, '------x--', { 'content-type': 'multipart/form-data; boundary=----x' })
    },
  ],
  ['login/flow-query-missing', 0, () => fresh().post(`${self}/login`, { method: 'password' })],
  ['login/flow-query-missing', 1, () => fresh().post(`${self}/login?flow=xx`, { method: 'password' })],
  ['login/flow-unknown', 0, () => fresh().post(`${self}/login?flow=${absent}`, { method: 'password' })],
  [
    'login/csrf-missing-json',
    0,
    async () => {
      const browser = fresh()
      return browser.post((await begin(browser, 'login')).ui.action, { ...password, identifier: 'a@b.test' })
    },
  ],
  [
    'login/csrf-bad-browser',
    0,
    async () => {
      const browser = fresh()
      const { ui } = await begin(browser, 'login')
      return browser.submit(ui.action, { ...password, identifier: 'a@b.test', csrf_token: 'bad' })
    },
  ],
  [
    'login/csrf-of-other-browser-json',
    1,
    async () => {
      const browser = fresh()
      const { ui } = await begin(browser, 'login')
      const token = valueOf(await begin(fresh(), 'login'), 'csrf_token')
      const body = { ...password, identifier: 'a@b.test', csrf_token: token }
      return browser.post(ui.action, body, { 'sec-fetch-mode': 'cors' })
    },
  ],
  [
    'login/csrf-of-other-browser-json',
    2,
    async () => {
      const { ui } = await begin(fresh(), 'login')
      return fresh().post(ui.action, { ...password, identifier: 'a@b.test' })
    },
  ],
  [
    'login/csrf-of-other-browser-json',
    3,
    async () => {
      const { ui } = await begin(fresh(), 'login')
      return fresh().post(ui.action, { ...password, identifier: 'a@b.test' }, { cookie: 'other=1' })
    },
  ],
  [
    'login/expired-submit-json',
    0,
    async () => {
      const { browser, flow } = await aged('login')
      return send(browser, flow, { ...password, identifier: 'a@b.test' })
    },
  ],
  [
    'login/expired-submit-json',
    1,
    async () => {
      const { browser, flow } = await aged('login', '?return_to=http%3A//localhost%3A3000/scope')
      const { body } = await send(browser, flow, { ...password, identifier: 'a@b.test' })
      return browser.get(`${self}/login/flows?id=${body.use_flow_id}`)
    },
  ],
  [
    'login/expired-submit-browser',
    0,
    async () => {
      const { browser, flow } = await aged('login')
      return sendForm(browser, flow, { ...password, identifier: 'a@b.test' })
    },
  ],
  [
    'login/submit-with-session-json',
    0,
    async () => {
      const { browser, email } = await outsider()
      const flow = await begin(browser, 'login')
      const late = await begin(browser, 'login')
      await send(browser, flow, { ...password, identifier: email })
      return send(browser, late, { ...password, identifier: email })
    },
  ],
  [
    'login/submit-with-session-browser',
    0,
    async () => {
      const { browser, email } = await outsider()
      const flow = await begin(browser, 'login')
      const late = await begin(browser, 'login')
      await send(browser, flow, { ...password, identifier: email })
      return sendForm(browser, late, { ...password, identifier: email })
    },
  ],
  [
    'login/refresh-ok-json',
    0,
    async () => {
      const { browser, email } = await member()
      return signIn(browser, email, goodPassword, '?refresh=true')
    },
  ],
  [
    'login/second-factor-needed-json',
    0,
    async () => {
      const { email } = await twoFactor()
      return signIn(fresh(), email)
    },
  ],
  [
    'login/second-factor-needed-return-to',
    0,
    async () => {
      const { email } = await twoFactor()
      return signIn(fresh(), email, goodPassword, `?return_to=${scope}`)
    },
  ],
  [
    'login/second-factor-needed-browser',
    0,
    async () => {
      const { email } = await twoFactor()
      const browser = fresh()
      return sendForm(browser, await begin(browser, 'login'), { ...password, identifier: email })
    },
  ],
  ['login/init-aal2', 0, async () => (await twoFactor()).browser.get(`${self}/login/browser?aal=aal2`)],
]

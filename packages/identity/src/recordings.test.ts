/** Our answers beside the recorded ones. Skips, and says so, where the recordings are not at hand. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Browser, Reply } from '#testing/browser.ts'
import {
  type House,
  codeIn,
  complete,
  enrolSecondFactor,
  goodPassword,
  newAddress,
  openHouse,
  portalUrl,
  register,
  signIn,
  valueOf,
} from '#testing/house.ts'
import { hasRecordings, ownAnswer, recordedAnswer } from '#testing/recording.ts'

let house: House
beforeAll(async () => {
  if (hasRecordings) house = await openHouse()
})
afterAll(() => house?.close())

const self = '/self-service'
const absent = '3f5bb9cb-bd15-4a4b-9d19-0d1a8f1f6a2c'
const scope = encodeURIComponent(`${portalUrl}/scope`)
const traits = (email: string) => ({ email, name: { first: 'John', last: 'Frost' } })

const fresh = () => house.browser()
const begin = async (browser: Browser, kind: string, query = '') =>
  (await browser.get(`${self}/${kind}/browser${query}`)).body
const send = (browser: Browser, flow: Reply['body'], body: Record<string, unknown>) =>
  browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), ...body })
const sendForm = (browser: Browser, flow: Reply['body'], body: Record<string, string>) =>
  browser.submit(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), ...body })

async function member() {
  const browser = fresh()
  const email = newAddress()
  await register(browser, email)
  return { browser, email }
}
async function outsider() {
  const { email } = await member()
  return { browser: fresh(), email }
}
async function twoFactor() {
  const { browser, email } = await member()
  await enrolSecondFactor(house, email)
  return { browser, email }
}
async function aged(kind: string, query = '') {
  const browser = fresh()
  const flow = await begin(browser, kind, query)
  house.advance(3600_000 + 300_000)
  return { browser, flow }
}
async function codeSent(kind: 'verification' | 'recovery' = 'verification') {
  const { browser, email } = await outsider()
  const flow = await begin(browser, kind)
  const sent = await send(browser, flow, { method: 'code', email })
  const mails = await house.mailsTo(email, 2)
  return { browser, email, flow, sent, code: codeIn(mails.at(-1)) }
}
async function passed(kind: 'verification' | 'recovery' = 'verification') {
  const { browser, flow, code } = await codeSent(kind)
  const answer = await send(browser, flow, { method: 'code', code })
  return { browser, flow, code, answer }
}
async function wrongTimes(times: number, kind: 'verification' | 'recovery' = 'verification') {
  const { browser, flow } = await codeSent(kind)
  let answer = await send(browser, flow, { method: 'code', code: 'x' })
  for (let time = 1; time < times; time++) answer = await send(browser, flow, { method: 'code', code: 'x' })
  return { browser, answer }
}
const csrfCookieOf = ({ jar }: Browser) => [...jar].find(([name]) => name.startsWith('csrf_token'))?.[1]
const password = { method: 'password', password: goodPassword }

type Case = readonly [recording: string, exchange: number, play: () => Promise<Reply>]
const cases: readonly Case[] = [
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
      const mails = await house.mailsTo(email, 2)
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
  ['settings/init-no-session-json', 0, () => fresh().get(`${self}/settings/browser`)],
  [
    'settings/init-no-session-browser',
    0,
    () => fresh().open(`${self}/settings/browser?return_to=http%3A//localhost%3A3000/scope`),
  ],
  ['settings/init-no-session-browser', 1, () => fresh().open(`${self}/settings/browser`)],
  ['settings/init-json', 0, async () => (await member()).browser.get(`${self}/settings/browser`)],
  ['settings/init-json', 1, async () => (await member()).browser.open(`${self}/settings/browser`)],
  [
    'settings/profile-ok-json',
    0,
    async () => {
      const { browser, email } = await member()
      const body = { method: 'profile', traits: { email, name: { first: 'Jane', last: 'Frost' } } }
      return complete(browser, `${self}/settings/browser`, body)
    },
  ],
  [
    'settings/profile-ok-browser-return-to',
    0,
    async () => {
      const { browser, email } = await member()
      const flow = await begin(browser, 'settings', `?return_to=${scope}`)
      return sendForm(browser, flow, {
        method: 'profile',
        'traits.email': email,
        'traits.name.first': 'Jim',
        'traits.name.last': 'Frost',
      })
    },
  ],
  [
    'settings/profile-bad-email',
    0,
    async () =>
      complete((await member()).browser, `${self}/settings/browser`, {
        method: 'profile',
        traits: traits('no-email'),
      }),
  ],
  [
    'settings/profile-missing-trait',
    0,
    async () => {
      const { browser, email } = await member()
      const body = { method: 'profile', traits: { email, name: { first: 'A' } } }
      return complete(browser, `${self}/settings/browser`, body)
    },
  ],
  [
    'settings/profile-taken-email',
    0,
    async () => {
      const { email } = await member()
      const { browser } = await member()
      return complete(browser, `${self}/settings/browser`, { method: 'profile', traits: traits(email) })
    },
  ],
  [
    'settings/password-ok',
    0,
    async () =>
      complete((await member()).browser, `${self}/settings/browser`, {
        method: 'password',
        password: 'Correct-Horse-7-Battery-new',
      }),
  ],
  ...(
    [
      ['settings/password-empty', ''],
      ['settings/password-short', 'Abcd123'],
      ['settings/password-same', goodPassword],
    ] as const
  ).map(([name, given]): Case => [
    name,
    0,
    async () => complete((await member()).browser, `${self}/settings/browser`, { method: 'password', password: given }),
  ]),
  [
    'settings/method-unknown',
    0,
    async () => complete((await member()).browser, `${self}/settings/browser`, { method: 'unknown' }),
  ],
  [
    'settings/csrf-missing',
    0,
    async () => {
      const { browser, email } = await member()
      const { ui } = await begin(browser, 'settings')
      return browser.post(ui.action, { method: 'profile', traits: traits(email) })
    },
  ],
  [
    'settings/privileged-1s-password',
    0,
    async () => {
      const { browser } = await member()
      house.advance(3600_001)
      return complete(browser, `${self}/settings/browser`, { method: 'password', password: 'Another-Horse-8' })
    },
  ],
  [
    'settings/privileged-password-browser',
    0,
    async () => {
      const { browser } = await member()
      house.advance(3600_001)
      const flow = await begin(browser, 'settings')
      return sendForm(browser, flow, { method: 'password', password: 'Another-Horse-8' })
    },
  ],
  [
    'settings/fetch-other-identity',
    0,
    async () => {
      const flow = await begin((await member()).browser, 'settings')
      return (await member()).browser.get(`${self}/settings/flows?id=${flow.id}`)
    },
  ],
  [
    'settings/submit-other-identity',
    0,
    async () => {
      const flow = await begin((await member()).browser, 'settings')
      return send((await member()).browser, flow, { method: 'profile' })
    },
  ],
  [
    'settings/submit-other-identity',
    1,
    async () => {
      const flow = await begin((await member()).browser, 'settings')
      return sendForm((await member()).browser, flow, { method: 'profile' })
    },
  ],
  [
    'settings/fetch-expired',
    0,
    async () => {
      const { browser } = await member()
      const flow = await begin(browser, 'settings')
      house.advance(3600_000)
      return browser.get(`${self}/settings/flows?id=${flow.id}`)
    },
  ],
  ...([0, 1, 2] as const).map((index): Case => [
    'settings/fetch-after-logout',
    index,
    async () => {
      const { browser } = await member()
      const flow = await begin(browser, 'settings')
      await browser.get((await browser.get(`${self}/logout/browser`)).body.logout_url)
      if (index === 0) return browser.get(`${self}/settings/flows?id=${flow.id}`)
      return index === 1 ? send(browser, flow, { method: 'profile' }) : sendForm(browser, flow, { method: 'profile' })
    },
  ]),
  [
    'settings/fetch-session-cookie-only',
    0,
    async () => {
      const { browser } = await member()
      const flow = await begin(browser, 'settings')
      for (const name of browser.jar.keys()) if (name.startsWith('csrf_token')) browser.jar.delete(name)
      return browser.get(`${self}/settings/flows?id=${flow.id}`)
    },
  ],
  ['logout/init-json', 0, async () => (await member()).browser.get(`${self}/logout/browser`)],
  ['logout/init-no-session', 0, () => fresh().get(`${self}/logout/browser`)],
  ['logout/init-no-session', 1, () => fresh().open(`${self}/logout/browser`)],
  ['logout/init-return-to', 0, async () => (await member()).browser.get(`${self}/logout/browser?return_to=${scope}`)],
  ['logout/no-token', 0, async () => (await member()).browser.get(`${self}/logout`)],
  ['logout/no-token', 1, async () => (await member()).browser.open(`${self}/logout`)],
  [
    'logout/ok-json',
    0,
    async () => {
      const { browser } = await member()
      return browser.get((await browser.get(`${self}/logout/browser`)).body.logout_url)
    },
  ],
  [
    'logout/ok-browser',
    1,
    async () => {
      const { browser } = await member()
      return browser.open((await browser.get(`${self}/logout/browser?return_to=${scope}`)).body.logout_url)
    },
  ],
  [
    'logout/ok-browser',
    3,
    async () => {
      const { browser } = await member()
      return browser.open((await browser.get(`${self}/logout/browser`)).body.logout_url)
    },
  ],
  ['logout/other-token', 0, async () => (await member()).browser.get(`${self}/logout?token=ory_lo_other`)],
  ['logout/other-token', 2, async () => (await member()).browser.open(`${self}/logout?token=ory_lo_other`)],
  [
    'logout/return-to-forbidden',
    0,
    async () => (await member()).browser.get(`${self}/logout/browser?return_to=https://evil.example/`),
  ],
  ['errors/envelopes', 0, () => fresh().get('/sessions/whoami', { headers: { 'x-request-id': 'abc-123' } })],
  ['errors/no-id', 0, () => fresh().get(`${self}/errors`)],
  ['errors/no-id', 1, () => fresh().get(`${self}/errors?id=not-a-uuid`)],
  ['errors/stored', 3, () => fresh().get(`${self}/errors?id=stub:500`)],
  ['errors/unknown', 0, () => fresh().get(`${self}/errors?id=${absent}`)],
  [
    'errors/unknown-path',
    1,
    () => fresh().ask('PUT', `${self}/login?flow=x`, { headers: { accept: 'application/json' } }),
  ],
  ['errors/unknown-path', 2, () => fresh().get(`${self}/login?flow=${absent}`)],
  ['sessions/whoami-none', 0, () => fresh().get('/sessions/whoami')],
  ['sessions/whoami-ok', 0, async () => (await member()).browser.get('/sessions/whoami')],
  ...([0, 1] as const).map((index): Case => [
    'sessions/whoami-aal2-required',
    index,
    async () => (await twoFactor()).browser.get(index === 0 ? '/sessions/whoami' : '/sessions'),
  ]),
  ...([0, 1] as const).flatMap((index): Case[] => {
    const url = `${self}/settings/browser${index === 0 ? '' : '?return_to=http%3A//localhost%3A3000/scope'}`
    return [
      ['settings/init-aal2-needed-json', index, async () => (await twoFactor()).browser.get(url)],
      ['settings/init-aal2-needed-browser', index, async () => (await twoFactor()).browser.open(url)],
    ]
  }),
  ...([0, 1] as const).map((index): Case => [
    'settings/submit-aal2-needed',
    index,
    async () => {
      const { browser, email } = await member()
      const flow = await begin(browser, 'settings')
      await enrolSecondFactor(house, email)
      return index === 0 ? send(browser, flow, { method: 'profile' }) : sendForm(browser, flow, { method: 'profile' })
    },
  ]),
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
  ['sessions/list-empty', 0, async () => (await member()).browser.get('/sessions')],
  ['sessions/list-none', 0, () => fresh().get('/sessions')],
  [
    'sessions/revoke-own',
    0,
    async () => {
      const { browser } = await member()
      return browser.delete(`/sessions/${(await browser.get('/sessions/whoami')).body.id}`)
    },
  ],
  ['sessions/revoke-of-other-user', 1, async () => (await member()).browser.delete(`/sessions/${absent}`)],
  ['misc/schemas', 3, () => fresh().get('/schemas/unknown')],
]

describe.skipIf(!hasRecordings)('answers as recorded (skipped without the recordings)', () => {
  it.each(cases.map(([name, exchange, play]) => [`${name} ${exchange}`, name, exchange, play] as const))(
    '%s',
    async (_title, name, exchange, play) => {
      expect(ownAnswer(await play())).toEqual(recordedAnswer(name, exchange))
    },
  )
})

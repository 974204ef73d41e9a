import { expect, it } from 'vitest'
import type { Browser, Reply } from '#testing/browser.ts'
import {
  submitNewFlow,
  createTestIdentity,
  enrollLookupSecrets,
  enrollTotp,
  goodPassword,
  messageIds,
  messageIdsOn,
  newAddress,
  nodeOf,
  nodeWithId,
  register,
  sharedTestIdentity,
  signIn,
  totpAt,
  valueOf,
} from '#testing/test-identity.ts'

const identity = await sharedTestIdentity()

const settings = '/self-service/settings/browser'
const stepMs = 30_000

async function registerUser() {
  const browser = identity.browser()
  const email = newAddress()
  await register(browser, email)
  return { browser, email }
}
async function registerUserWithTotp() {
  const { browser, email } = await registerUser()
  const secret = await enrollTotp(identity, browser)
  identity.advance(stepMs)
  return { browser, email, secret }
}
async function firstFactorOnly(email: string): Promise<Browser> {
  const browser = identity.browser()
  await signIn(browser, email)
  return browser
}
const submitSecondFactor = (browser: Browser, body: Record<string, unknown>): Promise<Reply> =>
  submitNewFlow(browser, '/self-service/login/browser?aal=aal2', body)
const submitTotp = (browser: Browser, code: string) => submitSecondFactor(browser, { method: 'totp', totp_code: code })
const codeAt = (secret: string, offsetMs = 0) => totpAt(secret, new Date(identity.now().getTime() + offsetMs))

it('requires the code of an enrolled account', async () => {
  const { email, secret } = await registerUserWithTotp()
  const browser = identity.browser()
  const response = await signIn(browser, email)
  expect([response.status, response.body.redirect_browser_to]).toEqual([
    422,
    'http://localhost:4433/self-service/login/browser?aal=aal2',
  ])
  expect((await browser.get('/sessions/whoami')).status).toBe(403)
  expect((await submitTotp(browser, codeAt(secret))).body.session.authenticator_assurance_level).toBe('aal2')
  expect((await browser.get('/sessions/whoami')).status).toBe(200)
  const again = await browser.get('/self-service/login/browser?aal=aal2')
  expect([again.status, again.body.error.id]).toEqual([400, 'session_already_available'])
})

it.each([-1, 0, 1])('accepts a code at time step offset %i', async (step) => {
  const { email, secret } = await registerUserWithTotp()
  identity.advance(2 * stepMs)
  expect((await submitTotp(await firstFactorOnly(email), codeAt(secret, step * stepMs))).status).toBe(200)
})

it.each([-2, 2])('SEC-A7 rejects a code at time step offset %i', async (step) => {
  const { email, secret } = await registerUserWithTotp()
  identity.advance(2 * stepMs)
  const { status, body } = await submitTotp(await firstFactorOnly(email), codeAt(secret, step * stepMs))
  expect([status, ...messageIds(body)]).toEqual([400, 4000008])
})

it('SEC-A7 rejects a reused code and one older than the last', async () => {
  const { email, secret } = await registerUserWithTotp()
  const code = codeAt(secret)
  const older = codeAt(secret, -stepMs)
  expect((await submitTotp(await firstFactorOnly(email), code)).status).toBe(200)
  expect((await submitTotp(await firstFactorOnly(email), code)).status).toBe(400)
  expect((await submitTotp(await firstFactorOnly(email), older)).status).toBe(400)
})

it('rejects reuse of the enrollment code', async () => {
  const { browser, email } = await registerUser()
  const secret = await enrollTotp(identity, browser)
  expect((await submitTotp(await firstFactorOnly(email), codeAt(secret))).status).toBe(400)
})

it('accepts one of two concurrent identical codes', async () => {
  const { email, secret } = await registerUserWithTotp()
  const browsers = [await firstFactorOnly(email), await firstFactorOnly(email)]
  const code = codeAt(secret)
  const responses = await Promise.all(browsers.map((browser) => submitTotp(browser, code)))
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
})

it('SEC-A2 throttles attempts at codes until the window ends', async () => {
  const { email, secret } = await registerUserWithTotp()
  const browser = await firstFactorOnly(email)
  for (let guess = 0; guess < 10; guess++) await submitTotp(browser, '000000')
  const { body } = await submitTotp(browser, codeAt(secret))
  expect(messageIds(body)).toEqual([4000001])
  identity.advance(15 * 60_000 + 1000)
  expect((await submitTotp(browser, codeAt(secret))).status).toBe(200)
})

it('requires reauthentication to change a second factor without a privileged session', async () => {
  const { browser } = await registerUserWithTotp()
  identity.advance(3600_001)
  for (const body of [
    { method: 'totp', totp_unlink: true },
    { method: 'lookup_secret', lookup_secret_regenerate: true },
    { totp_unlink: 'true' },
  ]) {
    expect((await submitNewFlow(browser, settings, body)).body.error.id).toBe('session_refresh_required')
  }
})

it('prevents removal of the second factor without completing it', async () => {
  const { browser, email } = await registerUser()
  const { body: flow } = await browser.get(settings)
  const other = await firstFactorOnly(email)
  await enrollTotp(identity, browser)
  const { body } = await other.get(settings)
  expect(body.error.id).toBe('session_aal2_required')
  const sent = await other.post(flow.ui.action, { method: 'totp', totp_unlink: true })
  expect(sent.body.error.id).toBe('session_aal2_required')
})

it('no longer requires an unlinked second factor', async () => {
  const { browser, email } = await registerUserWithTotp()
  const { body } = await submitNewFlow(browser, settings, { method: 'totp', totp_unlink: true })
  expect(nodeOf(body, 'totp_code')).toBeDefined()
  expect((await signIn(identity.browser(), email)).status).toBe(200)
})

it('does not report the removal of a factor that is not set up as saved', async () => {
  const { browser } = await registerUser()
  const { status, body } = await submitNewFlow(browser, settings, { method: 'totp', totp_unlink: true })
  expect([status, messageIdsOn(body, 'totp_code')]).toEqual([400, [4000002]])
})

it('shows a new secret in each flow, and keeps it after an error', async () => {
  const { browser } = await registerUser()
  const secretIn = (flow: Reply['body']) => nodeWithId(flow, 'totp_secret_key').attributes.text.text
  const { body: first } = await browser.get(settings)
  const { body: second } = await browser.get(settings)
  const { body: afterError } = await browser.post(first.ui.action, {
    csrf_token: valueOf(first, 'csrf_token'),
    method: 'totp',
    totp_code: '000000',
  })
  expect(secretIn(second)).not.toBe(secretIn(first))
  expect(secretIn(afterError)).toBe(secretIn(first))
})

it('SEC-A7 accepts each backup code once, even if submitted concurrently', async () => {
  const { browser, email } = await registerUser()
  const codes = await enrollLookupSecrets(browser)
  expect(new Set(codes).size).toBe(12)
  const browsers = [await firstFactorOnly(email), await firstFactorOnly(email)]
  const responses = await Promise.all(
    browsers.map((browser) =>
      submitSecondFactor(browser, { method: 'lookup_secret', lookup_secret: ` ${codes[5]?.toUpperCase()} ` }),
    ),
  )
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
  const rejected = responses.find(({ status }) => status === 400)
  expect(messageIds(rejected?.body)).toEqual([4000012])
})

it('keeps old backup codes until new ones are confirmed', async () => {
  const { browser, email } = await registerUser()
  const [first, second] = await enrollLookupSecrets(browser)
  const submitButton = (button: string) =>
    submitNewFlow(browser, settings, { method: 'lookup_secret', [`lookup_secret_${button}`]: true })
  await submitButton('regenerate')
  expect(
    (await submitSecondFactor(await firstFactorOnly(email), { method: 'lookup_secret', lookup_secret: first })).status,
  ).toBe(200)
  await enrollLookupSecrets(browser)
  expect(
    (await submitSecondFactor(await firstFactorOnly(email), { method: 'lookup_secret', lookup_secret: second })).status,
  ).toBe(400)
})

it('rejects confirmation of backup codes that this flow did not show', async () => {
  const { browser, email } = await registerUser()
  const { status, body } = await submitNewFlow(browser, settings, { lookup_secret_confirm: true })
  expect([status, ...messageIds(body)]).toEqual([400, 4000001])
  expect(body.ui.messages[0].text).toContain('before you can save them')
  expect((await signIn(identity.browser(), email)).status).toBe(200)
})

it('explains that there are no backup codes to reveal', async () => {
  const { browser } = await registerUser()
  const { status, body } = await submitNewFlow(browser, settings, { lookup_secret_reveal: true })
  expect([status, ...messageIds(body)]).toEqual([400, 4000001])
  expect(body.ui.messages[0].text).toContain('because you have none')
})

it('keeps revealed codes in the flow', async () => {
  const { browser } = await registerUser()
  const codes = await enrollLookupSecrets(browser)
  const { body: flow } = await browser.get(settings)
  await browser.submit(flow.ui.action, {
    csrf_token: valueOf(flow, 'csrf_token'),
    method: 'lookup_secret',
    lookup_secret_reveal: 'true',
  })
  const { body } = await browser.get(`/self-service/settings/flows?id=${flow.id}`)
  expect(nodeWithId(body, 'lookup_secret_codes').attributes.text.text).toBe(codes.join(', '))
})

it('does not store plaintext secrets in the database', async () => {
  const { browser } = await registerUser()
  const secret = await enrollTotp(identity, browser)
  const codes = await enrollLookupSecrets(browser)
  await submitNewFlow(browser, settings, { method: 'lookup_secret', lookup_secret_reveal: true })
  const { db } = identity.database
  const rows = [
    ...(await db.selectFrom('identity.flow').select(['ui', 'memory']).execute()),
    ...(await db.selectFrom('identity.credential').select('config').execute()),
  ]
  const stored = JSON.stringify(rows)
  expect([secret, codes[0] ?? '', codes[11] ?? ''].filter((text) => stored.includes(text))).toEqual([])
})

it('SEC-H2 records added and removed factors in the audit log', async () => {
  const { browser } = await registerUserWithTotp()
  const eventCount = identity.events.length
  await enrollLookupSecrets(browser)
  await submitNewFlow(browser, settings, { method: 'lookup_secret', lookup_secret_disable: true })
  await submitNewFlow(browser, settings, { method: 'totp', totp_unlink: true })
  expect(identity.events.slice(eventCount).map(({ kind, detail }) => [kind, detail])).toEqual([
    ['second_factor_added', 'lookup_secret'],
    ['second_factor_removed', 'lookup_secret'],
    ['second_factor_removed', 'totp'],
  ])
})

it('does not offer disabled methods', async () => {
  await using plain = await createTestIdentity({ methods: { totp: false, lookupSecret: false } })
  const browser = plain.browser()
  await register(browser, newAddress(), goodPassword)
  const { body } = await browser.get(settings)
  const groups = new Set(body.ui.nodes.map(({ group }: { group: string }) => group))
  expect([groups.has('totp'), groups.has('lookup_secret')]).toEqual([false, false])
  const response = await submitNewFlow(browser, settings, { method: 'totp', totp_code: '123456' })
  expect(messageIds(response.body)).toEqual([4010004])
})

/** Compliance cases of signing in with a password. */
import { expect } from 'vitest'
import {
  type Chapter,
  expectError,
  expectForm,
  expectNoSession,
  expectSentTo,
  expectWhoami,
  namesOf,
  refetch,
  start,
} from '#testing/compliance-play.ts'
import { complete, goodPassword, messageIds, newAddress, nodeOf, portalUrl, signIn, valueOf } from '#testing/house.ts'
import {
  absent,
  aged,
  begin,
  csrfCookieOf,
  fresh,
  member,
  outsider,
  password,
  scope,
  self,
  send,
  sendForm,
  stage,
} from '#testing/play.ts'

const login = start('login')
const home = `${portalUrl}/overview`
const page = `${portalUrl}/login`

/** A sign-in form that says what is wrong, for a body that cannot be read. */
async function sendRaw(text: string) {
  const browser = fresh()
  const flow = await begin(browser, 'login')
  return browser.post(flow.ui.action, text)
}

export const loginPassword: Chapter = {
  '026': async () => {
    const { browser, email } = await outsider()
    const { status, body, headers } = await signIn(browser, email)
    const { active, authenticator_assurance_level: level, authentication_methods: methods } = body.session
    expect([status, active, level]).toEqual([200, true, 'aal1'])
    expect(methods).toMatchObject([{ method: 'password', aal: 'aal1' }])
    expect(body.continue_with[0].action).toBe('redirect_browser_to')
    const cookie = [headers['set-cookie']].flat().find((line) => String(line).startsWith('ory_kratos_session='))
    for (const attribute of ['HttpOnly', 'Path=/', 'SameSite=Lax']) expect(cookie).toContain(attribute)
    await expectWhoami(browser, 200)
  },
  '027': async () => {
    const { browser, email } = await outsider()
    const flow = await begin(browser, 'login', `?return_to=${scope}`)
    expectSentTo(await sendForm(browser, flow, { ...password, identifier: email }), `${portalUrl}/scope`)
    await expectWhoami(browser, 200)
  },
  '028': async () => {
    const { browser, email } = await outsider()
    expect((await signIn(browser, `  ${email.toUpperCase()} `)).status).toBe(200)
  },
  '029': async () => {
    const { browser, email } = await outsider()
    const answer = await signIn(browser, email, 'wrong password')
    expectForm(answer, 400, [4000006])
    expect(valueOf(answer.body, 'identifier')).toBe(email)
    expect(nodeOf(answer.body, 'password').attributes).not.toHaveProperty('value')
    expectNoSession(browser)
  },
  '030': async () => {
    const { browser, email } = await outsider()
    const known = await signIn(browser, email, 'wrong password')
    const unknown = await signIn(fresh(), newAddress(), 'wrong password')
    expectForm(unknown, 400, [4000006])
    expect([Object.keys(unknown.body), namesOf(unknown.body)]).toEqual([Object.keys(known.body), namesOf(known.body)])
  },
  '031': async () => {
    const { browser, email } = await outsider()
    const flow = await begin(browser, 'login')
    const answer = await sendForm(browser, flow, { ...password, identifier: email, password: 'wrong' })
    expectSentTo(answer, `${page}?flow=${flow.id}`)
    expect(messageIds(await refetch(browser, flow))).toEqual([4000006])
  },
  '032': async () => {
    const { status, body } = await signIn(fresh(), '', '')
    expect(status).toBe(400)
    for (const field of ['identifier', 'password']) {
      expect(nodeOf(body, field).messages).toMatchObject([{ id: 4000002, context: { property: field } }])
    }
  },
  '034': async () => {
    const browser = fresh()
    const { ui } = await begin(browser, 'login')
    const answer = await browser.post(ui.action, { ...password, identifier: 'a@b.test' })
    expectError(answer, 403, 'security_csrf_violation')
  },
  '035': async () => {
    const browser = fresh()
    const { ui } = await begin(browser, 'login')
    const csrf_token = valueOf(await begin(fresh(), 'login'), 'csrf_token')
    const answer = await browser.post(ui.action, { ...password, identifier: 'a@b.test', csrf_token })
    expectError(answer, 403, 'security_csrf_violation')
    expect(answer.body.error.details.reject_reason).toMatch(/do not match/)
  },
  '036': async () => {
    const browser = fresh()
    const { ui } = await begin(browser, 'login')
    const answer = await browser.submit(ui.action, { ...password, identifier: 'a@b.test', csrf_token: 'bad' })
    expectSentTo(answer, /^http:\/\/localhost:3000\/error\?id=/)
    const stored = await browser.get(`${self}/errors?${String(answer.headers['location']).split('?')[1]}`)
    expect(stored.body.error.id).toBe('security_csrf_violation')
  },
  '037': async () => {
    const { browser, email } = await outsider()
    const earlier = valueOf(await begin(browser, 'login'), 'csrf_token')
    const flow = await begin(browser, 'login')
    const body = { ...password, identifier: email, password: 'wrong' }
    expect((await browser.post(flow.ui.action, { ...body, csrf_token: earlier })).status).toBe(400)
    expect((await browser.post(flow.ui.action, { ...body, csrf_token: csrfCookieOf(browser) })).status).toBe(400)
    const [once, twice] = [await refetch(browser, flow), await refetch(browser, flow)]
    expect(valueOf(once, 'csrf_token')).toBe(valueOf(twice, 'csrf_token'))
    const inHeader = await browser.post(flow.ui.action, body, { 'x-csrf-token': earlier })
    expect(inHeader.status).toBe(403)
  },
  '038': async () => expectForm(await complete(fresh(), login, { method: 'doesnotexist' }), 400, [4010002]),
  '039': async () => {
    for (const text of ['', '[]', '{"method":']) expect((await sendRaw(text)).status).toBe(400)
  },
  '040': async () => {
    const { status, body } = await fresh().post(`${self}/login`, password)
    expect([status, body.error.reason]).toEqual([400, 'The flow query parameter is missing or malformed.'])
  },
  '041': async () => expectError(await fresh().post(`${self}/login?flow=${absent}`, password), 404),
  '042': async () => {
    const { browser, flow } = await aged('login')
    const answer = await send(browser, flow, { ...password, identifier: 'a@b.test' })
    expectError(answer, 410, 'self_service_flow_expired')
    expect(answer.body).toMatchObject({ expired_at: expect.any(String), since: expect.any(Number) })
    expectForm(await browser.get(`${self}/login/flows?id=${answer.body.use_flow_id}`), 200, [4010001])
  },
  '043': async () => {
    const { browser, flow } = await aged('login')
    const answer = await sendForm(browser, flow, { ...password, identifier: 'a@b.test' })
    expectSentTo(answer, /^http:\/\/localhost:3000\/login\?flow=/)
    const id = String(answer.headers['location']).split('=')[1] ?? ''
    expect(id).not.toBe(flow.id)
    expect(messageIds(await refetch(browser, { id }))).toEqual([4010001])
  },
  '044': async () => {
    const { browser, email } = await outsider()
    const [flow, late] = [await begin(browser, 'login'), await begin(browser, 'login')]
    await send(browser, flow, { ...password, identifier: email })
    expectForm(await send(browser, late, { ...password, identifier: email }), 400, [4000001])
  },
  '045': async () => {
    const { browser, email } = await outsider()
    const [flow, late] = [await begin(browser, 'login'), await begin(browser, 'login')]
    await send(browser, flow, { ...password, identifier: email })
    const { id } = (await expectWhoami(browser, 200)).body
    expectSentTo(await sendForm(browser, late, { ...password, identifier: email }), home)
    expect((await expectWhoami(browser, 200)).body.id).toBe(id)
  },
  '046': async () => {
    const { browser, email } = await member()
    const { body: before } = await expectWhoami(browser, 200)
    stage().advance(1000)
    const answer = await signIn(browser, email, goodPassword, '?refresh=true')
    const { body: after } = await expectWhoami(browser, 200)
    expect([answer.status, answer.body.session.id, after.issued_at]).toEqual([200, before.id, before.issued_at])
    for (const time of ['authenticated_at', 'expires_at']) {
      expect(Date.parse(after[time])).toBeGreaterThan(Date.parse(before[time]))
    }
    expect(after.authentication_methods.map(({ method }: { method: string }) => method)).toEqual([
      'password',
      'password',
    ])
  },
  '048': async () => {
    const { browser, email } = await outsider()
    const { db } = stage().database
    const owner = db.selectFrom('identity.verifiable_address').select('identity_id').where('value', '=', email)
    await db.updateTable('identity.identity').set({ state: 'inactive' }).where('id', 'in', owner).execute()
    expectForm(await signIn(browser, email), 400, [4010011])
    expectNoSession(browser)
  },
}
